import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type FolderFile, learnFolder, matchFrame, type MatchSettings } from '../../../src/workspace/frameMatch.ts';
import type { FrameLocation } from '../../../src/workspace/frames.ts';
import { corpus, corpusFiles, corpusModules, otherForms } from './frameCorpus.ts';

const all: readonly FolderFile<string>[] = Object.entries(corpusFiles).flatMap(([folder, files]) =>
  files.map((file) => ({ file: `${folder}/${file}`, path: `${folder}/${file}`, folder })),
);

function match(location: FrameLocation, more: Partial<MatchSettings> = {}): string {
  const found = matchFrame(location, all, { ignoresCase: false, goModules: corpusModules, learnt: [], ...more });
  return found.kind === 'file' ? found.file : found.kind === 'none' ? 'none' : 'ask';
}

describe('files of stack frames', () => {
  for (const { language, source, expected, ...location } of [...corpus, ...otherForms])
    it(`files of stack frames: ${language} (${source}): ${location.absPath ?? location.filename} is ${expected}`, () => {
      assert.equal(match(location), expected);
    });

  it('are known for at least 60 frames of seven languages, whose sources have them', () => {
    assert.ok(corpus.length >= 60);
    assert.ok(corpus.filter(({ expected }) => expected === 'none').length >= 15);
    assert.ok(corpus.filter(({ expected }) => expected === 'ask').length >= 10);
    assert.equal(new Set(corpus.map(({ language }) => language)).size, 7);
    for (const { source, filename, absPath } of corpus) {
      if (/^getsentry\/[\w-]+ [\w./-]+$/.test(source)) continue;
      const text = readFileSync(path.join(import.meta.dirname, '../../..', source), 'utf8');
      // The folder may be a parameter there.
      for (const name of [filename, absPath ?? filename].map((one) => path.posix.basename(one)))
        assert.ok(text.includes(name), `${source}: ${name}`);
    }
  });

  it('are the ones that the user has chosen for the same folder', () => {
    const at = (absPath: string): FrameLocation => ({ filename: absPath, absPath: null });
    const chosen = learnFolder(at('/app/server.js'), '/w/shop/services/gates/server.js');
    assert.deepEqual(chosen, { from: 'app', to: '/w/shop/services/gates', isRooted: true });
    assert.ok(chosen);
    const learnt = [chosen];
    assert.equal(match(at('/app/server.js'), { learnt }), '/w/shop/services/gates/server.js');
    assert.equal(match(at('/application/server.js'), { learnt }), 'ask');
    // A file that is not in the chosen folder is searched as before.
    assert.equal(match(at('/app/shop/db.py'), { learnt }), '/w/shop/shop/db.py');
    const other = { from: 'app/orders', to: '/w/shop/services/orders', isRooted: true };
    assert.equal(match(at('/app/orders/server.js'), { learnt: [...learnt, other] }), '/w/shop/services/orders/server.js');
  });

  it('are chosen for relative paths as well, but never for those of libraries', () => {
    const relative = learnFolder({ filename: 'webpack:///./src/App.tsx', absPath: null }, '/w/shop/web/src/App.tsx');
    assert.deepEqual(relative, { from: '', to: '/w/shop/web', isRooted: false });
    assert.ok(relative);
    const learnt = [relative];
    assert.equal(match({ filename: 'src/routes/index.ts', absPath: null }, { learnt }), '/w/shop/web/src/routes/index.ts');
    const node = [{ from: 'srv/app/node_modules/express', to: '/w/tools/js', isRooted: true }];
    assert.equal(match({ filename: '/srv/app/node_modules/express/layer.js', absPath: null }, { learnt: node }), 'none');
    assert.equal(learnFolder({ filename: 'a.js', absPath: null }, '/w/b.js'), undefined);
  });

  it('may differ in case where file systems do', () => {
    const location = { filename: '/SRV/App/Dist/Orders.js', absPath: null };
    assert.equal(match(location), 'none');
    assert.equal(match(location, { ignoresCase: true }), '/w/shop/dist/orders.js');
  });
});
