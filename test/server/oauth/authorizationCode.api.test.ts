import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { createUser } from '../../../server/features/users/accounts.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';
import {
  CALLBACK,
  CHALLENGE,
  codeClient,
  codeFor,
  decideOn,
  exchangeCode,
  person,
  refusalOf,
  requestOf,
  returned,
  VERIFIER,
} from './codes.ts';
import { basic, checkError, type Client, refresh, token, type Tokens, userStatus } from './support.ts';

const SECOND = 1000;

for (const [dialect, tokenType] of [
  ['documented', 'bearer'],
  ['observed', 'Bearer'],
] as const) {
  it(`an authorization code is exchanged for a pair of tokens, ${dialect} dialect`, async () => {
    await using server = await startTestServer({ profile: { dialect } });
    server.platform.clock.freeze(Date.UTC(2030, 0, 1));
    const client = codeClient(server);
    const response = await exchangeCode(server, await codeFor(server, requestOf(client, { scope: 'read_user api' })), client);
    assert.equal(response.status, 200, response.text);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('pragma'), 'no-cache');
    const { access_token, refresh_token, ...rest } = response.json() as Tokens;
    assert.deepEqual(rest, { token_type: tokenType, expires_in: 7200, scope: 'read_user api', created_at: 1893456000 });
    assert.equal(await userStatus(server, access_token), 200);
    const renewed = await refresh(server, refresh_token, client, { redirect_uri: CALLBACK, code_verifier: VERIFIER });
    assert.equal(renewed.status, 200, renewed.text);
    assert.equal(await userStatus(server, access_token), 401);
  });
}

it('a verifier with padding is accepted in the observed dialect only, and only if it matches', async () => {
  const padded = `${'v'.repeat(43)}=`;
  const challenge = createHash('sha256').update(padded).digest('base64url');
  const redeem = async (server: TestServer, verifier: string): Promise<TestResponse> => {
    const client = codeClient(server);
    const code = await codeFor(server, requestOf(client, { code_challenge: challenge }));
    return exchangeCode(server, code, client, { code_verifier: verifier });
  };
  await using documented = await startTestServer();
  checkError(await redeem(documented, padded), 400, 'invalid_grant');
  assert.match(refusalOf(documented).reason, /44 characters were sent, with the padding = at the end/);
  const client = codeClient(documented);
  const code = await codeFor(documented, requestOf(client, { code_challenge: challenge }));
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    checkError(await exchangeCode(documented, code, client, { code_verifier: padded }), 400, 'invalid_grant');
    assert.match(refusalOf(documented).reason, /44 characters were sent, with the padding = at the end/, `exchange ${attempt}`);
  }
  assert.match(refusalOf(documented).reason, /^the code was used up by a refused exchange, because its code_verifier was wrong;/);
  await using observed = await startTestServer({ profile: { dialect: 'observed' } });
  const response = await redeem(observed, padded);
  assert.equal(response.status, 200, response.text);
  for (const wrong of [`${padded}=`, 'v=', `${'v'.repeat(128)}=`]) {
    checkError(await redeem(observed, wrong), 400, 'invalid_grant');
  }
});

