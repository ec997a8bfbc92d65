import assert from 'node:assert/strict';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';
import { refusalOf } from './codes.ts';
import { basic, checkError, type Client, confidentialClient, extension, refresh, signedIn, type Tokens } from './support.ts';

describe('POST /oauth/introspect', () => {
  let server: TestServer;
  let client: Client;
  before(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(Date.UTC(2030, 0, 1));
    client = confidentialClient(server);
  });
  after(() => server.close());
  beforeEach(() => {
    server.platform.clock.freeze(Date.UTC(2030, 0, 1));
  });

  const ask = (form: Readonly<Record<string, string>>, options: { token?: string; headers?: Record<string, string> } = {}) =>
    server.request('POST', '/oauth/introspect', { form, ...options });

  function checkInactive(response: TestResponse, reason: RegExp): void {
    assert.equal(response.status, 200, response.text);
    assert.equal(response.text, '{"active":false}');
    assert.match(refusalOf(server).reason, reason);
  }

  it('introspection describes a token to its own application, however it authenticates', async () => {
    const { access_token } = await signedIn(server, client, 'api read_user');
    const other = await signedIn(server, client);
    for (const response of [
      await ask({ token: access_token, ...client }),
      await ask({ token: access_token }, { headers: basic(client) }),
      await ask({ token: access_token, token_type_hint: 'refresh_token' }, { token: other.access_token }),
    ]) {
      assert.equal(response.status, 200, response.text);
      assert.deepEqual(response.json(), {
        active: true,
        scope: 'api read_user',
        client_id: client.client_id,
        token_type: 'Bearer',
        exp: 1893463200,
        iat: 1893456000,
      });
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(response.headers.get('pragma'), 'no-cache');
    }
  });

  it('introspection of a refresh token returns no expiry', async () => {
    const { refresh_token } = await signedIn(server, client);
    for (const token_type_hint of ['refresh_token', 'access_token', 'nonsense']) {
      const response = await ask({ token: refresh_token, token_type_hint, ...client });
      assert.deepEqual(response.json(), {
        active: true,
        scope: 'api',
        client_id: client.client_id,
        token_type: 'Bearer',
        iat: 1893456000,
      });
    }
  });

  it('introspection reports every other token as inactive and nothing more', async () => {
    const foreign = await signedIn(server);
    checkInactive(await ask({ token: foreign.access_token, ...client }), /another application/);
    checkInactive(await ask({ token: 'unknown', ...client }), /no token has this value/);
    checkInactive(await ask({ ...client }), /no token/);
    checkInactive(await ask({ token: server.adminToken, ...client }), /no token/);
    const first = await signedIn(server, client);
    const second = (await refresh(server, first.refresh_token, client)).json() as Tokens;
    checkInactive(await ask({ token: first.access_token, ...client }), /revoked or renewed/);
    checkInactive(await ask({ token: first.refresh_token, ...client }), /revoked or renewed/);
    server.platform.clock.advance(7_200_000);
    checkInactive(await ask({ token: second.access_token, ...client }), /expired/);
    assert.partialDeepStrictEqual((await ask({ token: second.refresh_token, ...client })).json(), { active: true });
  });

  it('introspection requires client authentication', async () => {
    const { access_token } = await signedIn(server, client);
    const none = await ask({ token: access_token });
    checkError(none, 400, 'invalid_request');
    assert.match(none.text, /Request need to be authorized\./);
    checkError(await ask({ token: access_token, ...client, client_secret: 'wrong' }), 401, 'invalid_client');
    checkError(await ask({ token: access_token, ...extension }), 401, 'invalid_client');
    assert.match(refusalOf(server).reason, /public application/);
    for (const [bearer, text] of [
      ['unknown', /is invalid/],
      [access_token, /is invalid/],
      [server.adminToken, /is invalid/],
    ] as const) {
      const response = await ask({ token: access_token }, { token: bearer });
      checkError(response, 401, 'invalid_token');
      assert.match(response.headers.get('www-authenticate') ?? '', text);
    }
    const dead = await signedIn(server, client);
    await server.request('POST', '/oauth/revoke', { form: { ...client, token: dead.access_token } });
    assert.match((await ask({ token: access_token }, { token: dead.access_token })).text, /was revoked/);
  });

  it('introspection accepts only POST', async () => {
    assert.equal((await server.request('GET', '/oauth/introspect')).status, 404);
  });
});
