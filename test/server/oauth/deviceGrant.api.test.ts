import assert from 'node:assert/strict';
import { DEVICE_CODE_GRANT } from '../../../src/contract/oauth.ts';
import { WireFailure } from '../../../server/http/wireFailure.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import { codeEntryLockedUntil, recordWrongCode } from '../../../server/features/oauth/codeEntry.ts';
import { beginDeviceGrant } from '../../../server/features/oauth/deviceGrants.ts';
import { applicationByUid } from '../../../server/features/oauth/store.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';
import {
  authorizeDevice,
  basic,
  checkError,
  type Client,
  confidentialClient,
  decide,
  deviceCodes,
  extension,
  poll,
  publicClient,
  token,
  type Tokens,
  userStatus,
} from './support.ts';

const SECOND = 1000;
const errorDescription =
  'Client authentication failed due to unknown client, no client authentication included, or unsupported authentication method.';

describe('POST /oauth/authorize_device', () => {
  let server: TestServer;
  let confidential: Client;
  let reader: Client;
  before(async () => {
    server = await startTestServer();
    confidential = confidentialClient(server);
    reader = publicClient(server, ['read_user', 'read_api']);
  });
  after(() => server.close());

  it('device authorization returns a device code and a user code', async () => {
    const response = await authorizeDevice(server, { client_id: extension.client_id, scope: 'read_user read_api' });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.equal(response.headers.get('pragma'), 'no-cache');
    const { device_code, user_code, ...rest } = response.json() as Record<string, string>;
    assert.match(device_code ?? '', /^[0-9a-f]{64}$/);
    assert.match(user_code ?? '', /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    assert.deepEqual(rest, {
      verification_uri: `${server.origin}/oauth/device`,
      verification_uri_complete: `${server.origin}/oauth/device?user_code=${user_code}`,
      expires_in: 300,
      interval: 5,
    });
  });

  it('device authorization returns the page under the configured public URL', async () => {
    await using behind = await startTestServer({ publicUrl: 'https://signalbox.example/' });
    const { verification_uri, verification_uri_complete } = await deviceCodes(behind);
    assert.equal(verification_uri, 'https://signalbox.example/oauth/device');
    assert.match(verification_uri_complete, /^https:\/\/signalbox\.example\/oauth\/device\?user_code=/);
  });

  it('device authorization authenticates a confidential client by HTTP Basic or in the body', async () => {
    assert.equal((await authorizeDevice(server, { ...confidential })).status, 200);
    const response = await server.request('POST', '/oauth/authorize_device', { form: '', headers: basic(confidential) });
    assert.equal(response.status, 200, response.text);
  });

  it('device authorization accepts the scopes of the application, and read as an alias of read_api', async () => {
    for (const scope of ['read_user', 'read_api', 'read', 'read_user  read']) {
      assert.equal((await authorizeDevice(server, { ...reader, scope })).status, 200, scope);
    }
  });

  it('device authorization refuses unknown clients, missing and wrong secrets, and scopes beyond the application', async () => {
    const rows: [string, Record<string, string>, number, string, RegExp][] = [
      ['no client', {}, 401, 'invalid_client', /names no application/],
      ['unknown client', { client_id: 'nobody' }, 401, 'invalid_client', /no application/],
      ['blank client', { client_id: '' }, 401, 'invalid_client', /names no application/],
      ['secret missing', { client_id: confidential.client_id }, 401, 'invalid_client', /confidential/],
      ['secret wrong', { client_id: confidential.client_id, client_secret: 'wrong' }, 401, 'invalid_client', /wrong/],
      ['secret of a public client', { ...extension, client_secret: 'any' }, 401, 'invalid_client', /public/],
      ['unknown scope', { ...extension, scope: 'api everything' }, 400, 'invalid_scope', /scope .* does not exist/],
      ['inherited name as scope', { ...extension, scope: 'constructor' }, 400, 'invalid_scope', /scope .* does not exist/],
      ['scope with a line break', { ...extension, scope: 'api\nread_user' }, 400, 'invalid_scope', /scope .* does not exist/],
      ['blank scope', { ...extension, scope: '   ' }, 400, 'invalid_scope', /blank/],
      ['scope beyond the application', { ...reader, scope: 'api' }, 400, 'invalid_scope', /may not request api/],
      ['sudo', { ...extension, scope: 'sudo' }, 400, 'invalid_scope', /may not request sudo/],
      ['no scope and no default', { ...reader }, 400, 'invalid_scope', /no scope was sent/],
    ];
    for (const [name, form, status, error, reason] of rows) {
      const response = await authorizeDevice(server, form);
      checkError(response, status, error);
      assert.match(server.platform.requestLog.list(1)[0]?.refusal?.reason ?? '', reason, name);
      if (status === 401) assert.equal((response.json() as { error_description: string }).error_description, errorDescription);
    }
  });

  it('device authorization and its grant do not exist before release 17.1', async () => {
    await using old = await startTestServer({ profile: { release: '17.0' } });
    assert.equal((await authorizeDevice(old, { ...extension })).status, 404);
    assert.equal((await old.request('GET', '/oauth/device')).status, 404);
    checkError(await token(old, { grant_type: DEVICE_CODE_GRANT, ...extension }), 400, 'unsupported_grant_type');
  });

  describe('limits of device codes', () => {
    let own: TestServer;
    let application: NonNullable<ReturnType<typeof applicationByUid>>;
    beforeEach(async () => {
      own = await startTestServer();
      own.platform.clock.freeze(own.platform.clock.now());
      const found = applicationByUid(own.platform.store, extension.client_id);
      assert.ok(found);
      application = found;
    });
    afterEach(() => own.close());
    const begin = (address: string): string =>
      beginDeviceGrant(own.platform, { application, scopes: ['api'], address, now: own.platform.clock.now() }).userCode;

    it('twenty device grants per client and address may be pending, and one more after one has expired', () => {
      begin('192.0.2.1');
      own.platform.clock.advance(60 * SECOND);
      for (let count = 1; count < 20; count += 1) begin('192.0.2.1');
      assert.throws(
        () => begin('192.0.2.1'),
        (error: unknown) => {
          assert.ok(error instanceof WireFailure);
          assert.equal(error.status, 429);
          assert.equal(error.headers['Retry-After'], '240');
          return true;
        },
      );
      begin('192.0.2.2');
      own.platform.clock.advance(240 * SECOND);
      begin('192.0.2.1');
    });

    it('device grants from loopback addresses never displace a decided one, and their number is limited', async () => {
      const first = await deviceCodes(own);
      for (let count = 0; count < 50; count += 1) await deviceCodes(own);
      await decide(own, first);
      for (let count = 0; count < 1200; count += 1) begin(count % 2 === 0 ? '127.0.0.1' : '::1');
      const rows = own.platform.store.get<{ n: number }>('SELECT count(*) AS n FROM oauth_device_grants')?.n;
      assert.equal(rows, 1001, 'the decided grant and the newest of the others');
      assert.equal((await authorizeDevice(own, { ...extension })).status, 200);
    });

    it('a hundred wrong user codes lock an address, but never a loopback address', () => {
      const wrong = (address: string, userId: number): void => recordWrongCode(own.platform, { address, userId });
      const isLocked = (address: string): boolean => codeEntryLockedUntil(own.platform, { address, userId: 999 }) !== undefined;
      for (let count = 0; count < 99; count += 1) wrong('192.0.2.1', count);
      assert.equal(isLocked('192.0.2.1'), false);
      wrong('192.0.2.1', 99);
      assert.equal(isLocked('192.0.2.1'), true);
      assert.equal(isLocked('192.0.2.2'), false);
      for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1']) {
        for (let count = 0; count < 150; count += 1) wrong(address, count);
        assert.equal(isLocked(address), false, address);
      }
    });
  });
});

