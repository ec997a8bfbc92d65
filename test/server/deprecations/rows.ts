import { compareReleases, type Release } from '../../../src/contract/releases.ts';
import { type DeprecationId, deprecationIds, deprecationOf } from '../../../src/contract/deprecations.ts';
import { releases } from '../../../server/core/profile.ts';
import { sampleOf } from '../../support/sample.ts';
import { startTestServer } from '../../support/server.ts';
import { profiles, scenarios } from './scenarios.ts';
import type { Phase } from './stage.ts';

/** Returns the releases that stand for the phases of a row: the last one before each change, and the first one after it. */
function stagesOf(id: DeprecationId): readonly (readonly [Phase, Release])[] {
  const { announcedIn, removedIn } = deprecationOf(id);
  const stages: (readonly [Phase, Release | undefined])[] = [
    ['before', preceding(announcedIn)],
    ['between', announcedIn],
    ...(removedIn === undefined
      ? []
      : ([
          ['between', preceding(removedIn)],
          ['after', removedIn],
        ] as const)),
    [removedIn === undefined ? 'between' : 'after', '20.0'],
  ];
  const known = new Map<Release, Phase>();
  for (const [phase, release] of stages) if (release !== undefined) known.set(release, phase);
  return [...known].map(([release, phase]) => [phase, release]);
}

function preceding(release: Release): Release | undefined {
  return releases.findLast((one) => compareReleases(one, release) < 0);
}

/** Declares tests of each row of the registry, in all releases that stand for its phases or in `stages` of them. */
export function describeRows({ stages = Number.POSITIVE_INFINITY }: { readonly stages?: number } = {}): void {
  describe('phases of announced deprecations', () => {
    for (const id of deprecationIds) {
      const scenario = scenarios[id];
      if (scenario === undefined) continue;
      for (const [phase, release] of sampleOf(`releases of ${id}`, stagesOf(id), stages)) {
        it(`${id} behaves in release ${release} as ${phase === 'between' ? 'announced' : `${phase} the ${phase === 'before' ? 'announcement' : 'removal'}`}`, async () => {
          await using server = await startTestServer({ profile: { ...profiles[id], release } });
          await scenario({ server, phase, release });
        });
      }
    }
  });
}
