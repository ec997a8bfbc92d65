import assert from 'node:assert/strict';
import { deflateRawSync } from 'node:zlib';
import { MAX_PACKAGE_BYTES, packageProblems } from '../../scripts/packageContents.ts';
import { readZip } from '../../scripts/zip.ts';

/** Texts of a package without problems. */
const complete: Readonly<Record<string, string>> = {
  'extension.vsixmanifest': '<Identity Id="signalbox" TargetPlatform="linux-x64"/>',
  'extension/readme.md': '# Signalbox\n\n[Manual](docs/extension.md) [Changes](changelog.md#010) [License](LICENSE.txt)\n',
  'extension/changelog.md': '# Changelog\n\n## 0.1.0\n',
  'extension/docs/extension.md': '# Using\n\n[Start](../readme.md)\n',
  ...Object.fromEntries(
    [
      'package.json',
      'package.nls.json',
      'package.nls.de.json',
      'LICENSE.txt',
      'THIRD_PARTY_NOTICES',
      'extension.js',
      'app.js',
      'server.js',
      'running.js',
      'demo.data',
      'openapi.json.br',
      'seed.schema.json',
      'media/icon.png',
      'media/l10n/bundle.l10n.de.json',
      'docs/local-server.md',
      'native/linux-x64.node',
    ].map((name) => [`extension/${name}`, '']),
  ),
};

function problemsOf(texts: Readonly<Record<string, string>>, size = 1): readonly string[] {
  return packageProblems(new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)])), size, 'linux-x64');
}

describe('the contents of a package', () => {
  it('the contents of a package can be complete', () => {
    assert.deepEqual(problemsOf(complete), []);
  });

  it('the contents of a package must not be too large or for another platform', () => {
    assert.deepEqual(problemsOf(complete, MAX_PACKAGE_BYTES), []);
    assert.match(problemsOf(complete, MAX_PACKAGE_BYTES + 1).join(), /^the package has 4194305 bytes/);
    assert.deepEqual(problemsOf({ ...complete, 'extension.vsixmanifest': '<Identity TargetPlatform="linux-arm64"/>' }), [
      'the package is not for linux-x64',
    ]);
  });

  it('the contents of a package include the notices and the binary of the platform', () => {
    for (const name of ['THIRD_PARTY_NOTICES', 'native/linux-x64.node']) {
      const { [`extension/${name}`]: _, ...others } = complete;
      assert.deepEqual(problemsOf(others), [`${name} is missing`]);
    }
  });

  for (const name of [
    'native/linux-arm64.node',
    'app.js.map',
    'src/extension.ts',
    'test/server/labels/labels.api.test.ts',
    'node_modules/koa/package.json',
    'media/demo-workspace/greet.js',
    '.env',
  ]) {
    it(`the contents of a package do not include ${name}`, () => {
      assert.deepEqual(problemsOf({ ...complete, [`extension/${name}`]: '' }), [`${name} does not belong into the package`]);
    });
  }

  it('the contents of a package include everything that its documents link to, and no pages about the sources', () => {
    assert.deepEqual(
      problemsOf({
        ...complete,
        'extension/readme.md': '[License](LICENSE) ![Picture](media/screenshot.png)',
        'extension/docs/contributing.md': 'Commands',
      }),
      [
        'docs/contributing.md does not belong into the package',
        'readme.md:1: the link LICENSE leads nowhere: there is no LICENSE',
        'readme.md:1: the link media/screenshot.png leads nowhere: there is no media/screenshot.png',
      ],
    );
  });

  it('the contents of a package are read from stored and compressed files of its archive', () => {
    const archive = zip([
      ['a/stored', Buffer.from('one'), 0],
      ['a/compressed', deflateRawSync('two'), 8],
    ]);
    const files = [...readZip(archive)].map(([name, bytes]) => [name, bytes.toString()]);
    assert.deepEqual(files, [
      ['a/stored', 'one'],
      ['a/compressed', 'two'],
    ]);
    assert.throws(() => readZip(Buffer.from('no archive')), /not a zip archive/);
  });
});

/** Returns a zip archive of files with a name, the bytes as they are in the archive, and their compression method. */
function zip(files: readonly (readonly [name: string, bytes: Buffer, method: number])[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, bytes, method] of files) {
    const header = Buffer.alloc(30);
    header.writeUInt32LE(0x04034b50, 0);
    header.writeUInt16LE(name.length, 26);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(bytes.length, 20);
    entry.writeUInt16LE(name.length, 28);
    entry.writeUInt32LE(offset, 42);
    parts.push(header, Buffer.from(name), bytes);
    directory.push(entry, Buffer.from(name));
    offset += 30 + name.length + bytes.length;
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...parts, ...directory, end]);
}