for (const dialect of ['documented', 'observed'] as const) {
  describe(`device code polling, ${dialect} dialect`, () => {
    let server: TestServer;
    before(async () => {
      server = await startTestServer({ profile: { dialect } });
    });
    after(() => server.close());

    it('a poll after the approval returns a Bearer token with refresh token, scope and creation time', async () => {
      server.platform.clock.freeze(Date.UTC(2030, 0, 1));
      const codes = await deviceCodes(server, extension, 'read_user api');
      await decide(server, codes);
      const response = await poll(server, codes);
      server.platform.clock.reset();
      assert.equal(response.status, 200, response.text);
      assert.equal(response.headers.get('cache-control'), 'no-store');
      assert.equal(response.headers.get('pragma'), 'no-cache');
      assert.equal(response.headers.get('content-type'), 'application/json; charset=utf-8');
      assert.equal(response.headers.get('www-authenticate'), null);
      const { access_token, refresh_token, ...rest } = response.json() as Tokens;
      assert.match(access_token, /^[0-9a-f]{64}$/);
      assert.match(refresh_token, /^[0-9a-f]{64}$/);
      assert.notEqual(access_token, refresh_token);
      assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 7200, scope: 'read_user api', created_at: 1893456000 });
    });

    it('a poll before the decision gets authorization_pending, with a challenge only in the observed dialect', async () => {
      const response = await poll(server, await deviceCodes(server));
      checkError(response, 400, 'authorization_pending');
      const challenge = response.headers.get('www-authenticate');
      if (dialect === 'documented') assert.equal(challenge, null);
      else assert.match(challenge ?? '', /^Bearer realm="Doorkeeper", error="authorization_pending", error_description="[^"]+"$/);
    });

    it('a poll with failed client authentication gets a challenge in the same scheme', async () => {
      const codes = await deviceCodes(server);
      const form = { grant_type: DEVICE_CODE_GRANT, device_code: codes.device_code };
      const wrong = { client_id: 'nobody', client_secret: 'wrong' };
      const byBasic = await server.request('POST', '/oauth/token', { form, headers: basic(wrong) });
      checkError(byBasic, 401, 'invalid_client');
      assert.match(byBasic.headers.get('www-authenticate') ?? '', /^Basic realm="Doorkeeper", error="invalid_client"/);
      const byBody = await token(server, { ...form, ...wrong });
      checkError(byBody, 401, 'invalid_client');
      assert.match(byBody.headers.get('www-authenticate') ?? '', /^Bearer realm="Doorkeeper", error="invalid_client"/);
    });
  });
}

