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

  for (const [filename, module, file] of [
    ['Cart.kt', 'com.acme.shop.Cart', 'src/main/kotlin/shop/Cart.kt'],
    ['Cart.kt', 'com.acme.shop.Cart$Item', 'src/main/kotlin/Cart.kt'],
    ['Cart.kt', 'com.acme.shop.CartKt', 'src/commonMain/kotlin/shop/Cart.kt'],
    ['Cart.kt', 'app//com.acme.shop.Cart', 'app/src/main/java/acme/shop/Cart.kt'],
    ['Cart.scala', 'com.acme.shop.Cart$', 'src/main/scala/shop/Cart.scala'],
    ['Cart.scala', 'com.acme.shop.Cart', 'modules/billing/Cart.scala'],
    ['Cart.groovy', 'com.acme.shop.Cart', 'src/main/groovy/shop/Cart.groovy'],
  ] as const)
    it(`are offered for ${module} in ${file}, and chosen for its whole package by the user`, () => {
      const files = [file, 'web/Cart.java'].map((one) => ({ file: one, path: `/w/${one}`, folder: '/w' }));
      const settings = { ignoresCase: false, goModules: [], learnt: [] };
      const location = { filename, absPath: null, module };
      assert.deepEqual(matchFrame(location, files, settings), { kind: 'ambiguous', files: [file] });
      const chosen = learnFolder(location, `/w/${file}`);
      assert.ok(chosen);
      assert.deepEqual(matchFrame(location, files, { ...settings, learnt: [chosen] }), { kind: 'file', file });
    });

  for (const [filename, module, file] of [
    ['Collections.kt', 'kotlin.collections.CollectionsKt', 'src/main/kotlin/util/Collections.kt'],
    ['Builders.common.kt', 'kotlinx.coroutines.BuildersKt', 'src/main/kotlin/Builders.common.kt'],
    ['Option.scala', 'scala.Option', 'src/main/scala/shop/Option.scala'],
    ['Cart.java', 'com.acme.shop.Cart', 'src/main/java/shop/Cart.java'],
  ] as const)
    it(`are not offered for ${module} in ${file}`, () => {
      const files = [{ file, path: `/w/${file}`, folder: '/w' }];
      assert.deepEqual(
        matchFrame({ filename, absPath: null, module }, files, { ignoresCase: false, goModules: [], learnt: [] }),
        {
          kind: 'none',
        },
      );
    });

  it('are those of the whole package if another folder only ends like it', () => {
    const files = ['src/main/kotlin/shop/Cart.kt', 'lib/src/main/kotlin/com/acme/shop/Cart.kt'];
    const found = matchFrame(
      { filename: 'Cart.kt', absPath: null, module: 'com.acme.shop.Cart' },
      files.map((file) => ({ file, path: `/w/${file}`, folder: '/w' })),
      { ignoresCase: false, goModules: [], learnt: [] },
    );
    assert.deepEqual(found, { kind: 'file', file: files[1] });
  });

  for (const [path, file] of [
    ['webpack-internal:///(rsc)/./app/%5Bslug%5D/page.tsx', 'app/[slug]/page.tsx'],
    ['app:///_next/../app/%5B...all%5D/page.tsx', 'app/[...all]/page.tsx'],
    ['http://localhost:5173/src/routes/%5Bid%5D/+page.svelte?t=1', 'src/routes/[id]/+page.svelte'],
    ['file:///srv/shop/my%20files/gr%C3%B6%C3%9Fe.ts', 'my files/größe.ts'],
    ['src/gro\u0308\u00dfe.ts', 'src/gr\u00f6\u00dfe.ts'],
    ['src/gr\u00f6\u00dfe.ts', 'src/gro\u0308\u00dfe.ts'],
    ['src/a%20b.ts', 'src/a%20b.ts'],
    ['src/a%2520b.ts', 'src/a%20b.ts'],
    ['src/100%.ts', 'src/100%.ts'],
    ['src/latin%E4.ts', 'src/latin%E4.ts'],
  ] as const)
    it(`are compared percent-decoded: ${path} is ${file}`, () => {
      const found = matchFrame({ filename: path, absPath: null }, [{ file, path: `/w/${file}`, folder: '/w' }], {
        ...{ ignoresCase: false, goModules: [], learnt: [] },
      });
      assert.deepEqual(found, { kind: 'file', file });
    });

  it('are not left through encoded dots and separators', () => {
    for (const path of ['src/%2E%2E/secret.ts', 'src/%2e%2e%2fsecret.ts', 'src/a%2Fsecret.ts', 'src%5Csecret.ts']) {
      const found = matchFrame({ filename: path, absPath: null }, [{ file: 'x', path: '/w/src/secret.ts', folder: '/w' }], {
        ...{ ignoresCase: false, goModules: [], learnt: [] },
      });
      assert.equal(found.kind === 'file', false, path);
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
