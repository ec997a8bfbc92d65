import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  commitCandidates,
  compareReleases,
  newestRelease,
  releaseOrder,
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
    ['v1.2.3', '1.2.4', 'shop@1.2.5', 'v1.2.6'],
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
      ['shop@1.2.3', '1.2.3'],
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

  it('releases without an order are ordered by the time when they were first seen', () => {
    const at = (name: string, firstSeenAt: number): { name: string; firstSeenAt: number } => ({ name, firstSeenAt });
    assert.equal(releaseOrder(at('3f2a9c1', 2), at('99ab12c', 1)), 'newer');
    assert.equal(releaseOrder(at('3f2a9c1', 1), at('99ab12c', 2)), 'older');
    assert.equal(releaseOrder(at('3f2a9c1', 1), at('99ab12c', 1)), 'unknown');
    assert.equal(releaseOrder(at('3f2a9c1', 1), at('3f2a9c1', 9)), 'same');
    assert.equal(releaseOrder(at('1.2.3', 9), at('1.2.4', 1)), 'older');
    assert.equal(releaseOrder(at('v1.2.3', 9), at('1.2.3', 1)), 'same');
    assert.equal(releaseOrder(undefined, at('1.2.3', 1)), 'unknown');
    assert.equal(releaseOrder(at('1.2.3', 1), undefined), 'unknown');
  });

  it('the newest release is the last in order, even if an older one is seen later', () => {
    const releases = (...names: string[]): { name: string; firstSeenAt: number }[] =>
      names.map((name, at) => ({ name, firstSeenAt: at }));
    assert.equal(newestRelease(releases('1.0', '1.2', '1.1'))?.name, '1.2');
    assert.equal(newestRelease(releases('1.0', '1.2', '1.1').toReversed())?.name, '1.2');
    assert.equal(newestRelease(releases('3f2a9c1', '99ab12c'))?.name, '99ab12c');
    assert.equal(newestRelease([]), undefined);
  });

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
