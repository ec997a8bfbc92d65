import path from 'node:path';
import { load, median, type Ratio, ratio, rounded, startSubject } from './harness.ts';

const ROUNDS = 9;
const [FEW, MANY] = [10, 300];
const target = '/api/v4/projects';

/** What a request costs among 300 rows of the ledger and among 10: processor time per request. */
export async function routes(): Promise<Ratio> {
  const program = path.join(import.meta.dirname, 'routesServer.ts');
  const many = await startSubject([program, String(MANY)]);
  const few = await startSubject([program, String(FEW)]);
  try {
    const rounds: { readonly many: number; readonly few: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Each goes first in turn, so that a machine that gets slower favours neither.
      const isManyFirst = round % 2 === 0;
      const first = (await load(isManyFirst ? many : few, target, {}, 2)).perRequest;
      const second = (await load(isManyFirst ? few : many, target, {}, 2)).perRequest;
      rounds.push(isManyFirst ? { many: first, few: second } : { many: second, few: first });
    }
    return ratio(
      `a request among ${MANY} routes`,
      `processor time per request, ${MANY} routes / ${FEW}`,
      rounds.map((round) => round.many / round.few),
      { atMost: 1.15 },
      {
        manyMicroseconds: rounded(median(rounds.map((round) => round.many))),
        fewMicroseconds: rounded(median(rounds.map((round) => round.few))),
      },
    );
  } finally {
    await many.stop();
    await few.stop();
  }
}
