import assert from 'node:assert/strict';
import { DAY, isoDate } from '../../../server/core/clock.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestResponse, type TestServer } from '../../support/server.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';

const CLOCK = Date.UTC(2026, 4, 10, 9);

describe('members of a project', () => {
  let server: TestServer;
  let ada: Actor;
  let bob: Actor;
  let carl: Actor;
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(CLOCK);
    ada = actor(server.platform, 'ada');
    bob = actor(server.platform, 'bob');
    carl = actor(server.platform, 'carl');
    projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' }, [[bob, 40]]);
  });
  afterEach(() => server.close());

  const post = (json: object, token = ada.token): Promise<TestResponse> =>
    server.request('POST', '/api/v4/projects/1/members', { token, json });
  const put = (user: Actor, json: object, token = ada.token): Promise<TestResponse> =>
    server.request('PUT', `/api/v4/projects/1/members/${user.user.id}`, { token, json });
  const remove = (user: Actor, token: string): Promise<TestResponse> =>
    server.request('DELETE', `/api/v4/projects/1/members/${user.user.id}`, { token });
  const eventsOf = async (user: Actor): Promise<unknown[]> =>
    (
      (await server.request('GET', `/api/v4/users/${user.user.id}/events`, { token: user.token })).json() as {
        action_name: string;
      }[]
    ).map((event) => event.action_name);

  describe('reading members', () => {
    scenarios(
      () => server,
      [
        {
          name: 'the list starts with the owner, with levels and who added each member',
          path: '/api/v4/projects/1/members',
          token: admin,
          status: 200,
          responseHeaders: { 'x-total': '2' },
          has: [
            { username: 'ada', access_level: 50, membership_state: 'active', expires_at: null },
            { username: 'bob', access_level: 40, created_at: '2026-05-10T09:00:00.000Z', created_by: { username: 'ada' } },
          ],
        },
        {
          name: 'the list with inherited members is equal',
          path: '/api/v4/projects/1/members/all?query=BO',
          token: admin,
          status: 200,
          has: [{ username: 'bob' }],
          responseHeaders: { 'x-total': '1' },
        },
        {
          name: 'some members by user id',
          path: '/api/v4/projects/1/members?user_ids[]=2&user_ids[]=99',
          token: admin,
          status: 200,
          has: [{ username: 'ada' }],
          responseHeaders: { 'x-total': '1' },
        },
        ...['members', 'members/all'].map((list) => ({
          name: `all but some, of ${list}`,
          path: `/api/v4/projects/1/${list}?skip_users=2,99`,
          token: admin,
          status: 200,
          has: [{ username: 'bob' }],
          responseHeaders: { 'x-total': '1' },
        })),
        { name: 'one', path: '/api/v4/projects/1/members/3', token: admin, status: 200, has: { id: 3, username: 'bob' } },
        {
          name: 'a member in the list of all members',
          path: '/api/v4/projects/1/members/all/3',
          token: admin,
          status: 200,
          has: { id: 3 },
        },
        {
          name: 'a user who is not a member',
          path: '/api/v4/projects/1/members/4',
          token: admin,
          status: 404,
          body: { message: '404 Not found' },
        },
        {
          name: 'without a token, even of a public project, and before parameters are validated',
          path: '/api/v4/projects/1/members?per_page=0',
          status: 401,
          body: { message: '401 Unauthorized' },
        },
        {
          name: 'of an unknown project',
          path: '/api/v4/projects/9/members',
          token: admin,
          status: 404,
          body: { message: '404 Project Not Found' },
        },
      ],
    );
  });

  describe('adding members', () => {
    it('adding a member creates an event', async () => {
      const response = await post({ user_id: carl.user.id, access_level: 30, expires_at: '2026-06-01' });
      assert.equal(response.status, 201, response.text);
      assert.deepEqual(response.json(), {
        id: 4,
        username: 'carl',
        public_email: '',
        name: 'carl Example',
        state: 'active',
        locked: false,
        avatar_url: null,
        web_url: `${server.origin}/carl`,
        access_level: 30,
        created_at: '2026-05-10T09:00:00.000Z',
        created_by: {
          id: 2,
          username: 'ada',
          public_email: '',
          name: 'ada Example',
          state: 'active',
          locked: false,
          avatar_url: null,
          web_url: `${server.origin}/ada`,
        },
        expires_at: '2026-06-01',
        membership_state: 'active',
      });
      assert.deepEqual(await eventsOf(carl), ['joined']);
    });

    it('adding a member accepts several users, with an error for each that cannot be added', async () => {
      const eve = actor(server.platform, 'eve');
      const good = await post({ user_id: `${carl.user.id},${eve.user.id}`, access_level: 20 });
      assert.equal(good.status, 201);
      assert.deepEqual(good.json(), { status: 'success' });
      const bad = await post({ user_id: `${bob.user.id},99`, access_level: 20 });
      assert.deepEqual(bad.json(), { status: 'error', message: { bob: 'Member already exists', 99: 'User not found' } });
    });

    it('adding a member refuses invalid input', async () => {
      const refusals: readonly (readonly [object, number, unknown])[] = [
        [{ user_id: 3, access_level: 30 }, 409, { message: 'Member already exists' }],
        [{ user_id: 99, access_level: 30 }, 404, { message: '404 User Not Found' }],
        [{ access_level: 30 }, 400, { error: 'user_id is missing' }],
        [{ user_id: 4 }, 400, { error: 'access_level is missing' }],
        [{ user_id: 'carl', access_level: 30 }, 400, { error: 'user_id is invalid' }],
        [{ user_id: 4, access_level: 25 }, 400, { message: { access_level: ['is not included in the list'] } }],
        [
          { user_id: 4, access_level: 30, expires_at: '2026-05-09' },
          400,
          { message: { expires_at: ['cannot be a date in the past'] } },
        ],
        [{ user_id: 4, access_level: 30, expires_at: 'soon' }, 400, { error: 'expires_at is invalid' }],
      ];
      for (const [json, status, body] of refusals) {
        const response = await post(json);
        assert.equal(response.status, status, JSON.stringify(json));
        assert.deepEqual(response.json(), body);
      }
      assert.deepEqual(await eventsOf(carl), []);
    });

    it('adding a member requires the maintainer role, and the owner role to add owners', async () => {
      assert.equal((await post({ user_id: 4, access_level: 50 }, bob.token)).status, 403);
      assert.equal((await post({ user_id: 4, access_level: 30 }, carl.token)).status, 403);
      assert.equal((await post({ user_id: 4, access_level: 40 }, bob.token)).status, 201);
    });
  });

  describe('updating members', () => {
    it('updating a member sets level and expiry; an empty expiry removes it, an omitted one is kept', async () => {
      assert.partialDeepStrictEqual((await put(bob, { access_level: 30, expires_at: '2026-07-01' })).json(), {
        access_level: 30,
        expires_at: '2026-07-01',
      });
      assert.partialDeepStrictEqual((await put(bob, { access_level: 20 })).json(), {
        access_level: 20,
        expires_at: '2026-07-01',
      });
      assert.partialDeepStrictEqual((await put(bob, { access_level: 20, expires_at: '' })).json(), { expires_at: null });
    });

    it('updating a member leaves owners to owners, and never changes the owner of the namespace', async () => {
      await post({ user_id: 4, access_level: 50 });
      assert.equal((await put(carl, { access_level: 30 }, bob.token)).status, 403);
      assert.equal((await put(ada, { access_level: 30 }, carl.token)).status, 403);
      assert.equal((await put(bob, { access_level: 50 }, bob.token)).status, 403);
      assert.equal((await put(carl, { access_level: 30 }, ada.token)).status, 200);
    });

    it('updating a member requires a member and a level', async () => {
      const missing = await put(carl, { access_level: 30 });
      assert.equal(missing.status, 404);
      assert.deepEqual(missing.json(), { message: '404 Not found' });
      assert.deepEqual((await put(bob, {})).json(), { error: 'access_level is missing' });
    });
  });

  describe('removing members', () => {
    it('members can leave a project', async () => {
      await post({ user_id: 4, access_level: 10 });
      const response = await remove(carl, carl.token);
      assert.equal(response.status, 204);
      assert.equal(response.text, '');
      assert.deepEqual(await eventsOf(carl), ['left', 'joined']);
      assert.equal((await remove(carl, ada.token)).status, 404);
    });

    it('maintainers can remove other members, but not owners', async () => {
      await post({ user_id: 4, access_level: 50 });
      assert.equal((await remove(carl, bob.token)).status, 403);
      assert.equal((await remove(bob, carl.token)).status, 204);
      assert.deepEqual(await eventsOf(bob), ['left', 'joined']);
    });

    it('guests cannot remove members, and the owner of the namespace cannot be removed', async () => {
      await post({ user_id: 4, access_level: 10 });
      assert.equal((await remove(bob, carl.token)).status, 403);
      assert.equal((await remove(ada, ada.token)).status, 403);
      assert.equal((await remove(ada, admin)).status, 403);
    });

    it('a private project disappears for a user who left it', async () => {
      projectWith(server.platform, ada, { name: 'Hidden' }, [[carl, 40]]);
      const hidden = '/api/v4/projects/2';
      assert.equal((await server.request('GET', hidden, { token: carl.token })).status, 200);
      assert.equal((await server.request('DELETE', `${hidden}/members/4`, { token: carl.token })).status, 204);
      assert.equal((await server.request('GET', hidden, { token: carl.token })).status, 404);
    });
  });

  describe('memberships with an expiry', () => {
    const isMember = async (user: Actor): Promise<boolean> =>
      (await server.request('GET', `/api/v4/projects/1/members/${user.user.id}`, { token: admin })).status === 200;

    it('memberships with an expiry expire at the start of the day, with an event', async () => {
      await post({ user_id: 4, access_level: 30, expires_at: isoDate(CLOCK + 3 * DAY) });
      server.platform.clock.advance(3 * DAY - 9 * 3_600_000 - 1);
      assert.equal(await isMember(carl), true);
      server.platform.clock.advance(1);
      assert.equal(await isMember(carl), false);
      const events = (await server.request('GET', '/api/v4/projects/1/events?action=expired')).json();
      assert.ok(Array.isArray(events) && events.length === 1);
      assert.partialDeepStrictEqual(events, [
        {
          action_name: 'removed due to membership expiration from',
          author_username: 'carl',
          target_id: null,
          target_type: null,
          created_at: '2026-05-13T00:00:00.000Z',
        },
      ]);
    });

    it('memberships with an expiry expire once when the clock skips the day', async () => {
      await put(bob, { access_level: 40, expires_at: '2026-06-01' });
      await post({ user_id: 4, access_level: 30, expires_at: '2026-05-20' });
      server.platform.clock.advance(60 * DAY);
      server.platform.clock.advance(DAY);
      assert.deepEqual([await isMember(bob), await isMember(carl), await isMember(ada)], [false, false, true]);
      assert.deepEqual(await eventsOf(carl), ['removed due to membership expiration from', 'joined']);
    });

    it('memberships with an expiry expire immediately on the current day', async () => {
      assert.equal((await post({ user_id: 4, access_level: 30, expires_at: '2026-05-10' })).status, 201);
      assert.equal(await isMember(carl), false);
      assert.deepEqual(await eventsOf(carl), ['removed due to membership expiration from', 'joined']);
    });

    it('memberships with an expiry stay when the expiry was removed', async () => {
      await put(bob, { access_level: 40, expires_at: '2026-06-01' });
      await put(bob, { access_level: 40, expires_at: '' });
      server.platform.clock.advance(60 * DAY);
      assert.equal(await isMember(bob), true);
    });
  });
});
