import path from 'node:path';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { checkSameWork, type Limit, median, type Ratio, ratio, rounded, roundsUntilSure } from './harness.ts';
import { slower, slowness } from './slowness.ts';
import { ADMIN_TOKEN, timedStart } from './timedStart.ts';

const MAX_ROUNDS = 61;
const WARM_UP = 2;
const LIMIT: Limit = { atMost: 2 };
const bare = path.join(import.meta.dirname, 'bareStart.mjs');

/**
 * Measures the time from spawning the server to the end of the first authenticated response, compared with a bare node:http process that
 * does no work. An earlier server has responded to requests and shut down normally, so the compiled code is cached as in normal use.
 */
export async function coldStart(): Promise<Ratio> {
  using folder = temporaryFolder();
  const env = { SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN, HOME: folder.path };
  const args = [
    ...slower({ factor: slowness() }),
    path.join(DIST, 'server.js'),
    'serve',
    '--data',
    path.join(folder.path, 'data'),
    '--log-level',
    'error',
  ];
  const target = '/api/v4/user';
  await timedStart({ args: [...args, '--seed', 'demo'], env, target, signal: 'SIGTERM' });

  const server: number[] = [];
  const base: number[] = [];
  const pair = async (index: number): Promise<number> => {
    const both = [async () => server.push(await timeOf(args, env, target)), async () => base.push(await timeOf([bare], {}, '/'))];
    for (const one of index % 2 === 0 ? both : both.toReversed()) await one();
    return (server.at(-1) ?? Number.NaN) / (base.at(-1) ?? Number.NaN);
  };
  for (let index = 0; index < WARM_UP; index += 1) await pair(index);
  server.length = 0;
  base.length = 0;
  const rounds = await roundsUntilSure(LIMIT, MAX_ROUNDS, pair);
  return ratio('cold start', 'time to the first authenticated response, server / bare node process', rounds, LIMIT, {
    serverMilliseconds: rounded(median(server)),
    bareMilliseconds: rounded(median(base)),
  });
}

/** Returns the time until a process has sent the user with id 1. */
async function timeOf(args: readonly string[], env: Readonly<Record<string, string>>, target: string): Promise<number> {
  const { milliseconds, body } = await timedStart({ args, env, target });
  checkSameWork('id of the user in the response', typeof body === 'object' && body !== null ? Reflect.get(body, 'id') : body, 1);
  return milliseconds;
}
