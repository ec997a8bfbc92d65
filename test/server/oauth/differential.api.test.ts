import assert from 'node:assert/strict';
import { agreements } from './differentialAgreements.ts';
import { differences } from './differentialDifferences.ts';
import type { SharedClient } from './differentialOracle.ts';
import { type ClientName, openStage, type Side, type Stage } from './differentialStage.ts';
import { openScene, type Seen, type Step } from './differentialSteps.ts';

/** Runs the same conversations with the local server and with oidc-provider. */
describe('the local server compared with oidc-provider', () => {
  let stage: Stage;
  before(async () => {
    stage = await openStage();
  });
  after(() => stage.close());

  for (const [subject, conversations] of Object.entries(agreements)) {
    describe(subject, () => {
      for (const { name, lines } of conversations) {
        it(`the local server and oidc-provider agree about ${subject}: ${name}`, async () => {
          const { local, oracle } = await playBoth(lines.map(([step]) => step));
          const expected = lines.map(([, summary]) => summary);
          assert.deepEqual({ local: summaries(local), oracle: summaries(oracle) }, { local: expected, oracle: expected });
          assert.deepEqual(metadata(local), metadata(oracle));
        });
      }
    });
  }

  describe('intended differences', () => {
    for (const { name, because, lines } of differences) {
      it(`unlike with oidc-provider, ${name} (${because})`, async () => {
        const { local, oracle } = await playBoth(lines.map(([step]) => step));
        assert.deepEqual(
          { local: summaries(local), oracle: summaries(oracle) },
          { local: lines.map(([, summary]) => summary), oracle: lines.map(([, summary, other = summary]) => other) },
        );
        assert.notDeepEqual(summaries(local), summaries(oracle));
      });
    }
  });

  async function playBoth(steps: readonly Step[]) {
    const client = stage.cast();
    return { local: await play(stage.local, client, steps), oracle: await play(stage.oracle, client, steps) };
  }
});

async function play(side: Side, client: (name: ClientName) => SharedClient, steps: readonly Step[]): Promise<readonly Seen[]> {
  const scene = openScene(side, client);
  const seen: Seen[] = [];
  for (const step of steps) seen.push(await step(scene));
  return seen;
}

function summaries(seen: readonly Seen[]): readonly string[] {
  return seen.map(({ summary }) => summary);
}

function metadata(seen: readonly Seen[]): readonly unknown[] {
  return seen.map((one) => one.metadata);
}
