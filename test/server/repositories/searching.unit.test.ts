import assert from 'node:assert/strict';
import { readExcerpts } from '../../../server/repositories/searching.ts';

const commit = 'a'.repeat(40);

describe('the output of git grep', () => {
  for (const [version, match, around] of [
    ['that end numbers with zero bytes', '\0', '\0'],
    ['that mark matches', ':', '-'],
  ] as const) {
    it(`is read from versions ${version}`, () => {
      const output = [
        `${commit}:a:b.txt\0${9}${around}before`,
        `${commit}:a:b.txt\0${10}${match}match: 1`,
        '--',
        `${commit}:a:b.txt\0${20}${match}match`,
        `${commit}:c.txt\0${1}${match}`,
        '',
      ].join('\n');
      assert.deepEqual(readExcerpts(output, commit), [
        { path: 'a:b.txt', startLine: 9, text: 'before\nmatch: 1\n' },
        { path: 'a:b.txt', startLine: 20, text: 'match\n' },
        { path: 'c.txt', startLine: 1, text: '\n' },
      ]);
    });
  }

  it('that was cut off ends with its last complete line', () => {
    assert.deepEqual(readExcerpts(`${commit}:a\0${1}:one\n${commit}:a\0${2}:tw`, commit), [
      { path: 'a', startLine: 1, text: 'one\n' },
    ]);
  });

  it('with a path that contains a line break does not hide other files', () => {
    assert.deepEqual(readExcerpts(`${commit}:a\nb\0${1}:one\n${commit}:c\0${1}:two\n`, commit), [
      { path: 'c', startLine: 1, text: 'two\n' },
    ]);
  });
});
