import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { WireResponse } from '../../../src/api/transport.ts';
import {
  awaitApproval,
  deviceAuthorizationRequest,
  deviceTokenRequest,
  processDeviceAuthorizationResponse,
  processDeviceTokenResponse,
} from '../../../src/auth/deviceFlow.ts';
import { OAuthFailure } from '../../../src/auth/tokenEndpoint.ts';
import type { DeviceAuthorization } from '../../../src/contract/oauth.ts';
import {
  connectionFailure,
  type FakeClock,
  fakeClock,
  formOf,
  json,
  networkWithResponses,
  page,
} from '../../support/extension/fakes.ts';

const client = { baseUrl: 'https://gitlab.example.com', clientId: 'the-client' };
const authorization: DeviceAuthorization = {
  device_code: 'device-code',
  user_code: 'ABCD-EFGH',
  verification_uri: 'https://gitlab.example.com/oauth/device',
  expires_in: 300,
  interval: 5,
};
const tokens = { access_token: 'access', token_type: 'Bearer', expires_in: 7200, scope: 'api', created_at: 1_790_000_000 };

const error = (code: string, status = 400): WireResponse => json(status, { error: code, error_description: `about ${code}` });
const pending = error('authorization_pending');
const approved = json(200, tokens);

async function poll(
  responses: readonly (WireResponse | Error)[],
  clock: FakeClock = fakeClock(),
  changes: Partial<DeviceAuthorization> = {},
) {
  const { send, requests } = networkWithResponses(...responses);
  const { signal } = new AbortController();
  const approval = await awaitApproval(
    client,
    { ...authorization, ...changes },
    { send, now: clock.now, sleep: clock.sleep, signal },
  );
  return { approval, requests, slept: clock.slept };
}

describe('device flow: request for a code', () => {
  it('the device flow sends client and scope as a form', () => {
    const request = deviceAuthorizationRequest(client, 'api read_user');
    assert.equal(request.method, 'POST');
    assert.equal(request.url, 'https://gitlab.example.com/oauth/authorize_device');
    assert.equal(request.headers['content-type'], 'application/x-www-form-urlencoded');
    assert.deepEqual(formOf(request), { client_id: 'the-client', scope: 'api read_user' });
  });

  it('the device flow reads all members of the response, and keeps unknown ones', () => {
    const complete = 'https://gitlab.example.com/oauth/device?user_code=ABCDEFGH';
    const response = json(200, { ...authorization, verification_uri_complete: complete, extra: 1 });
    assert.deepEqual(processDeviceAuthorizationResponse(response), {
      ...authorization,
      verification_uri_complete: complete,
      extra: 1,
    });
  });

  it('the device flow uses 5 seconds if the response contains no interval (RFC 8628 §3.2)', () => {
    const { interval: _, ...without } = authorization;
    assert.equal(processDeviceAuthorizationResponse(json(200, without)).interval, 5);
  });

  for (const [what, response, code] of [
    ['an unknown client', error('invalid_client', 401), 'invalid_client'],
    ['a page instead of JSON', { status: 200, headers: new Map(), body: '<html>' }, 'not_oauth'],
    ['a response without a code', json(200, { user_code: 'x' }), 'not_oauth'],
    ['a missing endpoint', json(404, { message: '404 Not Found' }), 'not_oauth'],
  ] as const) {
    it(`the device flow fails for ${what} with ${code}`, () => {
      assert.throws(
        () => processDeviceAuthorizationResponse(response),
        (thrown) => thrown instanceof OAuthFailure && thrown.code === code,
      );
    });
  }
});

describe('device flow: token request', () => {
  it('the device flow sends grant type, device code and client, and no secret', () => {
    const request = deviceTokenRequest(client, 'device-code');
    assert.equal(request.url, 'https://gitlab.example.com/oauth/token');
    assert.deepEqual(formOf(request), {
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: 'device-code',
      client_id: 'the-client',
    });
  });

  for (const type of ['Bearer', 'bearer', 'BEARER']) {
    it(`the device flow accepts the token type ${type}`, () => {
      const response = processDeviceTokenResponse(json(200, { ...tokens, token_type: type }));
      assert.deepEqual(response, { kind: 'tokens', tokens: { ...tokens, token_type: type } });
    });
  }

  for (const body of [
    { ...tokens, token_type: 'mac' },
    { ...tokens, access_token: undefined },
    { ...tokens, access_token: '' },
    [],
    null,
  ]) {
    it(`the device flow rejects the token response ${JSON.stringify(body)}`, () => {
      assert.throws(
        () => processDeviceTokenResponse(json(200, body)),
        (thrown) => thrown instanceof OAuthFailure && thrown.code === 'not_oauth',
      );
    });
  }

  it('the device flow returns the refresh token if there is one', () => {
    const withRefresh = processDeviceTokenResponse(json(200, { ...tokens, refresh_token: 'refresh' }));
    assert.equal(withRefresh.kind === 'tokens' && withRefresh.tokens.refresh_token, 'refresh');
    const without = processDeviceTokenResponse(approved);
    assert.equal(without.kind === 'tokens' && 'refresh_token' in without.tokens, false);
  });
});

