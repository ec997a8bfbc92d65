import path from 'node:path';
import Database from 'better-sqlite3';
import { DIST, temporaryFolder } from '../support/serverProcess.ts';
import { checkSameWork, type Limit, median, type Ratio, ratio, rounded, roundsUntilSure } from './harness.ts';
import { slower, slowness } from './slowness.ts';
import { ADMIN_TOKEN, timedStart } from './timedStart.ts';

const MAX_ROUNDS = 61;
const WARM_UP = 2;
const LIMIT: Limit = { atMost: 2 };

/** Who starts the server. A person in a terminal is shown passwords of all users; the extension is not. */
type Starter = 'terminal' | 'extension';

/**
 * Measures the time from spawning the server on a new folder to the end of the first authenticated response: with demo data compared with an
 * empty database, once as a person starts it in a terminal and once as the extension does. Earlier servers have shut down normally, so the
 * compiled code of both sides is cached.
 */
export async function demoStart(): Promise<readonly Ratio[]> {
  return [await startedBy('terminal', 0), await startedBy('extension', 1)];
}

async function startedBy(starter: Starter, position: number): Promise<Ratio> {
  using container = temporaryFolder();
  const filled: number[] = [];
  const empty: number[] = [];
  const pair = async (index: number, signal?: 'SIGTERM'): Promise<number> => {
    const both = [
      async () => filled.push(await timeOfStart('demo', starter, slowness(position), container.path, signal)),
      async () => empty.push(await timeOfStart('none', starter, 1, container.path, signal)),
    ];
    for (const one of index % 2 === 0 ? both : both.toReversed()) await one();
    return (filled.at(-1) ?? Number.NaN) / (empty.at(-1) ?? Number.NaN);
  };
  for (let index = 0; index < WARM_UP; index += 1) await pair(index, 'SIGTERM');
  filled.length = 0;
  empty.length = 0;
  const rounds = await roundsUntilSure(LIMIT, MAX_ROUNDS, pair);
  return ratio(
    `first start with demo data by ${starter === 'terminal' ? 'a person in a terminal' : 'the extension'}`,
    'time to the first authenticated response on a new folder, demo data / empty database',
    rounds,
    LIMIT,
    {
      demoMilliseconds: rounded(median(filled)),
      emptyMilliseconds: rounded(median(empty)),
    },
  );
}

async function timeOfStart(
  seed: 'demo' | 'none',
  starter: Starter,
  factor: number,
  container: string,
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL',
): Promise<number> {
  using folder = temporaryFolder();
  const { milliseconds } = await timedStart({
    args: [
      ...[...slower({ factor }), path.join(DIST, 'server.js'), 'serve', '--data', folder.path, '--seed', seed],
      ...(starter === 'extension' ? ['--stdin-handshake'] : []),
    ],
    env: { HOME: container, ...(starter === 'terminal' ? { SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN } : {}) },
    ...(starter === 'extension' ? { input: `${JSON.stringify({ adminToken: ADMIN_TOKEN })}\n` } : {}),
    target: '/api/v4/projects?per_page=1',
    signal,
  });
  // Without passwords to show, only root has one, which nobody knows.
  const expected = seed === 'none' ? { projects: 0, passwords: 0 } : { projects: 16, passwords: starter === 'terminal' ? 8 : 1 };
  checkSameWork(`projects and passwords with ${seed}`, contentsOf(path.join(folder.path, 'signalbox.sqlite')), expected);
  return milliseconds;
}

function contentsOf(file: string): unknown {
  const database = new Database(file, { readonly: true });
  try {
    return {
      ...database
        .prepare<[], object>(
          'SELECT (SELECT count(*) FROM projects) AS projects, (SELECT count(password_hash) FROM users) AS passwords',
        )
        .get(),
    };
  } finally {
    database.close();
  }
}
