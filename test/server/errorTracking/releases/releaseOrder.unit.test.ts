import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  ageOf,
  commitCandidates,
  compareReleases,
  newestReleases,
  shortVersion,
} from '../../../../server/features/errorTracking/releases/releaseOrder.ts';

describe('the order of releases', () => {
  // SemVer 2.0.0 §11, and other formats of SDKs.
  const ascending = [
    ['1.0.0-alpha', '1.0.0-alpha.1', '1.0.0-alpha.beta', '1.0.0-beta', '1.0.0-beta.2', '1.0.0-beta.11', '1.0.0-rc.1', '1.0.0'],
    ['1.2.3', '1.2.4', '1.10.0', '2.0.0', '10.0'],
    ['1', '1.0.0.1', '1.1', '2'],
    ['shop@1.2.3', 'shop@1.2.4', 'shop@1.3.0-rc.1', 'shop@1.3.0'],
    ['@acme/shop@1.9.0', '@acme/shop@1.10.0'],
    ['v1.2.3', '1.2.4', 'v1.2.5'],
    ['shop@v1.2.3', 'shop@1.2.4'],
    ['1.2.3+9', '1.2.3+10', '1.2.4+1'],
    [
      '2025-12-31',
      '2026-01-01',
      '2026.1.2',
      '20260103',
      '2026-01-03T10:00:00Z',
      '2026-01-03T10:00:01Z',
      '2026.01.04-1',
      '2026.01.04-2',
    ],
    ['1.9.0', '2024.1.0', '2024.1.5', '2024.13.1', '2025.1'],
    ['20260102030405', '20260102030406'],
    ['41', '42', '1767312000'],
    ['v1.2.3', 'v1.2.3-4-g3f2a9c1', 'v1.2.3-10-g99ab12c-dirty', 'v1.2.4'],
  ] as const;
  for (const list of ascending) {
    it(list.join(' < '), () => {
      for (const [at, one] of list.entries()) {
        for (const [location, other] of list.entries()) {
          assert.equal(Math.sign(compareReleases(one, other) ?? Number.NaN), Math.sign(at - location), `${one} to ${other}`);
        }
      }
    });
  }

  it('different notations of a version are equal', () => {
    for (const [one, other] of [
      ['1.2.0', '1.2'],
      ['v1.2.3', '1.2.3'],
      ['shop@1.2.3', 'shop@v1.2.3'],
      ['2026-01-02', '2026.1.2'],
    ] as const) {
      assert.equal(compareReleases(one, other), 0);
    }
  });

  it('commits, other applications, builds without numbers, words, and a version and a date have no order', () => {
    for (const [one, other] of [
      ['3f2a9c1', '99ab12c'],
      ['3f2a9c1b3f2a9c1b3f2a9c1b3f2a9c1b3f2a9c1b', '1.2.3'],
      ['1234567', '7654321'],
      ['shop@3f2a9c1', 'shop@99ab12c'],
      ['shop@1.2.3', 'cart@1.2.4'],
      ['shop@1.2.3', '1.2.4'],
      ['@acme/shop@1.2.3', 'shop@1.2.4'],
      ['1.2.3+3f2a9c1', '1.2.3+99ab12c'],
      ['1.2.3+1', '1.2.3'],
      ['2026-01-02', '1.2.3'],
      ['latest', 'stable'],
      ['2026-13-02', '2026-01-02'],
      ['', '1.0.0'],
      [`1.2.${'3'.repeat(300)}`, '1.2.3'],
    ] as const) {
      assert.equal(compareReleases(one, other), undefined, `${one} to ${other}`);
    }
  });

  it('the newest releases are the last in order of each application, or else the last that was seen', () => {
    assert.deepEqual(newestReleases(['1.0', '1.2', '1.1']), ['1.2']);
    assert.deepEqual(newestReleases(['3f2a9c1', '99ab12c']), ['99ab12c']);
    assert.deepEqual(newestReleases(['web@2.0', 'api@1.0', 'web@1.9', '7', 'api@1.1', '6']), ['web@2.0', '7', 'api@1.1']);
    assert.deepEqual(newestReleases(['v1.2.0', '1.2']), ['v1.2.0']);
    assert.deepEqual(newestReleases([]), []);
  });

  const commits = ['0805334f1111222233334444555566667777888a', 'f42a9c10aa11bb22cc33dd44ee55ff6677889900'] as const;
  for (const [release, baselines, age] of [
    ['1.2.0', ['1.2.0'], 'same_or_older'],
    ['1.1.9', ['1.2.0'], 'same_or_older'],
    ['v1.2.0', ['1.2.0'], 'same_or_older'],
    ['1.2.1', ['1.2.0'], 'newer'],
    ['1.2.0-rc.1', ['1.2.0'], 'same_or_older'],
    ['3.25.47.22', ['3.25.47.21'], 'newer'],
    ['web@1.9', ['web@2.0', 'api@1.0'], 'same_or_older'],
    ['api@1.1', ['web@2.0', 'api@1.0'], 'newer'],
    // Nothing is known about other applications, or about a release without a name.
    ['cart@0.1', ['web@2.0', 'api@1.0'], 'unknown'],
    ['0.1', ['web@2.0'], 'unknown'],
    ['web@0.1', ['2.0'], 'unknown'],
    [undefined, ['2.0'], 'unknown'],
    ['1.0', [], 'unknown'],
    // An equal text is the same release, whatever its form.
    ['nightly build', ['nightly build'], 'same_or_older'],
    ['nightly', ['stable'], 'unknown'],
    ['1.2.0', ['2026-01-02'], 'unknown'],
    [commits[0], ['1.2.0'], 'unknown'],
    ['1.2.0', [commits[0]], 'unknown'],
    [commits[0], [commits[0]], 'same_or_older'],
    [commits[0], [commits[1]], 'repository'],
    [commits[0].slice(0, 8), [commits[1].slice(0, 12)], 'repository'],
    [`shop@${commits[0]}`, [`shop@${commits[1]}`], 'repository'],
    [`1.2.0+${commits[0]}`, [`1.2.0+${commits[1]}`], 'repository'],
    [`shop@${commits[0]}`, [commits[1]], 'unknown'],
  ] as const) {
    it(`${release ?? 'an event without a release'} is ${age} to ${baselines.join(' and ') || 'none'}`, () => {
      assert.equal(ageOf(release, baselines), age);
    });
  }

  it('the order of any two releases is antisymmetric', () => {
    const release = fc.oneof(
      fc.string({ unit: fc.constantFrom('1', '0', '9', '.', '-', '+', '@', 'a', 'f', 'v', 'T'), maxLength: 14 }),
      fc.string(),
    );
    fc.assert(
      fc.property(release, release, release, (one, other, third) => {
        const order = compareReleases(one, other);
        const back = compareReleases(other, one);
        assert.equal(
          order === undefined ? undefined : Math.sign(order) + 0,
          back === undefined ? undefined : 0 - Math.sign(back),
        );
        const next = compareReleases(other, third);
        const across = compareReleases(one, third);
        if (order !== undefined && next !== undefined && across !== undefined && order < 0 && next < 0) assert.ok(across < 0);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the commit of a release', () => {
  const id = '3f2a9c1b3f2a9c1b3f2a9c1b3f2a9c1b3f2a9c1b';
  for (const [release, expected] of [
    [id, [`commit ${id}`]],
    [id.toUpperCase(), [`commit ${id}`]],
    ['3f2a9c1', ['prefix 3f2a9c1']],
    ['3f2a9c', ['tag 3f2a9c']],
    [`shop@${id}`, [`commit ${id}`, `tag shop@${id}`]],
    ['shop@1.2.3+3f2a9c1', ['prefix 3f2a9c1', 'tag shop@1.2.3+3f2a9c1', 'tag shop@1.2.3', 'tag 1.2.3', 'tag v1.2.3']],
    ['1.2.3+45.3f2a9c1', ['prefix 3f2a9c1', 'tag 1.2.3+45.3f2a9c1', 'tag 1.2.3', 'tag v1.2.3']],
    ['1.2.3', ['tag 1.2.3', 'tag v1.2.3']],
    ['v1.2.3', ['tag v1.2.3', 'tag 1.2.3']],
    ['@acme/shop@1.2.3', ['tag @acme/shop@1.2.3', 'tag 1.2.3', 'tag v1.2.3']],
    ['v1.2.3-4-g3f2a9c1-dirty', ['prefix 3f2a9c1', 'tag v1.2.3-4-g3f2a9c1-dirty', 'tag 1.2.3-4-g3f2a9c1-dirty']],
    ['stable', ['tag stable']],
    [' ', []],
    ['x'.repeat(251), []],
  ] as const) {
    it(`${release.trim().slice(0, 60) || 'blank'}: ${expected.length === 0 ? 'none' : expected.join(', ').slice(0, 80)}`, () => {
      assert.deepEqual(
        commitCandidates(release).map(({ kind, ref }) => `${kind} ${ref}`),
        expected,
      );
    });
  }

  for (const [release, short] of [
    ['shop-frontend@1.2.3+45', '1.2.3'],
    ['@scope/shop@1.2.3-rc.1', '1.2.3-rc.1'],
    ['v1.2.3', 'v1.2.3'],
    ['0123456789abcdef0123456789abcdef01234567', '0123456789ab'],
    ['shop@0123456789abcdef0123456789abcdef01234567', '0123456789ab'],
    ['2026-01-02', '2026-01-02'],
    ['shop@', 'shop@'],
    ['', ''],
  ] as const) {
    it(`${release || 'blank'} is ${short || 'blank'} for short`, () => {
      assert.equal(shortVersion(release), short);
    });
  }
});
