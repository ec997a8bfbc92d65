import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { packageFolder, thirdPartyNotices } from '../../scripts/notices.ts';

describe('the third-party notices', () => {
  let root: string;

  beforeEach(() => {
    root = mkdtempSync(path.join(os.tmpdir(), 'signalbox-notices-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  function install(folder: string, manifest: object, files: Readonly<Record<string, string>> = {}): void {
    mkdirSync(path.join(root, folder), { recursive: true });
    writeFileSync(path.join(root, folder, 'package.json'), JSON.stringify(manifest));
    for (const [name, text] of Object.entries(files)) writeFileSync(path.join(root, folder, name), text);
  }

  it('name the innermost package of a bundled file', () => {
    assert.equal(packageFolder('node_modules/koa/node_modules/@x/mime/lib/a/b.js'), 'node_modules/koa/node_modules/@x/mime');
    assert.equal(packageFolder('server/main.ts'), undefined);
  });

  it('list each package once, sorted, with its licence text', () => {
    install('node_modules/b', { name: 'b', version: '2.0.0', license: 'ISC' }, { LICENSE: 'Text of b  \r\n' });
    install('node_modules/@a/a', { name: '@a/a', version: '1.0.0', license: 'MIT OR GPL-3.0' }, { 'LICENCE.md': 'Text of a' });
    const notices = thirdPartyNotices(root, [
      'server/main.ts',
      'node_modules/b/1.js',
      'node_modules/@a/a/2.js',
      'node_modules/b/3.js',
    ]);
    assert.match(notices, /^ {2}@a\/a 1\.0\.0 \(MIT OR GPL-3\.0\)\n {2}b 2\.0\.0 \(ISC\)$/m);
    assert.equal(notices.match(/^Text of b$/gm)?.length, 1);
    assert.ok(notices.indexOf('Text of a') < notices.indexOf('Text of b'));
  });

  it('quote the standard text for an MIT package without one', () => {
    install('node_modules/c', { name: 'c', version: '1.0.0', license: 'MIT', author: { name: 'Ann' } });
    assert.match(thirdPartyNotices(root, ['node_modules/c/index.js']), /Copyright \(c\) Ann\n\nPermission is hereby granted/);
  });

  it('reject a licence that does not allow bundling', () => {
    install('node_modules/d', { name: 'd', version: '1.0.0', license: 'GPL-3.0-only' }, { LICENSE: 'GPL' });
    assert.throws(
      () => thirdPartyNotices(root, ['node_modules/d/index.js']),
      /licence of d 1\.0\.0 \(GPL-3\.0-only\) does not allow bundling/,
    );
  });

  it('reject a package without a licence, and one without a licence text', () => {
    install('node_modules/e', { name: 'e', version: '1.0.0' });
    assert.throws(() => thirdPartyNotices(root, ['node_modules/e/index.js']), /licence of e 1\.0\.0 \(none stated\)/);
    install('node_modules/f', { name: 'f', version: '1.0.0', license: 'BSD-3-Clause' });
    assert.throws(
      () => thirdPartyNotices(root, ['node_modules/f/index.js']),
      /f 1\.0\.0 \(BSD-3-Clause\) includes no licence text/,
    );
  });

  it('reject a package of which npm runs an install script, also one that is only built', () => {
    const about = { name: 'g', version: '1.0.0', license: 'MIT' };
    const files = { LICENSE: 'Text of g' };
    const noticesOf = (manifest: object, more: Readonly<Record<string, string>> = {}): string => {
      install('node_modules/g', { ...about, ...manifest }, { ...files, ...more });
      return thirdPartyNotices(root, ['node_modules/g/index.js']);
    };
    for (const script of ['preinstall', 'install', 'postinstall'])
      assert.throws(() => noticesOf({ scripts: { [script]: 'node fetch.js' } }), /npm runs an install script of g 1\.0\.0/);
    assert.match(noticesOf({ scripts: { test: 'mocha', prepare: 'tsc' } }), /Text of g/);
    assert.throws(() => noticesOf({}, { 'binding.gyp': '{}' }), /npm runs an install script of g 1\.0\.0/);
    assert.match(noticesOf({ gypfile: false }), /Text of g/);
  });
});
