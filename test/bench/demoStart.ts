import path from 'node:path';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { type Limit, median, type Ratio, ratio, rounded, roundsUntilSure } from './harness.ts';
import { ADMIN_TOKEN, timedStart } from './timedStart.ts';

const MAX_ROUNDS = 61;
const WARM_UP = 2;
const LIMIT: Limit = { atMost: 2 };

/**
 * Measures the time from spawning the server on a new folder, as the extension does, to the end of the first authenticated response: with
 * demo data compared with an empty database. Earlier servers have shut down normally, so the compiled code of both sides is cached.
 */
export async function demoStart(): Promise<Ratio> {
  using container = temporaryFolder();
  const filled: number[] = [];
  const empty: number[] = [];
  const pair = async (index: number, signal?: 'SIGTERM'): Promise<number> => {
    const both = [
      async () => filled.push(await timeOfStart('demo', container.path, signal)),
      async () => empty.push(await timeOfStart('none', container.path, signal)),
    ];
    for (const one of index % 2 === 0 ? both : both.toReversed()) await one();
    return (filled.at(-1) ?? Number.NaN) / (empty.at(-1) ?? Number.NaN);
  };
  for (let index = 0; index < WARM_UP; index += 1) await pair(index, 'SIGTERM');
  filled.length = 0;
  empty.length = 0;
  const rounds = await roundsUntilSure(LIMIT, MAX_ROUNDS, pair);
  return ratio(
    'first start with demo data',
    'time to the first authenticated response on a new folder, demo data / empty database',
    rounds,
    LIMIT,
    {
      demoMilliseconds: rounded(median(filled)),
      emptyMilliseconds: rounded(median(empty)),
    },
  );
}

async function timeOfStart(seed: 'demo' | 'none', container: string, signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL'): Promise<number> {
  using folder = temporaryFolder();
  const { milliseconds, body } = await timedStart({
    args: [path.join(DIST, 'server.js'), 'serve', '--data', folder.path, '--seed', seed, '--stdin-handshake'],
    env: { HOME: container },
    input: `${JSON.stringify({ adminToken: ADMIN_TOKEN })}\n`,
    target: '/api/v4/projects?per_page=1',
    signal,
  });
  const projects = Array.isArray(body) ? body.length : undefined;
  if (projects !== (seed === 'demo' ? 1 : 0)) throw new Error(`the server started with ${seed} has ${projects} projects`);
  return milliseconds;
}
