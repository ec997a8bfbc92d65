import assert from 'node:assert/strict';
import { createUser, findUserByName, setPassword } from '../../../server/features/users/accounts.ts';
import { tryPassword } from '../../../server/features/signIn/passwordAttempts.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import { refusalOf } from './codes.ts';
import {
  basic,
  checkError,
  type Client,
  confidentialClient,
  publicClient,
  refresh,
  token,
  type Tokens,
  userStatus,
} from './support.ts';

const PASSWORD = 'correct horse battery';

for (const dialect of ['documented', 'observed'] as const) {
  it(`client credentials return a token without a user, ${dialect} dialect`, async () => {
    await using server = await startTestServer({ profile: { dialect } });
    server.platform.clock.freeze(Date.UTC(2030, 0, 1));
    const client = confidentialClient(server);
    const response = await token(server, { grant_type: 'client_credentials', ...client });
    assert.equal(response.status, 200, response.text);
    const { access_token, ...rest } = response.json() as Tokens;
    assert.match(access_token, /^[0-9a-f]{64}$/);
    assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 7200, scope: 'api', created_at: 1893456000 });
    assert.equal(response.headers.get('cache-control'), 'no-store');
  });
}

describe('client credentials', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  it('a client credentials token accesses nothing of a user, whatever the ID of the application', async () => {
    const client = confidentialClient(server);
    const { access_token } = (await token(server, { grant_type: 'client_credentials', ...client })).json() as Tokens;
    const response = await server.request('GET', '/api/v4/user', { token: access_token });
    assert.equal(response.status, 401);
    assert.deepEqual(response.json(), { message: '401 Unauthorized' });
    assert.match(refusalOf(server).reason, /belongs to an application/);
    const info = (await server.request('GET', '/oauth/token/info', { token: access_token })).json() as object;
    assert.partialDeepStrictEqual(info, { resource_owner_id: null, application: { uid: client.client_id } });
  });

  it('client credentials tokens are limited to the scopes of the application', async () => {
    const client = confidentialClient(server, ['read_user', 'read_api']);
    checkError(await token(server, { grant_type: 'client_credentials', ...client }), 400, 'invalid_scope');
    checkError(await token(server, { grant_type: 'client_credentials', scope: 'api', ...client }), 400, 'invalid_scope');
    const response = await token(server, { grant_type: 'client_credentials', scope: 'read_user', ...client });
    assert.equal((response.json() as Tokens).scope, 'read_user');
  });

  it('client credentials are refused for public applications', async () => {
    checkError(await token(server, { grant_type: 'client_credentials', ...publicClient(server) }), 401, 'unauthorized_client');
    assert.match(refusalOf(server).reason, /because it has no secret/);
  });
});

