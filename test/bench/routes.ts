import path from 'node:path';
import { checkSameWork, type Limit, load, median, type Ratio, ratio, rounded, roundsUntilSure, startSubject } from './harness.ts';
import { slower, slowness } from './slowness.ts';

const MAX_ROUNDS = 41;
const LIMIT: Limit = { atMost: 1.08 };
/** Length of a measurement. In less time a busy machine handles so few requests that single garbage collections decide the result. */
const SECONDS = 2;
/** Warm-up, until the code is compiled. */
const WARM_UP_SECONDS = 6;
const [FEW, MANY] = [10, 300];
const target = '/api/v4/projects';

/** Compares the processor time of a request to a server with 300 routes and to one with 10 routes. */
export async function routes(): Promise<Ratio> {
  const program = path.join(import.meta.dirname, 'routesServer.ts');
  const many = await startSubject([...slower({ factor: slowness() }), program, String(MANY)]);
  const few = await startSubject([program, String(FEW)]);
  try {
    const bodies = await Promise.all([many, few].map(async ({ origin }) => (await fetch(`${origin}${target}`)).text()));
    checkSameWork('response', bodies[0], bodies[1]);
    for (const one of [many, few]) await load(one, target, {}, WARM_UP_SECONDS);
    const costs: { readonly many: number; readonly few: number }[] = [];
    const rounds = await roundsUntilSure(LIMIT, MAX_ROUNDS, async (index) => {
      // The sides take turns going first, so a machine that gets slower favours neither.
      const isManyFirst = index % 2 === 0;
      const first = (await load(isManyFirst ? many : few, target, {}, SECONDS)).perRequest;
      const second = (await load(isManyFirst ? few : many, target, {}, SECONDS)).perRequest;
      const cost = isManyFirst ? { many: first, few: second } : { many: second, few: first };
      costs.push(cost);
      return cost.many / cost.few;
    });
    return ratio(`routing among ${MANY} routes`, `processor time per request, ${MANY} routes / ${FEW} routes`, rounds, LIMIT, {
      manyMicroseconds: rounded(median(costs.map((cost) => cost.many))),
      fewMicroseconds: rounded(median(costs.map((cost) => cost.few))),
    });
  } finally {
    await many.stop();
    await few.stop();
  }
}
