import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { identText, isRefName, isTreePath, pathProblem, readmeAmong, titleOf } from '../../../server/repositories/names.ts';
import { testEnvironment } from '../../support/environment.ts';

/** Invalid branch names, and unusual but valid ones. */
const refs: readonly (readonly [name: string, isFine: boolean])[] = [
  ['main', true],
  ['feature/lamp-7', true],
  ['a;b', true],
  ['$(touch x)', false],
  ['$(touch)', true],
  ['größe', true],
  ['🚦', true],
  ['a'.repeat(250), true],
  ['a'.repeat(251), false],
  ['a/'.repeat(600), false],
  ['', false],
  ['@', false],
  ['HEAD', false],
  ['-x', false],
  ['--upload-pack=touch', false],
  ['refs/heads/main', false],
  ['a..b', false],
  ['a@{1}', false],
  ['a:b', false],
  ['a^', false],
  ['a~1', false],
  ['a b', false],
  ['a\nb', false],
  ['a\u0000b', false],
  ['a\u007f', false],
  ['a//b', false],
  ['/a', false],
  ['a/', false],
  ['.a', false],
  ['a/.b', false],
  ['a.', false],
  ['a.lock', false],
  ['a.lock/b', false],
  ['a*', false],
  ['a?', false],
  ['a[', false],
  ['a\\b', false],
  ['\ud800', false],
  ['0123456789abcdef0123456789abcdef01234567', false],
];

describe('names of repositories', () => {
  for (const [name, isFine] of refs) {
    it(`${JSON.stringify(name.slice(0, 50))} is ${isFine ? 'a valid' : 'an invalid'} branch name`, () => {
      assert.equal(isRefName(name), isFine);
    });
  }

  it('git accepts every name that is considered valid', () => {
    const env = testEnvironment(['git']);
    for (const [name, isFine] of refs) {
      if (isFine) execFileSync('git', ['check-ref-format', `refs/heads/${name}`], { env });
    }
  });

  for (const [path, problem] of [
    ['README.md', undefined],
    ['docs/größe 🚦.md', undefined],
    ['--exec=touch x', undefined],
    [':(glob)*', undefined],
    ['a"b', undefined],
    ['.gitignore', undefined],
    ['.github/x', undefined],
    ['', 'You must provide a file path'],
    ['../x', 'Path cannot include directory traversal'],
    ['a/../b', 'Path cannot include directory traversal'],
    ['a/./b', "invalid path: 'a/./b'"],
    ['a//b', "invalid path: 'a//b'"],
    ['.git/config', "invalid path: '.git/config'"],
    ['a/.GIT/x', "invalid path: 'a/.GIT/x'"],
    ['git~1/x', "invalid path: 'git~1/x'"],
    ['.g\u200cit/x', "invalid path: '.g\u200cit/x'"],
    ['.git ./x', "invalid path: '.git ./x'"],
    ['a\nb', "invalid path: 'a\nb'"],
    ['a\u0000b', "invalid path: 'a\u0000b'"],
    ['a\\b', "invalid path: 'a\\b'"],
    ['\ud800', "invalid path: '\ud800'"],
    ['a/'.repeat(100) + 'b', `invalid path: '${'a/'.repeat(100)}'`],
    ['x'.repeat(4097), `invalid path: '${'x'.repeat(200)}'`],
  ] as const) {
    it(`a file ${JSON.stringify(path.slice(0, 40))} ${problem === undefined ? 'can' : 'cannot'} be written`, () => {
      assert.equal(pathProblem(path), problem);
    });
  }

  it('read paths may contain names written by other programs', () => {
    assert.deepEqual(['a\nb', 'a\\b', '.git', '..', 'a//b', 'a\u0000b'].map(isTreePath), [true, true, true, false, false, false]);
  });

  it('user names cannot break out of their line in a commit', () => {
    assert.equal(identText('Ada <evil>\nparent 0', 'ada'), 'Ada evilparent 0');
    assert.equal(identText(' <> ', 'ada'), 'ada');
    assert.equal(identText('J. R.', 'x'), 'J. R');
  });

  it('the readme is the first existing file by preference', () => {
    assert.equal(readmeAmong(['a', 'readme', 'README.txt', 'Readme.md']), 'Readme.md');
    assert.equal(readmeAmong(['README']), 'README');
    assert.equal(readmeAmong(['readme.exe']), undefined);
  });

  it('the title is the first line that is not empty', () => {
    assert.equal(titleOf('\n One lamp \nmore'), 'One lamp');
    assert.equal(titleOf(''), '');
  });
});