describe('device code polling', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(server.platform.clock.now());
  });
  afterEach(() => server.close());
  const pass = (seconds: number): void => server.platform.clock.advance(seconds * SECOND);

  it('the short name of the device grant is accepted', async () => {
    const codes = await deviceCodes(server);
    await decide(server, codes);
    const response = await token(server, { grant_type: 'device_code', device_code: codes.device_code, ...extension });
    assert.equal(response.status, 200, response.text);
  });

  it('a poll before the interval gets slow_down, which adds five seconds each time', async () => {
    const codes = await deviceCodes(server);
    checkError(await poll(server, codes), 400, 'authorization_pending');
    pass(3);
    checkError(await poll(server, codes), 400, 'slow_down');
    assert.match(server.platform.requestLog.list(1)[0]?.refusal?.reason ?? '', /now 10 seconds/);
    pass(5);
    checkError(await poll(server, codes), 400, 'slow_down');
    pass(15);
    checkError(await poll(server, codes), 400, 'authorization_pending');
    pass(10);
    checkError(await poll(server, codes), 400, 'slow_down');
  });

  it('a client that waits for the reported interval is never locked out, however often it polled before', async () => {
    for (const early of [0, 1, 3]) {
      const codes = await deviceCodes(server);
      checkError(await poll(server, codes), 400, 'authorization_pending');
      let interval = 5;
      for (let count = 0; count < 3; count += 1) {
        pass(early);
        checkError(await poll(server, codes), 400, 'slow_down');
        interval += 5;
      }
      for (let count = 0; count < 5; count += 1) {
        pass(interval);
        checkError(await poll(server, codes), 400, 'authorization_pending');
      }
    }
  });

  it('a poll less than a second early is accepted', async () => {
    const codes = await deviceCodes(server);
    await poll(server, codes);
    server.platform.clock.advance(4200);
    checkError(await poll(server, codes), 400, 'authorization_pending');
  });

  it('pending polls at the right interval write nothing to disk', async () => {
    const codes = await deviceCodes(server);
    const changes = () => server.platform.store.get<{ count: number }>('SELECT total_changes() AS count')?.count;
    for (let count = 0; count < 3; count += 1) {
      const before = changes();
      checkError(await poll(server, codes), 400, 'authorization_pending');
      assert.equal(changes(), before);
      // Moving the clock is stored in the database.
      pass(5);
    }
  });

  it('the first poll after the approval gets the tokens, even when it is early', async () => {
    const codes = await deviceCodes(server);
    await poll(server, codes);
    await decide(server, codes);
    assert.equal((await poll(server, codes)).status, 200);
  });

  it('slow_down applies to one device code, not to another one of the same client', async () => {
    const [one, other] = [await deviceCodes(server), await deviceCodes(server)];
    await poll(server, one);
    checkError(await poll(server, one), 400, 'slow_down');
    checkError(await poll(server, other), 400, 'authorization_pending');
    pass(5);
    checkError(await poll(server, other), 400, 'authorization_pending');
  });

  it('every poll gets access_denied after a denial, and expired_token after expiry, for a whole day', async () => {
    const codes = await deviceCodes(server);
    await decide(server, codes, 'deny');
    checkError(await poll(server, codes), 400, 'access_denied');
    checkError(await poll(server, codes), 400, 'access_denied');
    pass(299);
    checkError(await poll(server, codes), 400, 'access_denied');
    pass(1);
    for (const hours of [0, 1, 22]) {
      pass(hours * 3600);
      checkError(await poll(server, codes), 400, 'expired_token');
      checkError(await poll(server, codes), 400, 'expired_token');
      await deviceCodes(server);
    }
    pass(2 * 3600);
    checkError(await poll(server, codes), 400, 'invalid_grant');
  });

  it('an approved device code that was not polled before its expiry gets no tokens', async () => {
    const codes = await deviceCodes(server);
    await decide(server, codes);
    pass(300);
    checkError(await poll(server, codes), 400, 'expired_token');
  });

  it('a spent device code gets invalid_grant, and its tokens stay valid', async () => {
    const codes = await deviceCodes(server);
    await decide(server, codes);
    const { access_token } = (await poll(server, codes)).json() as Tokens;
    checkError(await poll(server, codes), 400, 'invalid_grant');
    pass(301);
    checkError(await poll(server, codes), 400, 'invalid_grant');
    assert.equal(await userStatus(server, access_token), 200);
  });

  it('a device code is bound to its client, and another one does not use it up', async () => {
    const codes = await deviceCodes(server);
    await decide(server, codes);
    checkError(await poll(server, codes, publicClient(server)), 400, 'invalid_grant');
    assert.equal((await poll(server, codes)).status, 200);
  });

  it('a device code of an account that was blocked after the approval gets no tokens', async () => {
    const user = createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@signalbox.example' });
    assert.ok(typeof user === 'object');
    const codes = await deviceCodes(server);
    await decide(server, codes, 'approve', 'ada');
    const blocked = await server.request('POST', `/api/v4/users/${user.id}/block`, { token: server.adminToken });
    assert.equal(blocked.status, 201, blocked.text);
    checkError(await poll(server, codes), 400, 'invalid_grant');
  });

  it('exactly one of fifty concurrent polls gets the tokens of an approved device code', async () => {
    const codes = await deviceCodes(server);
    await decide(server, codes);
    const responses = await Promise.all(Array.from({ length: 50 }, () => poll(server, codes)));
    const [winner, ...others] = responses.toSorted((a, b) => a.status - b.status);
    assert.equal(winner?.status, 200);
    for (const loser of others) checkError(loser, 400, 'invalid_grant');
    const { access_token } = winner.json() as Tokens;
    assert.equal(await userStatus(server, access_token), 200);
    assert.equal(server.platform.store.get<{ n: number }>('SELECT count(*) AS n FROM oauth_tokens')?.n, 1);
  });

  it('the tokens of a device code are limited to the approved scopes', async () => {
    const codes = await deviceCodes(server, extension, 'read_user');
    await decide(server, codes);
    const { access_token } = (await poll(server, codes)).json() as Tokens;
    assert.equal(await userStatus(server, access_token), 200);
    const write = await server.request('POST', '/api/v4/users/1/block', { token: access_token });
    assert.equal(write.status, 403);
    assert.match(write.text, /insufficient_scope/);
  });

  it('the access token of a device code expires after two hours', async () => {
    const codes = await deviceCodes(server);
    await decide(server, codes);
    const { access_token } = (await poll(server, codes)).json() as Tokens;
    pass(7199);
    assert.equal(await userStatus(server, access_token), 200);
    pass(1);
    const response = await server.request('GET', '/api/v4/user', { token: access_token });
    assert.equal(response.status, 401);
    assert.match(response.text, /Token is expired/);
  });
});

