import assert from 'node:assert/strict';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';
import {
  basic,
  checkError,
  type Client,
  confidentialClient,
  extension,
  refresh,
  signedIn,
  type Tokens,
  userStatus,
} from './support.ts';

describe('POST /oauth/revoke', () => {
  let server: TestServer;
  let client: Client;
  before(async () => {
    server = await startTestServer();
    client = confidentialClient(server);
  });
  after(() => server.close());

  const revoke = (form: Record<string, string>, headers: Record<string, string> = {}): Promise<TestResponse> =>
    server.request('POST', '/oauth/revoke', { form, headers });

  function checkDone(response: TestResponse): void {
    assert.equal(response.status, 200);
    assert.equal(response.text, '{}');
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-store');
  }

  it('revoking the access token ends both tokens, for a confidential client', async () => {
    const tokens = await signedIn(server, client);
    checkDone(await revoke({ ...client, token: tokens.access_token }));
    assert.equal(await userStatus(server, tokens.access_token), 401);
    checkError(await refresh(server, tokens.refresh_token, client), 400, 'invalid_grant');
    checkDone(await revoke({ ...client, token: tokens.access_token }));
  });

  it('revoking the refresh token ends both tokens, for a public client', async () => {
    const tokens = await signedIn(server);
    checkDone(await revoke({ ...extension, token: tokens.refresh_token }));
    const response = await server.request('GET', '/api/v4/user', { token: tokens.access_token });
    assert.equal(response.status, 401);
    assert.match(response.text, /Token was revoked/);
  });

  it('revocation finds the token whatever the hint', async () => {
    for (const [hint, name] of [
      ['access_token', 'refresh_token'],
      ['refresh_token', 'access_token'],
      ['nonsense', 'access_token'],
    ] as const) {
      const tokens = await signedIn(server);
      checkDone(await revoke({ ...extension, token: tokens[name], token_type_hint: hint }));
      assert.equal(await userStatus(server, tokens.access_token), 401, hint);
    }
  });

  it('revoking a spent refresh token ends the sign-in, and revoking a spent access token does not', async () => {
    const first = await signedIn(server);
    const second = (await refresh(server, first.refresh_token, extension)).json() as Tokens;
    checkDone(await revoke({ ...extension, token: first.access_token }));
    assert.equal(await userStatus(server, second.access_token), 200);
    checkDone(await revoke({ ...extension, token: first.refresh_token }));
    assert.equal(await userStatus(server, second.access_token), 401);
  });

  it('revoking an expired access token ends its refresh token', async () => {
    await using own = await startTestServer();
    const tokens = await signedIn(own);
    own.platform.clock.advance(7201 * 1000);
    const form = { ...extension, token: tokens.access_token };
    checkDone(await own.request('POST', '/oauth/revoke', { form }));
    checkError(await refresh(own, tokens.refresh_token, extension), 400, 'invalid_grant');
  });

  it('revoking an unknown or missing token returns {}', async () => {
    checkDone(await revoke({ ...extension, token: 'unknown' }));
    checkDone(await revoke({ ...client, token: 'unknown' }));
    checkDone(await revoke({ ...extension }));
    assert.match(server.platform.requestLog.list(1)[0]?.refusal?.reason ?? '', /no token was sent/);
  });

  it('revoking the token of another client returns 403 and leaves it valid', async () => {
    const tokens = await signedIn(server, client);
    for (const value of [tokens.access_token, tokens.refresh_token]) {
      const response = await revoke({ ...extension, token: value });
      checkError(response, 403, 'unauthorized_client');
      assert.equal(
        (response.json() as { error_description: string }).error_description,
        'You are not authorized to revoke this token',
      );
      assert.equal(response.headers.get('www-authenticate'), null);
    }
    assert.equal(await userStatus(server, tokens.access_token), 200);
  });

  it('revoking with a wrong secret, without a secret or without a client returns 401 with a challenge and revokes nothing', async () => {
    const { access_token } = await signedIn(server, client);
    const { client_id } = client;
    const rows: readonly [Record<string, string>, Record<string, string>, RegExp][] = [
      [{}, {}, /^Bearer /],
      [{ client_id }, {}, /^Bearer /],
      [{ client_id, client_secret: 'wrong' }, {}, /^Bearer /],
      [{ client_id: 'nobody' }, {}, /^Bearer /],
      [{}, basic({ client_id, client_secret: 'wrong' }), /^Basic /],
    ];
    for (const [form, headers, scheme] of rows) {
      const response = await revoke({ ...form, token: access_token }, headers);
      checkError(response, 401, 'invalid_client');
      assert.match(response.headers.get('www-authenticate') ?? '', scheme);
    }
    assert.equal(await userStatus(server, access_token), 200);
    checkDone(await revoke({ token: access_token }, basic(client)));
    assert.equal(await userStatus(server, access_token), 401);
  });

  it('revocation ignores personal access tokens', async () => {
    checkDone(await revoke({ ...extension, token: server.adminToken }));
    assert.equal(await userStatus(server, server.adminToken), 200);
  });
});
