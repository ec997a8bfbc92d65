import assert from 'node:assert/strict';
import { releaseNames } from '../../../src/errorCode/releaseNames.ts';

const HASH = '0123456789abcdef0123456789abcdef01234567';

describe('names of a release in a repository', () => {
  for (const [release, hashes, tags] of [
    [HASH, [HASH], [HASH, `v${HASH}`]],
    ['f00dcafe', ['f00dcafe'], ['f00dcafe', 'vf00dcafe']],
    ['1.2.3', [], ['1.2.3', 'v1.2.3']],
    ['v1.2.3', [], ['v1.2.3']],
    [`lamps@${HASH}`, [HASH], [`lamps@${HASH}`, `vlamps@${HASH}`, HASH, `v${HASH}`]],
    ['@acme/web@1.2.3', [], ['@acme/web@1.2.3', 'v@acme/web@1.2.3', '1.2.3', 'v1.2.3']],
    [
      'lamps@1.2.3+f00dcafe',
      ['f00dcafe'],
      ['lamps@1.2.3+f00dcafe', 'vlamps@1.2.3+f00dcafe', '1.2.3+f00dcafe', 'v1.2.3+f00dcafe', '1.2.3', 'v1.2.3'],
    ],
    ['v1.2.3-4-gf00dcafe', ['f00dcafe'], ['v1.2.3-4-gf00dcafe']],
    ['', [], []],
    ['x'.repeat(300), [], []],
  ] as const)
    it(`are ${[...hashes, ...tags].join(' ') || 'none'} for ${JSON.stringify(release.slice(0, 50))}`, () => {
      assert.deepEqual(releaseNames(release), { hashes, tags });
    });

  it('are never expressions, options or several lines', () => {
    for (const release of [
      '--output=x',
      'HEAD~3',
      'a:b',
      ':/fix',
      'a..b',
      'x^{/fix}',
      'a b',
      'a\nb',
      '@{u}',
      '/a',
      'a.lock',
      '@',
    ])
      for (const name of releaseNames(release).tags) assert.doesNotMatch(name, /^-|[\s~^:?*[\\]|\.\.|@\{/, release);
  });
});