describe('POST /oauth/token', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server.close());

  scenarios(
    () => server,
    [
      {
        name: 'grant_type is missing',
        method: 'POST',
        path: '/oauth/token',
        form: { ...extension },
        status: 400,
        body: { error: 'invalid_request', error_description: 'Missing required parameter: grant_type.' },
      },
      {
        name: 'the grant type is unknown',
        method: 'POST',
        path: '/oauth/token',
        form: { grant_type: 'telepathy', ...extension },
        status: 400,
        body: {
          error: 'unsupported_grant_type',
          error_description: 'The authorization grant type is not supported by the authorization server.',
        },
        responseHeaders: { 'www-authenticate': null },
      },
      {
        name: 'the implicit grant is not supported',
        method: 'POST',
        path: '/oauth/token',
        form: { grant_type: 'implicit', ...extension },
        status: 400,
        has: { error: 'unsupported_grant_type' },
      },
      {
        name: 'device_code is missing',
        method: 'POST',
        path: '/oauth/token',
        form: { grant_type: DEVICE_CODE_GRANT, ...extension },
        status: 400,
        body: { error: 'invalid_request', error_description: 'Missing required parameter: device_code.' },
      },
      {
        name: 'an unknown device_code gets the message of GitLab',
        method: 'POST',
        path: '/oauth/token',
        form: { grant_type: DEVICE_CODE_GRANT, device_code: 'unknown', ...extension },
        status: 400,
        body: {
          error: 'invalid_grant',
          error_description:
            'The provided authorization grant is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
        },
        absent: ['unknown'],
      },
      {
        name: 'the client is verified before the device code',
        method: 'POST',
        path: '/oauth/token',
        form: { grant_type: DEVICE_CODE_GRANT, device_code: 'unknown', client_id: 'nobody' },
        status: 401,
        has: { error: 'invalid_client' },
      },
      { name: 'the token endpoint accepts only POST', path: '/oauth/token', status: 404, body: { error: '404 Not Found' } },
    ],
  );
});
