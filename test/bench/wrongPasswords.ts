import path from 'node:path';
import { DEMO_USER } from '../support/host/platform.ts';
import { TEST_ADMIN_TOKEN } from '../support/server.ts';
import { DIST } from '../support/serverProcess.ts';
import { checkSameWork, cpuOf, median, type Ratio, ratio, rounded, startSubject } from './harness.ts';
import { slower, slowness } from './slowness.ts';

const ROUNDS = 11;
/** Number of attempts per name; too few to lock an account. */
const TRIES = 8;
const KINDS = ['known', 'random', 'unknown'] as const;
type Kind = (typeof KINDS)[number];
/** Milliseconds of processor time of a round, for each kind of username. */
type Times = Readonly<Record<Kind, number>>;

/**
 * Compares the work with which the password grant refuses a wrong password and an unknown username. The times must not reveal which users
 * exist, nor whose password is still the random one of the demo data, which has a hash of a lower cost until it is used.
 */
export async function wrongPasswords(): Promise<Ratio> {
  const slow = slower({ requests: '^ada$', factor: slowness(), by: 'time' });
  const server = await startSubject(
    [...slow, path.join(DIST, 'server.js'), 'serve', '--memory', '--seed', 'demo', '--log-level', 'error'],
    {
      SIGNALBOX_ADMIN_TOKEN: TEST_ADMIN_TOKEN,
    },
  );
  const post = (address: string, body: object): Promise<Response> =>
    fetch(`${server.origin}${address}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  /** Response to wrong passwords and unknown usernames. */
  let expected: string | undefined;
  const refused = async (username: string): Promise<number> => {
    const before = cpuOf(server.child.pid);
    const started = performance.now();
    const body = new URLSearchParams({ grant_type: 'password', username, password: 'not the password' });
    const response = await fetch(`${server.origin}/oauth/token`, { method: 'POST', headers: { 'X-Bench': username }, body });
    const text = await response.text();
    checkSameWork('response', text, (expected ??= text));
    if (response.status !== 400) throw new Error(`a wrong password returned ${response.status}`);
    const after = cpuOf(server.child.pid);
    return before === undefined || after === undefined ? performance.now() - started : (after - before) / 1000;
  };
  try {
    const ada = { username: 'ada', name: 'Ada', email: 'ada@signalbox.example', password: 'a long pass phrase' };
    if ((await post('/api/v4/users', ada)).status !== 201) throw new Error('creating the user failed');
    const rounds: Times[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const times: Record<Kind, number[]> = { known: [], random: [], unknown: [] };
      for (let number = 0; number < TRIES; number += 1) {
        const names = { known: 'ada', random: DEMO_USER.username, unknown: `nobody-${round}-${number}` };
        // The kinds take turns going first.
        for (let turn = 0; turn < KINDS.length; turn += 1) {
          const kind = KINDS[(number + turn) % KINDS.length] ?? 'known';
          times[kind].push(await refused(names[kind]));
        }
      }
      // The clock advances until the failed attempts have expired.
      await (await post('/_local/clock', { advance_seconds: 1_200 })).arrayBuffer();
      // Other work on the machine only adds time.
      rounds.push({ known: Math.min(...times.known), random: Math.min(...times.random), unknown: Math.min(...times.unknown) });
    }
    return worstPair(rounds);
  } finally {
    await server.stop();
  }
}

/** Returns the ratio of the two kinds that differ most over all rounds: the largest of each round would be above 1 by chance alone. */
function worstPair(rounds: readonly Times[]): Ratio {
  const pairs = KINDS.flatMap((longer) => KINDS.filter((kind) => kind !== longer).map((shorter) => ({ longer, shorter })));
  const ratios = pairs.map(({ longer, shorter }) => ({
    name: `${longer} / ${shorter}`,
    rounds: rounds.map((times) => times[longer] / times[shorter]),
  }));
  const [worst] = ratios.toSorted((one, other) => median(other.rounds) - median(one.rounds));
  return ratio(
    `refused sign-in with a password (${worst?.name ?? 'none'})`,
    'processor time, slowest / fastest of: wrong password of a user, of a user whose random password was never used, unknown username',
    worst?.rounds ?? [],
    { atMost: 1.05 },
    Object.fromEntries(KINDS.map((kind) => [`${kind}Milliseconds`, rounded(median(rounds.map((times) => times[kind])))])),
  );
}