describe('authorization code exchange', () => {
  let server: TestServer;
  let client: Client;
  let confidential: Client;
  before(async () => {
    server = await startTestServer();
    client = codeClient(server);
    confidential = codeClient(server, { confidential: true });
    server.platform.clock.freeze(server.platform.clock.now());
  });
  after(() => server.close());
  const pass = (milliseconds: number): void => server.platform.clock.advance(milliseconds);
  const newCode = (of: Client = client, more: Readonly<Record<string, string | undefined>> = {}): Promise<string> =>
    codeFor(server, requestOf(of, more));
  const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined };

  function checkRefused(response: TestResponse, reason: RegExp): void {
    checkError(response, 400, 'invalid_grant');
    assert.match(refusalOf(server).reason, reason);
  }

  it('a confidential client can send its secret by HTTP Basic or in the body, with or without PKCE', async () => {
    const plain = await newCode(confidential, withoutPkce);
    assert.equal((await exchangeCode(server, plain, confidential)).status, 200);
    const challenged = await newCode(confidential);
    const form = { grant_type: 'authorization_code', code: challenged, redirect_uri: CALLBACK, code_verifier: VERIFIER };
    const response = await server.request('POST', '/oauth/token', { form, headers: basic(confidential) });
    assert.equal(response.status, 200, response.text);
  });

  it('a missing code or redirect URI is reported before the client is authenticated', async () => {
    const code = await newCode();
    for (const [name, form] of [
      ['code', { redirect_uri: CALLBACK }],
      ['redirect_uri', { code }],
    ] as const) {
      const response = await token(server, { grant_type: 'authorization_code', client_id: 'nobody', ...form });
      checkError(response, 400, 'invalid_request');
      assert.ok(response.text.includes(`Missing required parameter: ${name}.`), response.text);
    }
    checkError(await exchangeCode(server, code, { client_id: 'nobody' }), 401, 'invalid_client');
    checkError(await exchangeCode(server, code, { ...confidential, client_secret: 'wrong' }), 401, 'invalid_client');
    assert.equal((await exchangeCode(server, code, client)).status, 200);
  });

  it('a code with a challenge needs its verifier', async () => {
    for (const party of [client, confidential]) {
      const code = await newCode(party);
      const response = await token(server, { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, ...party });
      checkError(response, 400, 'invalid_request');
      assert.match(response.text, /Missing required parameter: code_verifier\./);
      assert.equal((await exchangeCode(server, code, party, { code_verifier: VERIFIER })).status, 200);
    }
  });

  it('a verifier is refused for a code without a challenge', async () => {
    const code = await newCode(confidential, withoutPkce);
    checkRefused(await exchangeCode(server, code, confidential, { code_verifier: VERIFIER }), /had no code_challenge/);
  });

  it('a malformed or wrong verifier is refused and uses up the code', async () => {
    for (const wrong of ['short', 'v'.repeat(42), 'v'.repeat(129), `${VERIFIER}+`, `${VERIFIER}x`, 'v'.repeat(43)]) {
      const code = await newCode();
      checkRefused(await exchangeCode(server, code, client, { code_verifier: wrong }), /code_verifier/);
      checkRefused(await exchangeCode(server, code, client), /used up by a refused exchange/);
    }
  });

  it('the reason for a wrong verifier names both challenges, not the verifier', async () => {
    await exchangeCode(server, await newCode(), client, { code_verifier: 'v'.repeat(43) });
    const { reason } = refusalOf(server);
    assert.ok(reason.includes(CHALLENGE), reason);
    assert.match(reason, /its S256 challenge is [\w-]{43}, but/);
    assert.ok(!reason.includes('vvv'));
  });

  it('a code works once, and its second use revokes the tokens and everything refreshed from them', async () => {
    const code = await newCode();
    const first = (await exchangeCode(server, code, client)).json() as Tokens;
    const second = (await refresh(server, first.refresh_token, client)).json() as Tokens;
    assert.equal(await userStatus(server, second.access_token), 200);
    checkRefused(await exchangeCode(server, code, client), /tokens issued for it are now revoked/);
    assert.equal(await userStatus(server, second.access_token), 401);
    checkError(await refresh(server, second.refresh_token, client), 400, 'invalid_grant');
    checkRefused(await exchangeCode(server, code, client), /already exchanged/);
  });

  it('a code that another client replays does not revoke its tokens', async () => {
    const code = await newCode();
    const { access_token } = (await exchangeCode(server, code, client)).json() as Tokens;
    checkRefused(await exchangeCode(server, code, codeClient(server)), /another application/);
    assert.equal(await userStatus(server, access_token), 200);
  });

  it('a code is bound to client and redirect URI, and a mismatch does not use it up', async () => {
    const code = await newCode();
    checkRefused(await exchangeCode(server, code, codeClient(server)), /another application/);
    for (const wrong of [`${CALLBACK}?a=1`, `${CALLBACK}/`, 'https://lamps.example/callbacK', 'https://elsewhere.example/']) {
      checkRefused(await exchangeCode(server, code, client, { redirect_uri: wrong }), /differs from ".*" at character \d+/);
    }
    assert.equal((await exchangeCode(server, code, client)).status, 200);
  });

  it('a code expires ten minutes after the approval', async () => {
    const [early, late] = [await newCode(), await newCode()];
    pass(600 * SECOND - 1);
    assert.equal((await exchangeCode(server, early, client)).status, 200);
    pass(1);
    checkRefused(await exchangeCode(server, late, client), /older than ten minutes/);
  });

  it('the exchange also compares the port of a loopback redirect URI', async () => {
    const native = codeClient(server, { redirectUris: ['http://127.0.0.1/cb'] });
    const code = await newCode(native, { redirect_uri: 'http://127.0.0.1:4711/cb' });
    checkRefused(
      await exchangeCode(server, code, native, { redirect_uri: 'http://127.0.0.1/cb' }),
      /at character 17: "\/" was sent, ":" was expected/,
    );
    assert.equal((await exchangeCode(server, code, native, { redirect_uri: 'http://127.0.0.1:4711/cb' })).status, 200);
  });

  it('a code of an account that was blocked after the approval is refused', async () => {
    const user = createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@signalbox.example' });
    assert.ok(typeof user === 'object');
    const { code = '' } = returned(await decideOn(await person(server, 'ada'), requestOf(client)));
    await server.request('POST', `/api/v4/users/${user.id}/block`, { token: server.adminToken });
    checkRefused(await exchangeCode(server, code, client), /blocked/);
  });

  it('an unknown authorization code is refused', async () => {
    checkRefused(await exchangeCode(server, 'unknown', client), /no authorization code/);
  });
});