describe('password grant', function () {
  let server: TestServer;
  let client: Client;
  before(async () => {
    server = await startTestServer();
    client = confidentialClient(server);
    const ada = createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@signalbox.example' });
    assert.ok(typeof ada === 'object');
    await setPassword(server.platform, ada, PASSWORD);
    createUser(server.platform, { username: 'bob', name: 'Bob', email: 'bob@signalbox.example' });
  });
  after(() => server.close());
  beforeEach(() => {
    server.platform.store.run('DELETE FROM attempts');
  });

  const send = (form: Readonly<Record<string, string>>, headers: Record<string, string> = {}, to = server) =>
    to.request('POST', '/oauth/token', {
      form: { grant_type: 'password', username: 'ada', password: PASSWORD, ...form },
      headers,
    });

  it('the password grant returns a pair of tokens, with or without an application, by username and by email', async () => {
    for (const [form, headers, uid] of [
      [{}, {}, null],
      [{ username: 'ADA@signalbox.example' }, {}, null],
      [{ ...client }, {}, client.client_id],
      [{}, basic(client), client.client_id],
    ] as const) {
      const response = await send(form, headers);
      assert.equal(response.status, 200, response.text);
      const tokens = response.json() as Tokens;
      const { access_token, refresh_token, created_at, ...rest } = tokens;
      assert.deepEqual(rest, { token_type: 'bearer', expires_in: 7200, scope: 'api' });
      assert.equal(typeof created_at, 'number');
      assert.match(refresh_token, /^[0-9a-f]{64}$/);
      assert.equal(await userStatus(server, access_token), 200);
      const info = (await server.request('GET', '/oauth/token/info', { token: access_token })).json() as { application: unknown };
      assert.deepEqual(info.application, { uid });
    }
  });

  it('tokens without an application are refreshed and revoked without a client', async () => {
    const first = (await send({})).json() as Tokens;
    const form = { grant_type: 'refresh_token', refresh_token: first.refresh_token };
    checkError(await refresh(server, first.refresh_token, client), 400, 'invalid_grant');
    const second = (await token(server, form)).json() as Tokens;
    assert.equal(await userStatus(server, first.access_token), 401);
    assert.equal(await userStatus(server, second.access_token), 200);
    const revoked = await server.request('POST', '/oauth/revoke', { form: { token: second.refresh_token } });
    assert.deepEqual([revoked.status, revoked.text], [200, '{}']);
    assert.equal(await userStatus(server, second.access_token), 401);
    checkError(await server.request('POST', '/oauth/revoke', { form: { token: 'unknown' } }), 401, 'invalid_client');
  });

  it('the password grant returns the same error for a wrong password and for an unknown, blocked or passwordless user', async () => {
    const ada = findUserByName(server.platform, 'ada');
    const text: string[] = [];
    for (const form of [{ password: 'wrong' }, { username: 'nobody' }, { username: 'bob', password: 'xxxxxxxxx' }]) {
      const response = await send(form);
      checkError(response, 400, 'invalid_grant');
      text.push(response.text);
    }
    await server.request('POST', `/api/v4/users/${ada?.id}/block`, { token: server.adminToken });
    const blocked = await send({});
    checkError(blocked, 400, 'invalid_grant');
    await server.request('POST', `/api/v4/users/${ada?.id}/unblock`, { token: server.adminToken });
    assert.equal(new Set([...text, blocked.text]).size, 1);
    assert.equal((await send({})).status, 200);
  });

  it('the password grant counts wrong passwords by account, together with the sign-in page', async () => {
    for (let count = 0; count < 10; count += 1) checkError(await send({ password: 'wrong' }), 400, 'invalid_grant');
    checkError(await send({}), 400, 'invalid_grant');
    assert.match(refusalOf(server).reason, /locked/);
    const elsewhere = await tryPassword(server.platform, 'ada', 'anything');
    assert.ok(elsewhere !== 'refused' && 'lockedUntil' in elsewhere);
  });

  it('the password grant authenticates the given client and reports missing parameters', async () => {
    checkError(await send({ client_id: 'nobody' }), 401, 'invalid_client');
    checkError(await send({}, basic({ ...client, client_secret: 'wrong' })), 401, 'invalid_client');
    assert.match((await send({ username: '' })).text, /Missing required parameter: username\./);
    assert.match((await send({ password: '' })).text, /Missing required parameter: password\./);
  });

  it('the password grant is limited to the scopes of the application and narrowed by scope', async () => {
    const reader = confidentialClient(server, ['read_user']);
    checkError(await send({ ...reader, scope: 'api' }), 400, 'invalid_scope');
    assert.equal(((await send({ ...reader, scope: 'read_user' })).json() as Tokens).scope, 'read_user');
    checkError(await send({ scope: 'everything' }), 400, 'invalid_scope');
  });

  it('the password grant ends with release 19.0, and the hosted offering requires a client from 17.11 on', async () => {
    await using later = await startTestServer({ profile: { release: '19.0' } });
    checkError(await send({}, {}, later), 400, 'unsupported_grant_type');
    await using hosted = await startTestServer({ profile: { release: '17.11', offering: 'multi-tenant' } });
    checkError(await send({}, {}, hosted), 401, 'invalid_client');
    await using before = await startTestServer({ profile: { release: '17.10', offering: 'multi-tenant' } });
    checkError(await send({}, {}, before), 400, 'invalid_grant');
  });
});
