import assert from 'node:assert/strict';
import { createUser } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const settings = '/api/v4/application/settings';
const NOW = Date.UTC(2030, 0, 1, 12);
const NAMES = ['ratelimit-limit', 'ratelimit-name', 'ratelimit-observed', 'ratelimit-remaining', 'ratelimit-reset'];

describe('rate limits of the REST API', () => {
  let server: TestServer;
  let ada: string;
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(NOW);
    const user = createUser(server.platform, { username: 'ada', name: 'Ada', email: 'ada@example.com' });
    assert.ok(typeof user === 'object');
    ada = issuePersonalToken(server.platform, user, { name: 'own', scopes: ['api'], expiresAt: null }).token;
  });
  afterEach(() => server.close());

  const limit = async (who: 'authenticated' | 'unauthenticated', requests: number, period = 60): Promise<void> => {
    const name = `throttle_${who}_api`;
    const json = {
      [`${name}_enabled`]: true,
      [`${name}_requests_per_period`]: requests,
      [`${name}_period_in_seconds`]: period,
    };
    const response = await server.request('PUT', settings, { token: server.adminToken, json });
    assert.equal(response.status, 200, response.text);
  };
  const get = (path: string, token?: string): Promise<TestResponse> =>
    server.request('GET', path, token === undefined ? {} : { token });
  const reported = ({ headers }: TestResponse) => NAMES.map((name) => headers.get(name));
  const nothing = NAMES.map(() => null);

  it('rate limits are off by default and can be turned on and off', async () => {
    assert.deepEqual(reported(await get('/api/v4/user', ada)), nothing);
    await limit('authenticated', 1);
    assert.equal((await get('/api/v4/user', ada)).status, 200);
    assert.equal((await get('/api/v4/user', ada)).status, 429);
    const json = { throttle_authenticated_api_enabled: false };
    assert.equal((await server.request('PUT', settings, { token: server.adminToken, json })).status, 200);
    const response = await get('/api/v4/user', ada);
    assert.deepEqual([response.status, reported(response)], [200, nothing]);
  });

  it('rate limits count all tokens of an account, send headers with every response, and refuse in plain text', async () => {
    await limit('authenticated', 3);
    const reset = String(NOW / 1000 + 60);
    const first = await get('/api/v4/user', ada);
    assert.deepEqual([first.status, ...reported(first)], [200, '600', 'throttle_authenticated_api', '1', '2', reset]);
    const missing = await server.request('GET', '/api/v4/projects/4711', { headers: { 'PRIVATE-TOKEN': ada } });
    assert.deepEqual([missing.status, ...reported(missing)], [404, '600', 'throttle_authenticated_api', '2', '1', reset]);
    const bad = await get(`/api/v4/users?per_page=0&access_token=${ada}`);
    assert.deepEqual([bad.status, ...reported(bad)], [400, '600', 'throttle_authenticated_api', '3', '0', reset]);
    assert.equal(bad.headers.get('retry-after'), null);
    const refused = await get('/api/v4/user', ada);
    assert.deepEqual([refused.status, refused.text], [429, 'Retry later\n']);
    assert.deepEqual(reported(refused), ['600', 'throttle_authenticated_api', '4', '0', reset]);
    assert.match(refused.headers.get('content-type') ?? '', /^text\/plain/);
    assert.equal(refused.headers.get('retry-after'), '60');
    assert.equal(refused.headers.get('ratelimit-resettime'), 'Tue, 01 Jan 2030 12:01:00 GMT');
    assert.equal(server.platform.requestLog.list(1)[0]?.refusal?.rule, 'rate-limit');
    // Other users are not limited, and no one is after the window.
    assert.equal((await get('/api/v4/user', server.adminToken)).status, 200);
    server.platform.clock.advance(60_000);
    const later = await get('/api/v4/user', ada);
    assert.deepEqual([later.status, later.headers.get('ratelimit-observed')], [200, '1']);
  });

  it('a request refused by a rate limit has no effect', async () => {
    await limit('authenticated', 1);
    const make = (name: string) => server.request('POST', '/api/v4/projects', { token: ada, json: { name } });
    assert.equal((await make('one')).status, 201);
    assert.equal((await make('two')).status, 429);
    server.platform.clock.advance(60_000);
    assert.equal((await get('/api/v4/projects/ada%2Ftwo', ada)).status, 404);
  });

  it('rate limits count requests without a valid token by IP address', async () => {
    await limit('unauthenticated', 2);
    assert.equal((await get('/api/v4/projects')).status, 200);
    const wrong = await get('/api/v4/projects', 'no-such-token');
    assert.deepEqual([wrong.status, wrong.headers.get('ratelimit-name')], [401, 'throttle_unauthenticated_api']);
    assert.equal((await get('/api/v4/projects')).status, 429);
    const own = await get('/api/v4/projects', ada);
    assert.deepEqual([own.status, reported(own)], [200, nothing]);
  });

  it('rate limit headers round the limit per minute up and never make clients throttle themselves', async () => {
    for (const [requests, period, wanted] of [
      [7200, 3600, '600'],
      [100_001, 3600, '1667'],
      [1_000_000, 60, '1000000'],
    ] as const) {
      await limit('authenticated', requests, period);
      assert.equal((await get('/api/v4/user', ada)).headers.get('ratelimit-limit'), wanted);
    }
  });

  it('rate limits apply only to the REST API, not to pages, OAuth and the control API', async () => {
    await limit('authenticated', 1);
    await limit('unauthenticated', 1);
    for (const path of ['/', '/users/sign_in', '/oauth/device', '/_local/health', '/.well-known/openid-configuration']) {
      for (let count = 0; count < 3; count += 1) {
        const response = await get(path);
        assert.deepEqual([response.status, reported(response)], [200, nothing], path);
      }
    }
    const clock = await get('/_local/clock', server.adminToken);
    assert.deepEqual([clock.status, reported(clock)], [200, nothing]);
  });

  it('a rate limit that allows no request is invalid', async () => {
    for (const name of ['requests_per_period', 'period_in_seconds']) {
      const json = { [`throttle_authenticated_api_${name}`]: 0 };
      const response = await server.request('PUT', settings, { token: server.adminToken, json });
      const message = { [`throttle_authenticated_api_${name}`]: ['must be greater than 0'] };
      assert.deepEqual([response.status, response.json()], [400, { message }]);
    }
  });
});
