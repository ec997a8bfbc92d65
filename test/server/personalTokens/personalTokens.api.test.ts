import assert from 'node:assert/strict';
import { crc32 } from 'node:zlib';
import type { User } from '../../../server/core/caller.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { signedIn } from '../oauth/support.ts';
import { startTestServer, type TestResponse, TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';

const DAY = 86_400_000;
const NOON = Date.UTC(2030, 0, 1, 12);
const tokens = '/api/v4/personal_access_tokens';

interface Shown {
  readonly id: number;
  readonly name: string;
  readonly active: boolean;
  readonly revoked: boolean;
  readonly expires_at: string | null;
  readonly token: string;
}

describe('personal access tokens', () => {
  let server: TestServer;
  let ada: User;
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(NOON);
    ada = person('ada');
  });
  afterEach(() => server.close());

  function person(username: string): User {
    const user = createUser(server.platform, { username, name: username, email: `${username}@example.com` });
    assert.ok(typeof user === 'object');
    return user;
  }

  function issue(user = ada, input: { name?: string; scopes?: string[]; days?: number } = {}) {
    const { name = 'test', scopes = ['api'], days } = input;
    return issuePersonalToken(server.platform, user, {
      name,
      scopes,
      expiresAt: days === undefined ? null : Math.floor(NOON / DAY + days) * DAY,
    });
  }

  const call = (method: string, path: string, token: string, json?: unknown): Promise<TestResponse> =>
    server.request(method, path, json === undefined ? { token } : { token, json });
  const shown = (response: TestResponse): Shown => response.json() as Shown;
  const names = (response: TestResponse): string[] => (response.json() as Shown[]).map(({ name }) => name);

  describe('the format of personal access tokens', () => {
    it('personal access tokens contain their kind and a checksum, and are unique', () => {
      const values = Array.from({ length: 50 }, () => issue().token);
      assert.equal(new Set(values).size, 50);
      for (const value of values) {
        const [, payload = '', length = '', sum = ''] = /^glpat-([\w-]+)\.01\.([0-9a-z]{2})([0-9a-z]{7})$/.exec(value) ?? [];
        assert.equal(Number.parseInt(length, 36), payload.length);
        assert.equal(Number.parseInt(sum, 36), crc32(value.slice(0, -7)));
        const bytes = Buffer.from(payload, 'base64url');
        assert.equal(bytes.subarray(16, -1).toString(), `c:1\no:1\nu:${ada.id.toString(36)}`);
        assert.equal(bytes.at(-1), bytes.length - 17);
      }
    });
  });

  describe('the list of personal access tokens', () => {
    it('the list of tokens contains the caller’s own, those of all users for administrators, and those of one user on request', async () => {
      const bob = person('bob');
      const { token } = issue(ada, { name: 'hers' });
      issue(bob, { name: 'his' });
      assert.deepEqual(names(await call('GET', tokens, token)), ['hers']);
      assert.deepEqual(names(await call('GET', `${tokens}?user_id=${ada.id}`, token)), ['hers']);
      const foreign = await call('GET', `${tokens}?user_id=${bob.id}`, token);
      assert.deepEqual([foreign.status, foreign.json()], [401, { message: '401 Unauthorized' }]);
      assert.deepEqual(names(await call('GET', `${tokens}?user_id=${bob.id}`, admin)), ['his']);
      const all = await call('GET', `${tokens}?per_page=2`, admin);
      assert.deepEqual(names(all), ['Administrator token of this server', 'hers']);
      assert.equal(all.headers.get('x-total'), '3');
    });

    it('the list of tokens can be filtered by state, revocation, name and times', async () => {
      const { token } = issue(ada, { name: 'asking', days: 100 });
      server.platform.clock.advance(DAY);
      const gone = issue(ada, { name: 'gone', days: 50 });
      issue(ada, { name: 'short_lived', days: 2 });
      await call('DELETE', `${tokens}/${gone.row.id}`, token);
      server.platform.clock.advance(2 * DAY);
      const ask = async (query: string): Promise<string[]> => names(await call('GET', `${tokens}?${query}`, token));
      assert.deepEqual(await ask('state=active'), ['asking']);
      assert.deepEqual(await ask('state=inactive'), ['gone', 'short_lived']);
      assert.deepEqual(await ask('revoked=true'), ['gone']);
      assert.deepEqual(await ask('revoked=false'), ['asking', 'short_lived']);
      assert.deepEqual(await ask('search=T_L'), ['short_lived']);
      assert.deepEqual(await ask('search=%25'), []);
      assert.deepEqual(await ask('created_before=2030-01-02T00:00:00Z'), ['asking']);
      assert.deepEqual(await ask('created_after=2030-01-02T00:00:00Z'), ['gone', 'short_lived']);
      assert.deepEqual(await ask('expires_before=2030-02-20'), ['short_lived']);
      assert.deepEqual(await ask('expires_after=2030-02-20'), ['asking']);
      assert.deepEqual(await ask('last_used_after=2030-01-01T00:00:00Z'), ['asking']);
      assert.deepEqual(await ask('last_used_before=2030-01-01T00:00:00Z'), []);
    });

    it('the list of tokens can be sorted by each order', async () => {
      const { token } = issue(ada, { name: 'b', days: 30 });
      server.platform.clock.advance(1000);
      issue(ada, { name: 'A', days: 20 });
      issue(ada, { name: 'c', days: 40 });
      const ask = async (sort: string): Promise<string> => names(await call('GET', `${tokens}?sort=${sort}`, token)).join('');
      assert.equal(await ask('created_asc'), 'bAc');
      assert.equal(await ask('created_desc'), 'cAb');
      assert.equal(await ask('expires_asc'), 'Abc');
      assert.equal(await ask('expires_desc'), 'cbA');
      assert.equal(await ask('name_asc'), 'Abc');
      assert.equal(await ask('name_desc'), 'cbA');
      assert.equal(await ask('last_used_asc'), 'Acb');
      assert.equal(await ask('last_used_desc'), 'bcA');
      assert.equal(await ask('sideways'), 'bAc');
    });
  });

  describe('reading a personal access token', () => {
    it('a token is visible to its owner and to administrators, never with its value', async () => {
      const { token, row } = issue(ada, { name: 'hers', scopes: ['api', 'read_user'], days: 10 });
      const own = await call('GET', `${tokens}/${row.id}`, token);
      assert.deepEqual(own.json(), {
        id: row.id,
        name: 'hers',
        revoked: false,
        created_at: '2030-01-01T12:00:00.000Z',
        description: null,
        scopes: ['api', 'read_user'],
        user_id: ada.id,
        last_used_at: '2030-01-01T12:00:00.000Z',
        active: true,
        expires_at: '2030-01-11',
      });
      assert.equal((await call('GET', `${tokens}/${row.id}`, admin)).status, 200);
    });

    it('the response for a token of another user does not reveal whether it exists', async () => {
      const { row } = issue();
      const { token } = issue(person('bob'));
      for (const method of ['GET', 'DELETE'])
        for (const id of [row.id, 999]) {
          const response = await call(method, `${tokens}/${id}`, token);
          assert.deepEqual([response.status, response.json()], [401, { message: '401 Unauthorized' }], `${method} ${id}`);
        }
      assert.equal((await call('POST', `${tokens}/${row.id}/rotate`, token)).status, 401);
      const missing = await call('GET', `${tokens}/999`, admin);
      assert.deepEqual([missing.status, missing.json()], [404, { message: '404 Not Found' }]);
      assert.equal((await call('GET', `${tokens}/${row.id}`, admin)).status, 200, 'nothing was revoked');
    });

    it('a personal access token of any scope can read and revoke itself; an OAuth token cannot', async () => {
      const { token } = issue(ada, { scopes: ['read_repository'] });
      assert.equal((await call('GET', `${tokens}/self`, token)).status, 200);
      assert.equal((await call('DELETE', `${tokens}/self`, token)).status, 204);
      assert.equal((await call('GET', `${tokens}/self`, token)).status, 401);
      const { access_token } = await signedIn(server);
      const foreign = await call('GET', `${tokens}/self`, access_token);
      assert.equal(foreign.status, 400);
      assert.deepEqual(foreign.json(), {
        message: '400 Bad request - This endpoint requires token type to be a personal access token',
      });
    });

    it('the last use of a token is stored to the minute', async () => {
      const { token, row } = issue();
      await call('GET', '/api/v4/user', token);
      server.platform.clock.advance(59_999);
      await call('GET', '/api/v4/user', token);
      const used = async (): Promise<unknown> =>
        ((await call('GET', `${tokens}/${row.id}`, admin)).json() as { last_used_at: unknown }).last_used_at;
      assert.equal(await used(), '2030-01-01T12:00:00.000Z');
      server.platform.clock.advance(1);
      await call('GET', '/api/v4/user', token);
      assert.equal(await used(), '2030-01-01T12:01:00.000Z');
    });

    it('a token expires at midnight UTC of its expiry date', async () => {
      const { token, row } = issue(ada, { days: 1 });
      server.platform.clock.advance(DAY / 2 - 1);
      assert.equal((await call('GET', '/api/v4/user', token)).status, 200);
      server.platform.clock.advance(1);
      const late = await call('GET', '/api/v4/user', token);
      assert.equal(late.status, 401);
      assert.partialDeepStrictEqual(late.json(), { error: 'invalid_token' });
      assert.partialDeepStrictEqual((await call('GET', `${tokens}/${row.id}`, admin)).json(), { active: false, revoked: false });
    });
  });

  describe('rotation of personal access tokens', () => {
    it('rotating a token replaces it with one that is valid for a week, and revokes it immediately', async () => {
      const { token, row } = issue(ada, { name: 'robot', scopes: ['api', 'read_user'], days: 100 });
      const response = await call('POST', `${tokens}/self/rotate`, token);
      assert.equal(response.status, 200, response.text);
      const next = shown(response);
      assert.partialDeepStrictEqual(next, { name: 'robot', active: true, expires_at: '2030-01-08' });
      assert.deepEqual((response.json() as { scopes: unknown }).scopes, ['api', 'read_user']);
      assert.notEqual(next.id, row.id);
      assert.equal((await call('GET', '/api/v4/user', next.token)).status, 200);
      assert.equal((await call('GET', '/api/v4/user', token)).status, 401);
    });

    it('rotating a token that was rotated before revokes its whole family, and no other', async () => {
      const other = issue();
      const first = issue();
      const second = shown(await call('POST', `${tokens}/self/rotate`, first.token));
      const third = shown(await call('POST', `${tokens}/${second.id}/rotate`, second.token));
      const replay = await call('POST', `${tokens}/self/rotate`, first.token);
      assert.equal(replay.status, 401);
      assert.deepEqual(replay.json(), {
        error: 'invalid_token',
        error_description: 'Token was revoked. You have to re-authorize from the user.',
      });
      assert.equal((await call('GET', '/api/v4/user', third.token)).status, 401);
      assert.equal((await call('GET', '/api/v4/user', other.token)).status, 200);
    });

    it('any other use of a rotated token is refused and revokes nothing', async () => {
      const first = issue();
      const second = shown(await call('POST', `${tokens}/self/rotate`, first.token));
      assert.equal((await call('GET', '/api/v4/user', first.token)).status, 401);
      assert.equal((await call('GET', `${tokens}/self`, first.token)).status, 401);
      assert.equal((await call('GET', '/api/v4/user', second.token)).status, 200);
    });

    it('one of fifty concurrent rotations creates a token, and the others revoke its family', async () => {
      const { token } = issue();
      const responses = await Promise.all(Array.from({ length: 50 }, () => call('POST', `${tokens}/self/rotate`, token)));
      const won = responses.filter(({ status }) => status === 200);
      assert.equal(won.length, 1);
      assert.deepEqual(
        responses.filter(({ status }) => status !== 200 && status !== 401),
        [],
      );
      assert.deepEqual(names(await call('GET', `${tokens}?user_id=${ada.id}&state=active`, admin)), []);
    });

    it('rotating a token accepts an expiry date up to a year ahead', async () => {
      const { row } = issue();
      const rotate = (expires_at: string): Promise<TestResponse> =>
        call('POST', `${tokens}/${row.id}/rotate`, admin, { expires_at });
      const late = await rotate('2031-01-02');
      assert.deepEqual([late.status, late.json()], [400, { message: { expires_at: ['must be before 2031-01-01'] } }]);
      assert.equal((await rotate('soon')).status, 400);
      assert.equal(shown(await rotate('2031-01-01')).expires_at, '2031-01-01');
    });

    it('rotating a token requires the scope api, or self_rotate for the token itself', async () => {
      const reader = issue(ada, { scopes: ['read_api'] });
      const refused = await call('POST', `${tokens}/self/rotate`, reader.token);
      assert.equal(refused.status, 403);
      assert.partialDeepStrictEqual(refused.json(), { error: 'insufficient_scope', scope: 'api self_rotate' });
      const selfish = issue(ada, { scopes: ['self_rotate'] });
      assert.equal((await call('POST', `${tokens}/${selfish.row.id}/rotate`, selfish.token)).status, 403);
      assert.equal((await call('POST', `${tokens}/self/rotate`, selfish.token)).status, 200);
    });

    it('rotation is refused for inactive and unknown tokens and for tokens of other kinds', async () => {
      const { row } = issue();
      await call('DELETE', `${tokens}/${row.id}`, admin);
      assert.equal((await call('POST', `${tokens}/${row.id}/rotate`, admin)).status, 401);
      assert.equal((await call('POST', `${tokens}/999/rotate`, admin)).status, 404);
      const { access_token } = await signedIn(server);
      const foreign = await call('POST', `${tokens}/self/rotate`, access_token);
      assert.deepEqual([foreign.status, foreign.json()], [405, { message: '405 Method Not Allowed' }]);
    });

    it('rotation does not exist before the releases that introduced it', async () => {
      await using old = await startTestServer({ profile: { release: '15.11' } });
      const response = await old.request('POST', `${tokens}/self/rotate`, { token: admin });
      assert.deepEqual([response.status, response.json()], [404, { error: '404 Not Found' }]);
    });
  });

  describe('creating personal access tokens', () => {
    it('users can create their own tokens through the API with two scopes only', async () => {
      const { token } = issue();
      const make = (json: object): Promise<TestResponse> => call('POST', '/api/v4/user/personal_access_tokens', token, json);
      const made = await make({ name: 'cluster', description: 'of the yard', scopes: ['k8s_proxy', 'self_rotate'] });
      assert.equal(made.status, 201, made.text);
      assert.partialDeepStrictEqual(made.json(), {
        name: 'cluster',
        description: 'of the yard',
        user_id: ada.id,
        expires_at: '2031-01-01',
      });
      assert.equal((await call('POST', `${tokens}/self/rotate`, shown(made).token)).status, 200);
      const wider = await make({ name: 'cluster', scopes: ['k8s_proxy', 'api'] });
      assert.deepEqual([wider.status, wider.json()], [400, { error: 'scopes does not have a valid value' }]);
      assert.deepEqual((await make({})).json(), { error: 'name is missing, scopes is missing' });
      assert.deepEqual((await make({ name: ' ', scopes: [] })).json(), {
        message: { name: ["can't be blank"], scopes: ['can only contain available scopes'] },
      });
    });

    it('administrators can create tokens for users, valid for at most a year', async () => {
      const path = `/api/v4/users/${ada.id}/personal_access_tokens`;
      const make = (json: object, who = admin): Promise<TestResponse> =>
        call('POST', path, who, { name: 'n', scopes: ['api'], ...json });
      assert.equal((await make({}, issue().token)).status, 403);
      assert.equal(shown(await make({})).expires_at, '2031-01-01');
      assert.equal(shown(await make({ expires_at: '2030-03-01' })).expires_at, '2030-03-01');
      assert.deepEqual((await make({ expires_at: '2031-01-02' })).json(), {
        message: { expires_at: ['must be before 2031-01-01'] },
      });
      assert.deepEqual((await make({ description: 'x'.repeat(256), scopes: ['openid'] })).json(), {
        message: {
          description: ['is too long (maximum is 255 characters)'],
          scopes: ['can only contain available scopes'],
        },
      });
    });
  });

  it('personal access tokens are stored only as hashes', async () => {
    const { token } = issue();
    const next = shown(await call('POST', `${tokens}/self/rotate`, token));
    const rows = JSON.stringify(server.platform.store.all('SELECT * FROM personal_access_tokens'));
    const requestLog = JSON.stringify(server.platform.requestLog.list(50));
    for (const value of [token, next.token]) assert.ok(!rows.includes(value) && !requestLog.includes(value));
  });
});