describe('device flow: polling', () => {
  it('the device flow polls once per interval, first after one interval', async () => {
    const { approval, slept, requests } = await poll([pending, pending, approved]);
    assert.deepEqual(approval, { kind: 'tokens', tokens });
    assert.deepEqual(slept, [5_000, 5_000, 5_000]);
    assert.equal(requests.length, 3);
  });

  it('the device flow increases the interval by 5 seconds after each slow_down (RFC 8628 §3.5)', async () => {
    const slowDown = error('slow_down');
    const { slept } = await poll([pending, slowDown, pending, slowDown, pending, pending, approved]);
    assert.deepEqual(slept, [5_000, 5_000, 10_000, 10_000, 15_000, 15_000, 15_000]);
  });

  it('the device flow uses the interval of the response', async () => {
    const { slept } = await poll([pending, approved], fakeClock(), { interval: 7 });
    assert.deepEqual(slept, [7_000, 7_000]);
  });

  it('the device flow ends with expired_token', async () => {
    const { approval, requests } = await poll([pending, error('expired_token')]);
    assert.deepEqual(approval, { kind: 'expired' });
    assert.equal(requests.length, 2);
  });

  it('the device flow ends with access_denied', async () => {
    const { approval } = await poll([error('access_denied')]);
    assert.deepEqual(approval, { kind: 'denied' });
  });

  it('the device flow throws any other OAuth error with its code', async () => {
    await assert.rejects(
      poll([pending, error('invalid_grant')]),
      (thrown) => thrown instanceof OAuthFailure && thrown.code === 'invalid_grant',
    );
  });

  for (const response of [
    ...[200, 302, 401, 403, 404, 407, 408].map((status) => page(status)),
    json(400, { error: 'server_error' }),
    json(400, { error: 'temporarily_unavailable' }),
    json(403, { error: 'Forbidden' }),
    json(404, { error: 'Not Found' }),
    json(503, { error: 'invalid_grant' }),
  ]) {
    it(`the device flow continues after a response that is none of the instance (${response.status} ${response.body})`, async () => {
      const { approval, slept } = await poll([response, approved]);
      assert.deepEqual([approval.kind, slept], ['tokens', [5_000, 10_000]]);
    });
  }

  it('the device flow continues after connection failures, with longer pauses', async () => {
    const { approval, slept } = await poll([
      pending,
      connectionFailure(),
      connectionFailure('timedOut'),
      connectionFailure('unreachable'),
      connectionFailure(),
      pending,
      approved,
    ]);
    assert.deepEqual(approval, { kind: 'tokens', tokens });
    assert.deepEqual(slept, [5_000, 5_000, 10_000, 20_000, 30_000, 30_000, 5_000]);
  });

  it('the device flow continues after server errors, and respects Retry-After', async () => {
    const busy = json(429, {}, { 'retry-after': '45' });
    const { approval, slept } = await poll([json(502, {}), busy, approved]);
    assert.deepEqual(approval, { kind: 'tokens', tokens });
    assert.deepEqual(slept, [5_000, 10_000, 45_000]);
  });

  it('the device flow ends when the code expires, after a last poll at that time', async () => {
    const clock = fakeClock();
    const { approval, requests } = await poll([pending, pending, pending], clock, { expires_in: 12 });
    assert.deepEqual(approval, { kind: 'expired' });
    assert.deepEqual(clock.slept, [5_000, 5_000, 2_000]);
    assert.equal(requests.length, 3);
  });

  it('the device flow polls once more if the machine was asleep when the code expired', async () => {
    const clock = fakeClock();
    const sleepy = async (milliseconds: number): Promise<void> => clock.advance(milliseconds + 3_600_000);
    const { send } = networkWithResponses(approved);
    const { signal } = new AbortController();
    const approval = await awaitApproval(client, authorization, { send, now: clock.now, sleep: sleepy, signal });
    assert.deepEqual(approval, { kind: 'tokens', tokens });
  });

  it('the device flow stops immediately when the user cancels between polls', async () => {
    const cancel = new AbortController();
    const { send, requests } = networkWithResponses();
    const sleep = async (): Promise<void> => cancel.abort();
    const approval = await awaitApproval(client, authorization, { send, now: Date.now, sleep, signal: cancel.signal });
    assert.deepEqual(approval, { kind: 'cancelled' });
    assert.equal(requests.length, 0);
  });

  it('the device flow stops when the user cancels during a poll', async () => {
    const cancel = new AbortController();
    const send = async (): Promise<WireResponse> => {
      cancel.abort();
      throw new DOMException('aborted', 'AbortError');
    };
    const { now, sleep } = fakeClock();
    assert.deepEqual(await awaitApproval(client, authorization, { send, now, sleep, signal: cancel.signal }), {
      kind: 'cancelled',
    });
  });

  it('the device flow waits at least one second between polls', async () => {
    const { slept } = await poll([pending, approved], fakeClock(), { interval: 0 });
    assert.deepEqual(slept, [1_000, 1_000]);
  });
});
