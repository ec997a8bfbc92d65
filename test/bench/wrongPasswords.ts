import path from 'node:path';
import { DEMO_USER } from '../support/host/platform.ts';
import { TEST_ADMIN_TOKEN } from '../support/server.ts';
import { DIST } from '../support/serverProcess.ts';
import { checkSameWork, cpuOf, median, type Ratio, ratio, rounded, startSubject } from './harness.ts';
import { slower, slowness } from './slowness.ts';

const ROUNDS = 7;
/** Number of attempts per name; too few to lock an account. */
const TRIES = 8;

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
    const kinds = ['known', 'random', 'unknown'] as const;
    const middles = kinds.map((): number[] => []);
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const times = kinds.map((): number[] => []);
      for (let number = 0; number < TRIES; number += 1) {
        for (const [index, name] of ['ada', DEMO_USER.username, `nobody-${round}-${number}`].entries())
          times[index]?.push(await refused(name));
      }
      // The clock advances until the failed attempts have expired.
      await (await post('/_local/clock', { advance_seconds: 1_200 })).arrayBuffer();
      const ofRound = times.map(median);
      rounds.push(Math.max(...ofRound) / Math.min(...ofRound));
      for (const [index, middle] of ofRound.entries()) middles[index]?.push(middle);
    }
    return ratio(
      'refused sign-in with a password',
      'processor time, slowest / fastest of: wrong password of a user, of a user whose random password was never used, unknown username',
      rounds,
      { atMost: 1.05 },
      Object.fromEntries(kinds.map((kind, index) => [`${kind}Milliseconds`, rounded(median(middles[index] ?? []))])),
    );
  } finally {
    await server.stop();
  }
}
