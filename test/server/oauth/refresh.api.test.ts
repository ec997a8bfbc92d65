import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createUser } from '../../../server/features/users/accounts.ts';
import { applicationByUid } from '../../../server/features/oauth/store.ts';
import { issueTokens } from '../../../server/features/oauth/tokens.ts';
import { formsOf, PageClient } from '../../support/pages.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import {
  basic,
  checkError,
  type Client,
  confidentialClient,
  extension,
  publicClient,
  refresh,
  signedIn,
  token,
  type Tokens,
  userStatus,
} from './support.ts';

const SECOND = 1000;

/** Returns tokens of a grant with a redirect URI and a PKCE challenge. */
function codeTokens(server: TestServer, client: Client, redirectUri: string, verifier: string, userId = 1): Tokens {
  const { platform } = server;
  const application = applicationByUid(platform.store, client.client_id);
  assert.ok(application);
  const input = {
    applicationId: application.id,
    userId,
    scopes: ['api', 'read_user'],
    grantType: 'authorization_code',
    redirectUri,
    codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
  };
  return issueTokens(platform, input, 'Bearer', platform.clock.now()) as unknown as Tokens;
}

for (const [dialect, tokenType] of [
  ['documented', 'bearer'],
  ['observed', 'Bearer'],
] as const) {
  it(`a refresh returns a whole new pair, ${dialect} dialect`, async () => {
    await using server = await startTestServer({ profile: { dialect } });
    server.platform.clock.freeze(Date.UTC(2030, 0, 1));
    const before = await signedIn(server, extension, 'api read_user');
    server.platform.clock.advance(60 * SECOND);
    const response = await refresh(server, before.refresh_token, extension);
    assert.equal(response.status, 200, response.text);
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    const { access_token, refresh_token, ...rest } = response.json() as Tokens;
    assert.deepEqual(rest, { token_type: tokenType, expires_in: 7200, scope: 'api read_user', created_at: 1893456060 });
    assert.equal(new Set([access_token, refresh_token, before.access_token, before.refresh_token]).size, 4);
    assert.equal(await userStatus(server, access_token), 200);
    assert.equal(await userStatus(server, before.access_token), 401, 'the old access token is revoked immediately');
  });
}

it('a refresh token does not expire, and ends when the user revokes the access', async () => {
  await using server = await startTestServer();
  server.platform.clock.freeze(Date.UTC(2030, 0, 1));
  const first = await signedIn(server);
  server.platform.clock.advance(5 * 365 * 86_400 * SECOND);
  assert.equal(await userStatus(server, first.access_token), 401);
  const renewed = await refresh(server, first.refresh_token, extension);
  assert.equal(renewed.status, 200, renewed.text);
  const second = renewed.json() as Tokens;
  const person = new PageClient(server);
  await person.signIn();
  const page = await person.open('/user_settings/applications');
  const action = formsOf(page.text).find((form) => form.action.endsWith('/revoke'))?.action ?? '';
  assert.equal((await person.submit(page, action)).status, 303);
  assert.equal(await userStatus(server, second.access_token), 401);
  checkError(await refresh(server, second.refresh_token, extension), 400, 'invalid_grant');
});

