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
        `${commit}:a:b.txt\x009${around}before`,
        `${commit}:a:b.txt\x0010${match}match: 1`,
        '--',
        `${commit}:a:b.txt\x0020${match}match`,
        `${commit}:c.txt\x001${match}`,
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
    assert.deepEqual(readExcerpts(`${commit}:a\x001:one\n${commit}:a\x002:tw`, commit), [
      { path: 'a', startLine: 1, text: 'one\n' },
    ]);
  });

  it('with a path that contains a line break does not hide other files', () => {
    assert.deepEqual(readExcerpts(`${commit}:a\nb\x001:one\n${commit}:c\x001:two\n`, commit), [
      { path: 'c', startLine: 1, text: 'two\n' },
    ]);
  });
});
