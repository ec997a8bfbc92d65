import path from 'node:path';
import { TEST_ADMIN_TOKEN } from '../support/server.ts';
import { DIST } from '../support/serverProcess.ts';
import { median, type Ratio, ratio, rounded, startSubject } from './harness.ts';

const ROUNDS = 7;
/** Fewer than lock an account. */
const TRIES = 8;

/** How long the password grant takes to refuse a wrong password, against a name that nobody has: the time must not tell who exists. */
export async function wrongPasswords(): Promise<Ratio> {
  const server = await startSubject([path.join(DIST, 'server.js'), 'serve', '--memory', '--log-level', 'error'], {
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
    const response = await fetch(`${server.origin}/oauth/token`, { method: 'POST', body });
    await response.arrayBuffer();
    if (response.status !== 400) throw new Error(`a wrong password was answered with ${response.status}`);
    return performance.now() - started;
  };
  try {
    const ada = { username: 'ada', name: 'Ada', email: 'ada@signalbox.example', password: 'a long pass phrase' };
    if ((await post('/api/v4/users', ada)).status !== 201) throw new Error('nobody was made');
    const [known, unknown]: [number[], number[]] = [[], []];
    const rounds: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const [ofKnown, ofUnknown]: [number[], number[]] = [[], []];
      for (let number = 0; number < TRIES; number += 1) {
        ofKnown.push(await refused('ada'));
        ofUnknown.push(await refused(`nobody-${round}-${number}`));
      }
      // Until the wrong ones are forgotten.
      await (await post('/_local/clock', { advance_seconds: 1_200 })).arrayBuffer();
      const middles = [median(ofKnown), median(ofUnknown)] as const;
      rounds.push(Math.max(...middles) / Math.min(...middles));
      known.push(middles[0]);
      unknown.push(middles[1]);
    }
    return ratio(
      'refusing a password',
      'time of the longer / the shorter: a wrong password and a name that nobody has',
      rounds,
      { atMost: 1.05 },
      { wrongPasswordMilliseconds: rounded(median(known)), unknownNameMilliseconds: rounded(median(unknown)) },
    );
  } finally {
    await server.stop();
  }
}
