// Compares the calls of a client that a release breaks with those that the report of deprecated calls predicts.
import assert from 'node:assert/strict';
import { spawnServer } from '../support/serverProcess.ts';

const token = 'clients-test-token-0123456789';

interface DeprecatedCall {
  readonly request: string;
  readonly user_agent: string;
  readonly breaks: boolean;
}

/**
 * Runs calls of a client at release 18.11, where all succeed, and again at 20.0. `failures` runs the calls and returns those that failed by the
 * route they call. `product` is part of the user agent of the client.
 */
export async function comparePrediction(
  product: string,
  failures: (origin: string, token: string, name: string) => Promise<readonly string[]>,
): Promise<void> {
  await using server = await spawnServer(['serve', '--memory'], { env: { SIGNALBOX_ADMIN_TOKEN: token } });
  const { origin } = server;
  const headers = { 'PRIVATE-TOKEN': token };
  assert.deepEqual(await failures(origin, token, 'Lamps'), [], 'all calls succeed in 18.11');
  const report = await fetch(`${origin}/api/v4/deprecated_calls?release=20.0&per_page=100`, { headers });
  const calls = (await report.json()) as readonly DeprecatedCall[];
  const predicted = calls.filter((call) => call.breaks && call.user_agent.includes(product)).map(({ request }) => request);
  assert.ok(predicted.length >= 3, JSON.stringify(calls));
  const switched = await fetch(`${origin}/_local/profile`, {
    method: 'PUT',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ release: '20.0' }),
  });
  assert.equal(switched.status, 200);
  const failed = await failures(origin, token, 'Lanterns');
  assert.deepEqual(failed.toSorted(), [...new Set(predicted)].toSorted());
}
