import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { User } from '../../../server/core/caller.ts';
import { findUser } from '../../../server/features/users/accounts.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { openStore } from '../../../server/store/open.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, TEST_ADMIN_TOKEN as token, type TestResponse, type TestServer } from '../../support/server.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';

describe('control of the local server', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer({ systemNow: () => Date.UTC(2026, 5, 1, 12) });
  });
  afterEach(() => server.close());

  describe('access', () => {
    scenarios(
      () => server,
      [
        ...['/_local/clock', '/_local/requests'].map((path) => ({
          name: `${path} without a token`,
          path,
          status: 401,
          body: { message: '401 Unauthorized' },
        })),
        ...['POST /_local/restore', 'POST /_local/reset', 'GET /_local/log'].flatMap((route) => {
          const [method = '', path = ''] = route.split(' ');
          const json = method === 'POST' ? { name: 'monday' } : undefined;
          const request = { method, path, ...(json === undefined ? {} : { json }) };
          const foreign = { Origin: 'http://evil.example' };
          return [
            { ...request, name: `${route} without a token`, status: 401, body: { message: '401 Unauthorized' } },
            {
              ...{ ...request, name: `${route} with a wrong token`, token: `${token}x` },
              ...{ status: 401, body: { message: '401 Unauthorized' } },
            },
            {
              ...{ ...request, name: `${route} of a page of another site, even with the token`, token, headers: foreign },
              ...{ status: 403, body: { message: '403 Forbidden' } },
            },
          ];
        }),
        { name: 'a wrong token', path: '/_local/clock', token: `${token}x`, status: 401, body: { message: '401 Unauthorized' } },
        {
          name: 'a page of another site, even with the token',
          method: 'POST',
          path: '/_local/shutdown',
          token,
          headers: { Origin: 'http://evil.example' },
          status: 403,
          body: { message: '403 Forbidden' },
        },
        {
          name: 'a cross-site fetch without Origin',
          path: '/_local/clock',
          token,
          headers: { 'Sec-Fetch-Site': 'cross-site' },
          status: 403,
          body: { message: '403 Forbidden' },
        },
        { name: 'an unknown control path', path: '/_local/nope', token, status: 404, body: { error: '404 Not Found' } },
      ],
    );

    it('health tells which server this is to everybody, and what it imitates to the holder of the token', async () => {
      const bare = await server.request('GET', '/_local/health');
      assert.deepEqual(bare.json(), { status: 'ok', instance_id: server.platform.instanceId, version: server.platform.version });
      const known = await server.request('GET', '/_local/health', { token });
      assert.partialDeepStrictEqual(known.json(), {
        release: '18.11',
        tier: 'ultimate',
        offering: 'self-managed',
        dialect: 'documented',
      });
    });
  });

  describe('clock', () => {
    scenarios(
      () => server,
      [
        {
          name: 'tells its time and state',
          path: '/_local/clock',
          token,
          status: 200,
          body: { now: '2026-06-01T12:00:00.000Z', frozen: false, offset_seconds: 0 },
        },
        {
          name: 'advances',
          method: 'POST',
          path: '/_local/clock',
          token,
          json: { advance_seconds: 3600 },
          status: 200,
          body: { now: '2026-06-01T13:00:00.000Z', frozen: false, offset_seconds: 3600 },
        },
        {
          name: 'goes back',
          method: 'POST',
          path: '/_local/clock',
          token,
          json: { advance_seconds: -60 },
          status: 200,
          has: { now: '2026-06-01T11:59:00.000Z' },
        },
        {
          name: 'freezes at a moment',
          method: 'POST',
          path: '/_local/clock',
          token,
          json: { freeze_at: '2030-01-01T00:00:00Z' },
          status: 200,
          has: { now: '2030-01-01T00:00:00.000Z', frozen: true },
        },
        {
          name: 'freezes now',
          method: 'POST',
          path: '/_local/clock',
          token,
          json: { freeze_at: 'now' },
          status: 200,
          has: { now: '2026-06-01T12:00:00.000Z', frozen: true },
        },
        {
          name: 'takes exactly one wish',
          method: 'POST',
          path: '/_local/clock',
          token,
          json: { freeze_at: 'now', reset: true },
          status: 400,
          body: { error: 'freeze_at, advance_seconds, reset are missing, exactly one parameter must be provided' },
        },
        {
          name: 'refuses a moment that is none',
          method: 'POST',
          path: '/_local/clock',
          token,
          json: { freeze_at: 'soon' },
          status: 400,
          body: { error: 'freeze_at is invalid' },
        },
        {
          name: 'refuses a jump beyond the year 9999',
          method: 'POST',
          path: '/_local/clock',
          token,
          json: { advance_seconds: 9e12 },
          status: 400,
          body: { error: 'advance_seconds is invalid' },
        },
      ],
    );

    it('covers token expiry and timestamps, and resets', async () => {
      const created = await server.request('POST', '/api/v4/users', {
        token,
        json: { email: 'a@example.com', name: 'Ada', username: 'ada', force_random_password: true },
      });
      const { id } = created.json() as { id: number };
      const issued = await server.request('POST', `/api/v4/users/${id}/personal_access_tokens`, {
        token,
        json: { name: 't', scopes: ['read_user'], expires_at: '2026-06-03' },
      });
      const value = (issued.json() as { token: string }).token;
      assert.equal((await server.request('GET', '/api/v4/user', { token: value })).status, 200);
      await server.request('POST', '/_local/clock', { token, json: { advance_seconds: 2 * 86_400 } });
      const expired = await server.request('GET', '/api/v4/user', { token: value });
      assert.equal(expired.status, 401);
      assert.deepEqual(expired.json(), {
        error: 'invalid_token',
        error_description: 'Token is expired. You can either do re-authorization or token refresh.',
      });
      assert.match(
        expired.headers.get('www-authenticate') ?? '',
        /^Bearer realm="Protected by OAuth 2\.0", error="invalid_token"/,
      );
      const reset = await server.request('POST', '/_local/clock', { token, json: { reset: true } });
      assert.deepEqual(reset.json(), { now: '2026-06-01T12:00:00.000Z', frozen: false, offset_seconds: 0 });
    });
  });

  describe('requests', () => {
    it('lists the latest exchanges, newest first', async () => {
      await server.request('GET', '/api/v4/version', { token });
      await server.request('GET', '/api/v4/user');
      const response = await server.request('GET', '/_local/requests?limit=2', { token });
      assert.partialDeepStrictEqual(response.json(), [
        { path: '/api/v4/user', status: 401, user: null, refusal: { rule: 'credentials.present' } },
        { path: '/api/v4/version', status: 200, user: 'root', refusal: null },
      ]);
    });
  });

  describe('sign-in links', () => {
    scenarios(
      () => server,
      [
        {
          name: 'are made for a person',
          method: 'POST',
          path: '/_local/sign-in-links',
          token,
          json: { username: 'root', return_to: '/oauth/device?user_code=X' },
          status: 201,
          has: { username: 'root', expires_at: '2026-06-01T12:05:00.000Z' },
        },
        {
          name: 'are not made for nobody',
          method: 'POST',
          path: '/_local/sign-in-links',
          token,
          json: { username: 'nobody' },
          status: 404,
          body: { message: '404 User Not Found' },
        },
        ...['https://evil.example/', '//evil.example', '/\\evil.example', 'relative', '/a b'].map((return_to) => ({
          name: `never lead to ${return_to}`,
          method: 'POST',
          path: '/_local/sign-in-links',
          token,
          json: { username: 'root', return_to },
          status: 400,
          body: { error: 'return_to is invalid' },
        })),
      ],
    );
  });

  describe('snapshots', () => {
    let folder: ReturnType<typeof temporaryFolder>;
    let stored: TestServer;
    beforeEach(async () => {
      folder = temporaryFolder();
      stored = await startTestServer({ dataFolder: folder.path, systemNow: () => Date.UTC(2026, 5, 1, 12) });
    });
    afterEach(async () => {
      await stored.close();
      folder[Symbol.dispose]();
    });
    const take = (name?: string): Promise<TestResponse> =>
      stored.request('POST', '/_local/snapshots', { token, json: name === undefined ? {} : { name } });

    scenarios(
      () => stored,
      [
        { name: 'there are none at first', path: '/_local/snapshots', token, status: 200, body: [] },
        {
          name: 'are for the holder of the token',
          method: 'POST',
          path: '/_local/snapshots',
          status: 401,
          body: { message: '401 Unauthorized' },
        },
        {
          name: 'cannot be listed without it',
          path: '/_local/snapshots',
          token: `${token}x`,
          status: 401,
          body: { message: '401 Unauthorized' },
        },
        ...[
          ...['../outside', '/tmp/outside', '..', '.hidden', 'a/b', 'a\\b', '', ' ', 'a\u0000b', 'a'.repeat(65)],
          ...[
            'CON',
            'nul',
            'Aux',
            'prn.monday',
            'COM1',
            'lpt9.a.b',
            'com0',
            'COM\u00b9',
            'con ',
            'monday.',
            'monday ',
            'a:b',
            'a*',
          ],
          ...['before-reset-2026-06-01T12-00-00Z', 'Before-Restore-2026-06-01T12-00-00Z-2'],
        ].map((name) => ({
          name: `cannot be named ${JSON.stringify(name.slice(0, 40))}`,
          method: 'POST',
          path: '/_local/snapshots',
          token,
          json: { name },
          status: 400,
          body: { error: 'name is invalid' },
        })),
      ],
    );

    it('are named after the time when nobody names them, and listed with size and time, the newest first', async () => {
      const first = await take();
      assert.equal(first.status, 201, first.text);
      assert.partialDeepStrictEqual(first.json(), { name: '2026-06-01T12-00-00Z' });
      assert.partialDeepStrictEqual((await take()).json(), { name: '2026-06-01T12-00-00Z-2' });
      const named = await take('before.the-change_1');
      const list = (await stored.request('GET', '/_local/snapshots', { token })).json();
      assert.ok(Array.isArray(list));
      assert.deepEqual(list.map(({ name }) => name).toSorted(), [
        '2026-06-01T12-00-00Z',
        '2026-06-01T12-00-00Z-2',
        'before.the-change_1',
      ]);
      assert.deepEqual(
        list.find(({ name }) => name === 'before.the-change_1'),
        named.json(),
      );
      for (const snapshot of list) {
        assert.ok(snapshot.size > 4096);
        assert.match(snapshot.created_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
      }
      assert.deepEqual(
        readdirSync(path.join(folder.path, 'snapshots')).toSorted(),
        list.map(({ name }) => `${name}.sqlite`).toSorted(),
      );
    });

    it('have a name once', async () => {
      assert.equal((await take('monday')).status, 201);
      const again = await take('monday');
      assert.equal(again.status, 409);
      assert.deepEqual(again.json(), { message: 'Name has already been taken' });
      assert.equal((await take('MONDAY')).status, 409, 'also in another case');
      const together = await Promise.all([take('tuesday'), take('Tuesday')]);
      assert.deepEqual(together.map(({ status }) => status).toSorted(), [201, 409]);
      for (const name of ['console', 'com', 'com10', 'lpt', 'auxiliary', 'monday.con'])
        assert.equal((await take(name)).status, 201);
    });

    it('hold everything up to then, and nothing of later', async () => {
      createProject(stored.platform, rootOf(stored), { name: 'Before' });
      await take('then');
      createProject(stored.platform, rootOf(stored), { name: 'After' });
      const copy = openStore(path.join(folder.path, 'snapshots', 'then.sqlite'));
      assert.deepEqual(copy.all('SELECT name FROM projects'), [{ name: 'Before' }]);
      assert.deepEqual(copy.get('PRAGMA integrity_check'), { integrity_check: 'ok' });
      copy.close();
    });

    it('are in memory if the server keeps nothing', async () => {
      const taken = await server.request('POST', '/_local/snapshots', { token, json: { name: 'monday' } });
      assert.equal(taken.status, 201);
      assert.equal((await server.request('POST', '/_local/snapshots', { token, json: { name: 'Monday' } })).status, 409);
      const listed = await server.request('GET', '/_local/snapshots', { token });
      assert.deepEqual(listed.json(), [taken.json()]);
    });
  });
});

function rootOf({ platform }: TestServer): User {
  const root = findUser(platform, 1);
  assert.ok(root);
  return root;
}
