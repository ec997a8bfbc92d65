import assert from 'node:assert/strict';
import { NamePattern } from '../../../server/features/registry/matching.ts';
import { isRepositoryName, isTagName, parseDuration } from '../../../server/features/registry/names.ts';

const HOUR = 3_600_000;

it('durations are parsed in natural notation', () => {
  for (const [text, expected] of [
    ['1h', HOUR],
    ['2d', 48 * HOUR],
    ['1month', 30 * 24 * HOUR],
    ['1 week 3 days', 10 * 24 * HOUR],
    ['90 min', 1.5 * HOUR],
    ['1y', 365.25 * 24 * HOUR],
    ['', undefined],
    ['soon', undefined],
    ['1', undefined],
    ['1 light year', undefined],
    ['-1h', undefined],
  ] as const) {
    assert.equal(parseDuration(text), expected, text);
  }
});

it('repository names are lower-case paths, and tag names have no slashes', () => {
  for (const name of ['', 'lamps', 'lamps/red-7', 'a__b', 'a--b/c.d']) assert.ok(isRepositoryName(name), name);
  for (const name of ['Lamps', '/lamps', 'lamps/', 'a//b', 'a..b', '-a', 'a'.repeat(256)])
    assert.ok(!isRepositoryName(name), name);
  for (const name of ['1.0', 'latest', 'V_1-x', '_']) assert.ok(isTagName(name), name);
  for (const name of ['', '.1', '-a', 'a/b', 'a:b', 'a'.repeat(129)]) assert.ok(!isTagName(name), name);
});

describe('name patterns', () => {
  const names = ['latest', 'v1.0', 'v1.1', 'main-abc', 'Main-abc'];
  it('name patterns match whole names, case-insensitively on request', () => {
    for (const [text, expected] of [
      ['.*', names],
      ['v1', []],
      ['v1\\..', ['v1.0', 'v1.1']],
      ['v1.0|latest', ['latest', 'v1.0']],
      ['\\Amain-[a-z]+\\z', ['main-abc']],
      ['(?i)main-.+', ['main-abc', 'Main-abc']],
    ] as const) {
      assert.deepEqual([...(new NamePattern(text).of(names) ?? [])], expected, text);
    }
  });
  it('name patterns cannot contain lookaround, back references or syntax errors', () => {
    for (const text of ['(?=a)', '(?<!a)b', '(a)\\1', '(?<x>a)\\k<x>', '(', '[', '*']) {
      assert.throws(() => new NamePattern(text), SyntaxError, text);
    }
  });
  it('name patterns are aborted if they take too long', () => {
    assert.equal(new NamePattern('(a+)+b').of(['a'.repeat(100)]), undefined);
  });
});