describe('concurrent token requests', () => {
  let server: TestServer;
  let client: Client;
  before(async () => {
    server = await startTestServer();
    client = codeClient(server);
    server.platform.clock.freeze(server.platform.clock.now());
  });
  after(() => server.close());
  const fifty = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: 50 }, work));
  const alive = (): number =>
    server.platform.store.get<{ n: number }>('SELECT count(*) AS n FROM oauth_tokens WHERE revoked_at IS NULL')?.n ?? -1;

  it('of fifty concurrent exchanges of a code one succeeds, and the others revoke its tokens', async () => {
    const code = await codeFor(server, requestOf(client));
    const before = alive();
    const [winner, ...others] = (await fifty(() => exchangeCode(server, code, client))).toSorted((a, b) => a.status - b.status);
    assert.equal(winner?.status, 200);
    for (const loser of others) checkError(loser, 400, 'invalid_grant');
    assert.equal(await userStatus(server, (winner.json() as Tokens).access_token), 401);
    assert.equal(alive(), before);
  });

  it('of fifty concurrent refreshes with one token one succeeds, and its pair stays valid', async () => {
    const code = await codeFor(server, requestOf(client));
    const { refresh_token } = (await exchangeCode(server, code, client)).json() as Tokens;
    const before = alive();
    const responses = await fifty(() => refresh(server, refresh_token, client));
    const [winner, ...others] = responses.toSorted((a, b) => a.status - b.status);
    assert.equal(winner?.status, 200);
    for (const loser of others) checkError(loser, 400, 'invalid_grant');
    const pair = winner.json() as Tokens;
    assert.equal(await userStatus(server, pair.access_token), 200);
    assert.equal(alive(), before);
    const next = await refresh(server, pair.refresh_token, client);
    assert.equal(next.status, 200);
    assert.equal(alive(), before);
  });

  it('a spent refresh token used again eleven seconds later revokes the token family', async () => {
    const code = await codeFor(server, requestOf(client));
    const first = (await exchangeCode(server, code, client)).json() as Tokens;
    const before = alive();
    const second = (await refresh(server, first.refresh_token, client)).json() as Tokens;
    server.platform.clock.advance(11 * SECOND);
    const responses = await fifty(() => refresh(server, first.refresh_token, client));
    for (const response of responses) checkError(response, 400, 'invalid_grant');
    assert.equal(await userStatus(server, second.access_token), 401);
    checkError(await refresh(server, second.refresh_token, client), 400, 'invalid_grant');
    assert.equal(alive(), before - 1);
  });
});