describe('token refresh', () => {
  let server: TestServer;
  let client: Client;
  before(async () => {
    server = await startTestServer();
    client = confidentialClient(server);
    server.platform.clock.freeze(server.platform.clock.now());
  });
  after(() => server.close());
  const pass = (seconds: number): void => server.platform.clock.advance(seconds * SECOND);
  const reasonOfLast = (): string => server.platform.requestLog.list(1)[0]?.refusal?.reason ?? '';

  it('a refresh works at any time after the access token has expired', async () => {
    const { refresh_token } = await signedIn(server);
    pass(400 * 86_400);
    assert.equal((await refresh(server, refresh_token, extension)).status, 200);
  });

  it('a refresh accepts the client secret by HTTP Basic and in the body', async () => {
    const first = await signedIn(server, client);
    const second = (await refresh(server, first.refresh_token, client)).json() as Tokens;
    const form = { grant_type: 'refresh_token', refresh_token: second.refresh_token };
    const response = await server.request('POST', '/oauth/token', { form, headers: basic(client) });
    assert.equal(response.status, 200, response.text);
  });

  it('a refresh token that is missing, unknown or of another client is refused and not used up', async () => {
    const { refresh_token } = await signedIn(server, client);
    const { client_id } = client;
    const missing = await token(server, { grant_type: 'refresh_token', ...client });
    checkError(missing, 400, 'invalid_request');
    assert.match(missing.text, /Missing required parameter: refresh_token\./);
    checkError(await refresh(server, 'unknown', client), 400, 'invalid_grant');
    checkError(await token(server, { grant_type: 'refresh_token', refresh_token }), 400, 'invalid_grant');
    assert.match(reasonOfLast(), /send client_id/);
    checkError(await refresh(server, refresh_token, extension), 400, 'invalid_grant');
    assert.match(reasonOfLast(), /another application/);
    checkError(await refresh(server, refresh_token, { client_id }), 401, 'invalid_client');
    checkError(await refresh(server, refresh_token, { client_id, client_secret: 'wrong' }), 401, 'invalid_client');
    checkError(await refresh(server, refresh_token, { client_id: 'nobody' }), 401, 'invalid_client');
    assert.equal((await refresh(server, refresh_token, client)).status, 200);
  });

  it('an access token is refused as a refresh token', async () => {
    const { access_token } = await signedIn(server);
    checkError(await refresh(server, access_token, extension), 400, 'invalid_grant');
  });

  it('a refresh narrows the access token on request and never widens the granted scopes', async () => {
    const first = await signedIn(server, extension, 'api read_user');
    const narrow = (await refresh(server, first.refresh_token, extension, { scope: 'read_user' })).json() as Tokens;
    assert.equal(narrow.scope, 'read_user');
    checkError(await refresh(server, narrow.refresh_token, extension, { scope: 'read_user read_api' }), 400, 'invalid_scope');
    const whole = (await refresh(server, narrow.refresh_token, extension)).json() as Tokens;
    assert.equal(whole.scope, 'api read_user', 'the refresh token keeps the granted scopes');
  });

  it('a refresh accepts only the original redirect_uri, or none', async () => {
    const uri = 'http://127.0.0.1:8000/callback';
    const first = codeTokens(server, client, uri, 'v'.repeat(43));
    for (const wrong of [`${uri}/`, `${uri}?a=1`, 'http://127.0.0.1:8001/callback', 'https://elsewhere.example/']) {
      checkError(await refresh(server, first.refresh_token, client, { redirect_uri: wrong }), 400, 'invalid_grant');
      assert.match(reasonOfLast(), /^redirect_uri ".*" differs from ".*" at character \d+: .* was sent, .* was expected/);
    }
    const second = (await refresh(server, first.refresh_token, client, { redirect_uri: uri })).json() as Tokens;
    const third = await refresh(server, second.refresh_token, client);
    assert.equal(third.status, 200, third.text);
    const again = { redirect_uri: 'https://elsewhere.example/' };
    checkError(await refresh(server, (third.json() as Tokens).refresh_token, client, again), 400, 'invalid_grant');
  });

  it('a refresh of a device grant ignores redirect_uri', async () => {
    const { refresh_token } = await signedIn(server);
    assert.equal((await refresh(server, refresh_token, extension, { redirect_uri: 'https://any.example/' })).status, 200);
  });

  it('a refresh verifies code_verifier if it is sent and the grant had a challenge', async () => {
    const verifier = 'Az09-._~'.repeat(6);
    const first = codeTokens(server, extension, 'vscode://signalbox.signalbox', verifier);
    for (const wrong of ['short', 'v'.repeat(42), 'v'.repeat(129), `${verifier}+`, `${verifier}x`]) {
      checkError(await refresh(server, first.refresh_token, extension, { code_verifier: wrong }), 400, 'invalid_grant');
      assert.match(reasonOfLast(), /code_verifier/);
    }
    const second = await refresh(server, first.refresh_token, extension, { code_verifier: verifier });
    assert.equal(second.status, 200, second.text);
    const { refresh_token } = await signedIn(server);
    assert.equal((await refresh(server, refresh_token, extension, { code_verifier: 'v'.repeat(43) })).status, 200);
  });

  it('a refresh refuses a malformed code_verifier even when its hash matches', async () => {
    for (const verifier of ['short', 'v'.repeat(42), 'v'.repeat(129), `${'v'.repeat(50)}+`]) {
      const tokens = codeTokens(server, extension, 'vscode://signalbox.signalbox', verifier);
      checkError(await refresh(server, tokens.refresh_token, extension, { code_verifier: verifier }), 400, 'invalid_grant');
    }
  });

  it('a spent refresh token is tolerated for ten seconds, so that two windows may refresh at once', async () => {
    const first = await signedIn(server);
    const second = (await refresh(server, first.refresh_token, extension)).json() as Tokens;
    pass(10);
    checkError(await refresh(server, first.refresh_token, extension), 400, 'invalid_grant');
    assert.equal(await userStatus(server, second.access_token), 200);
    assert.equal((await refresh(server, second.refresh_token, extension)).status, 200);
  });

  it('a spent refresh token that is used later revokes the whole token family', async () => {
    const first = await signedIn(server);
    const stranger = await signedIn(server);
    const second = (await refresh(server, first.refresh_token, extension)).json() as Tokens;
    const third = (await refresh(server, second.refresh_token, extension)).json() as Tokens;
    server.platform.clock.advance(10_001);
    checkError(await refresh(server, first.refresh_token, extension), 400, 'invalid_grant');
    assert.match(reasonOfLast(), /stolen/);
    assert.equal(await userStatus(server, third.access_token), 401);
    checkError(await refresh(server, third.refresh_token, extension), 400, 'invalid_grant');
    assert.equal(await userStatus(server, stranger.access_token), 200, 'other sign-ins of the user stay valid');
  });

  it('a spent refresh token that another client sends does not revoke the token family', async () => {
    const first = await signedIn(server);
    const second = (await refresh(server, first.refresh_token, extension)).json() as Tokens;
    pass(60);
    checkError(await refresh(server, first.refresh_token, publicClient(server)), 400, 'invalid_grant');
    assert.equal(await userStatus(server, second.access_token), 200);
  });

  it('a refresh is refused for a blocked account and works again after unblocking', async () => {
    const user = createUser(server.platform, { username: 'grace', name: 'Grace', email: 'grace@signalbox.example' });
    assert.ok(typeof user === 'object');
    const { refresh_token } = codeTokens(server, extension, 'vscode://signalbox.signalbox', 'v'.repeat(43), user.id);
    const admin = { token: server.adminToken };
    assert.equal((await server.request('POST', `/api/v4/users/${user.id}/block`, admin)).status, 201);
    checkError(await refresh(server, refresh_token, extension), 400, 'invalid_grant');
    assert.equal((await server.request('POST', `/api/v4/users/${user.id}/unblock`, admin)).status, 201);
    assert.equal((await refresh(server, refresh_token, extension)).status, 200);
  });

  it('exactly one of fifty concurrent refreshes succeeds, and its pair stays valid', async () => {
    const { refresh_token } = await signedIn(server);
    const responses = await Promise.all(Array.from({ length: 50 }, () => refresh(server, refresh_token, extension)));
    const winners = responses.filter(({ status }) => status === 200);
    assert.equal(winners.length, 1);
    for (const response of responses) if (response.status !== 200) checkError(response, 400, 'invalid_grant');
    const pair = winners[0]?.json() as Tokens;
    assert.equal(await userStatus(server, pair.access_token), 200);
    assert.equal((await refresh(server, pair.refresh_token, extension)).status, 200);
  });
});
