import assert from 'node:assert/strict';
import { matches } from '../../../server/features/protectedRefs/manageProtectedRefs.ts';

describe('names of protected branches and tags', () => {
  for (const [pattern, name, expected] of [
    ['main', 'main', true],
    ['main', 'Main', false],
    ['main', 'mains', false],
    ['*', 'any/name', true],
    ['release/*', 'release/', true],
    ['release/*', 'release/1/2', true],
    ['release/*', 'released', false],
    ['*-stable', '1-stable', true],
    ['*-stable', '1-stables', false],
    ['a*a', 'a', false],
    ['a*b*c', 'axbxc', true],
    ['a*b*c', 'axc', false],
    ['a*bc*c', 'abc', false],
    ['v*.*', 'v1.2', true],
    ['v*.*', 'v12', false],
    ['.*', 'main', false],
  ] as const) {
    it(`${pattern} ${expected ? 'matches' : 'does not match'} ${name}`, () => {
      assert.equal(matches(pattern, name), expected);
    });
  }

  it('a name with many wildcards is matched at once', () => {
    assert.equal(matches('*a'.repeat(120), `${'a'.repeat(200)}b`), false);
  });
});
