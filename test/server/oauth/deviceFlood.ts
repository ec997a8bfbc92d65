import assert from 'node:assert/strict';
import { startTestServer } from '../../support/server.ts';
import { decide, deviceCodes, extension, poll, publicClient, type Tokens, userStatus } from './support.ts';

/** Number of concurrent requests. */
const AT_ONCE = 20;

/** Starts many device grants of one client from loopback addresses while a user completes a grant of another client. */
export async function floodDeviceGrants(grants: number): Promise<void> {
  await using server = await startTestServer();
  const other = publicClient(server, ['api']);
  const codes = await deviceCodes(server, other);
  let left = grants;
  const flood = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await deviceCodes(server, extension);
    }
  };
  const flooded = Promise.all(Array.from({ length: AT_ONCE }, flood));
  await decide(server, codes);
  await flooded;
  // The grant was started before all others and is completed after them.
  const response = await poll(server, codes, other);
  assert.equal(response.status, 200, response.text);
  const { access_token: accessToken } = response.json() as Tokens;
  assert.equal(await userStatus(server, accessToken), 200);
  // The client of the many grants is not locked out, either.
  const own = await deviceCodes(server, extension);
  await decide(server, own);
  assert.equal((await poll(server, own, extension)).status, 200);
  const stored = server.platform.store.get<{ n: number }>('SELECT count(*) AS n FROM oauth_device_grants')?.n ?? 0;
  assert.ok(stored <= 1002, `${stored} grants are stored`);
}
