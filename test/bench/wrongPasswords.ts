import path from 'node:path';
import { TEST_ADMIN_TOKEN } from '../support/server.ts';
import { DIST } from '../support/serverProcess.ts';
import { checkSameWork, median, type Ratio, ratio, rounded, startSubject } from './harness.ts';
import { slower, slowness } from './slowness.ts';

const ROUNDS = 7;
/** Response to wrong passwords and unknown usernames. */
const REFUSED = {};
/** Number of attempts per name; too few to lock an account. */
const TRIES = 8;

/**
 * Compares how long the password grant takes to refuse a wrong password and an unknown username. The times must not reveal which users
 * exist.
 */
export async function wrongPasswords(): Promise<Ratio> {
  const slow = slower({ requests: '^ada$', factor: slowness(), by: 'time' });
  const server = await startSubject([...slow, path.join(DIST, 'server.js'), 'serve', '--memory', '--log-level', 'error'], {
    SIGNALBOX_ADMIN_TOKEN: TEST_ADMIN_TOKEN,
  });
  const post = (address: string, body: object): Promise<Response> =>
    fetch(`${server.origin}${address}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${TEST_ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const refused = async (username: string): Promise<number> => {
    const started = performance.now();
    const body = new URLSearchParams({ grant_type: 'password', username, password: 'not the password' });
    const response = await fetch(`${server.origin}/oauth/token`, { method: 'POST', headers: { 'X-Bench': username }, body });
    checkSameWork('response', await response.json(), REFUSED);
    if (response.status !== 400) throw new Error(`a wrong password returned ${response.status}`);
    return performance.now() - started;
  };
  try {
    const ada = { username: 'ada', name: 'Ada', email: 'ada@signalbox.example', password: 'a long pass phrase' };
    if ((await post('/api/v4/users', ada)).status !== 201) throw new Error('creating the user failed');
    const [known, unknown]: [number[], number[]] = [[], []];
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const [ofKnown, ofUnknown]: [number[], number[]] = [[], []];
      for (let number = 0; number < TRIES; number += 1) {
        ofKnown.push(await refused('ada'));
        ofUnknown.push(await refused(`nobody-${round}-${number}`));
      }
      // The clock advances until the failed attempts have expired.
      await (await post('/_local/clock', { advance_seconds: 1_200 })).arrayBuffer();
      const middles = [median(ofKnown), median(ofUnknown)] as const;
      rounds.push(Math.max(...middles) / Math.min(...middles));
      known.push(middles[0]);
      unknown.push(middles[1]);
    }
    return ratio(
      'refused sign-in with a password',
      'slower / faster of: wrong password, unknown username',
      rounds,
      { atMost: 1.05 },
      { wrongPasswordMilliseconds: rounded(median(known)), unknownNameMilliseconds: rounded(median(unknown)) },
    );
  } finally {
    await server.stop();
  }
}
