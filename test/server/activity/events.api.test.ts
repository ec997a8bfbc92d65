import assert from 'node:assert/strict';
import { insertEvent } from '../../../server/features/activity/store.ts';
import { actionNumbers, audienceOf } from '../../../server/features/activity/rules.ts';
import type { PushedRef } from '../../../server/features/pushes/changes.ts';
import { DAY, HOUR } from '../../../server/core/clock.ts';
import { commentOnIssue, createIssue, updateIssue } from '../../../server/features/issues/manageIssues.ts';
import { linkTo } from '../../../src/contract/pagination.ts';
import { type Actor, actor, projectWith, rootOf, seenBy } from '../projects/cast.ts';
import { scenarios } from '../../support/scenarios.ts';
import {
  startTestServer,
  TEST_ADMIN_TOKEN as admin,
  type TestResponse,
  type TestServer,
  type TestServerOptions,
} from '../../support/server.ts';

const CLOCK = Date.UTC(2026, 4, 10, 9);

interface SeenEvent {
  readonly id: number;
  readonly action_name: string;
  readonly target_title: string | null;
  readonly created_at: string;
  readonly note?: { readonly body: string };
  readonly push_data?: object;
}

function events(response: TestResponse): SeenEvent[] {
  assert.equal(response.status, 200, response.text);
  return response.json() as SeenEvent[];
}

const push = (ref: string, more: Partial<PushedRef> = {}): PushedRef => ({
  ref,
  refType: 'branch',
  action: 'pushed',
  commitFrom: '1'.repeat(40),
  commitTo: '2'.repeat(40),
  commitCount: 1,
  commitTitle: 'Replace the fuse',
  ...more,
});

async function start(options: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer(options);
  server.platform.clock.freeze(CLOCK);
  return server;
}

describe('activity', () => {
  let server: TestServer;
  let ada: Actor;
  let bob: Actor;
  const begin = async (): Promise<void> => {
    server = await start();
    ada = actor(server.platform, 'ada');
    bob = actor(server.platform, 'bob');
  };
  const end = (): Promise<void> => server.close();

  const get = (path: string, who?: Actor): Promise<TestResponse> =>
    server.request('GET', `/api/v4${path}`, who === undefined ? {} : { token: who.token });

  describe('events', () => {
    beforeEach(begin);
    afterEach(end);

    beforeEach(async () => {
      const found = projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' });
      server.platform.clock.advance(1000);
      const issue = createIssue(server.platform, found, ada.user, { title: 'Lamp 7 stays dark' });
      server.platform.clock.advance(1000);
      commentOnIssue(server.platform, found, issue, ada.user, { body: 'The fuse is blown.' });
      server.platform.changes.publish({
        kind: 'refsPushed',
        projectId: 1,
        authorId: ada.user.id,
        refs: [push('main'), push('v1', { refType: 'tag', action: 'created' }), push('old', { action: 'removed' })],
      });
      server.platform.changes.publish({
        kind: 'refsPushed',
        projectId: 1,
        authorId: ada.user.id,
        refs: ['a', 'b', 'c', 'd'].map((ref) => push(ref)),
      });
    });

    const author = () => ({
      id: 2,
      username: 'ada',
      public_email: '',
      name: 'ada Example',
      state: 'active',
      locked: false,
      avatar_url: null,
      web_url: `${server.origin}/ada`,
    });

    it('the event of a created issue has all members in order', async () => {
      const [opened] = events(await get('/events?target_type=issue', ada));
      assert.deepEqual(opened, {
        id: 2,
        title: null,
        project_id: 1,
        action_name: 'opened',
        target_id: 1,
        target_iid: 1,
        target_type: 'Issue',
        author_id: 2,
        target_title: 'Lamp 7 stays dark',
        created_at: '2026-05-10T09:00:01.000Z',
        author: author(),
        imported: false,
        imported_from: 'none',
        author_username: 'ada',
      });
      assert.deepEqual(Object.keys(opened), [
        'id',
        'title',
        'project_id',
        'action_name',
        'target_id',
        'target_iid',
        'target_type',
        'author_id',
        'target_title',
        'created_at',
        'author',
        'imported',
        'imported_from',
        'author_username',
      ]);
    });

    it('the event of a comment has the comment as its target and the title of the issue', async () => {
      const [commented] = events(await get('/projects/1/events?action=commented'));
      assert.deepEqual(commented, {
        id: 3,
        title: null,
        project_id: 1,
        action_name: 'commented on',
        target_id: 1,
        target_iid: 1,
        target_type: 'Note',
        author_id: 2,
        target_title: 'Lamp 7 stays dark',
        created_at: '2026-05-10T09:00:02.000Z',
        note: {
          id: 1,
          type: null,
          body: 'The fuse is blown.',
          attachment: null,
          author: author(),
          created_at: '2026-05-10T09:00:02.000Z',
          updated_at: '2026-05-10T09:00:02.000Z',
          system: false,
          noteable_id: 1,
          noteable_type: 'Issue',
          project_id: 1,
          resolvable: false,
          confidential: false,
          internal: false,
          imported: false,
          imported_from: 'none',
          noteable_iid: 1,
          commands_changes: {},
        },
        author: author(),
        imported: false,
        imported_from: 'none',
        data: null,
        author_username: 'ada',
      });
    });

    it('the event of a project has no target', async () => {
      const [created] = events(await get('/events?sort=asc&per_page=1', ada));
      assert.partialDeepStrictEqual(created, {
        action_name: 'created',
        target_id: null,
        target_iid: null,
        target_type: null,
        target_title: null,
      });
    });

    it('pushes have single and bulk events', async () => {
      const pushes = events(await get('/events?action=pushed&sort=asc', ada));
      assert.deepEqual(
        pushes.map((event) => [event.action_name, event.target_title, event.push_data]),
        [
          {
            commit_count: 1,
            action: 'pushed',
            ref_type: 'branch',
            commit_from: '1'.repeat(40),
            commit_to: '2'.repeat(40),
            ref: 'main',
            commit_title: 'Replace the fuse',
            ref_count: null,
          },
          {
            commit_count: 1,
            action: 'created',
            ref_type: 'tag',
            commit_from: null,
            commit_to: '2'.repeat(40),
            ref: 'v1',
            commit_title: 'Replace the fuse',
            ref_count: null,
          },
          {
            commit_count: 0,
            action: 'removed',
            ref_type: 'branch',
            commit_from: '1'.repeat(40),
            commit_to: null,
            ref: 'old',
            commit_title: null,
            ref_count: null,
          },
          {
            commit_count: 0,
            action: 'pushed',
            ref_type: 'branch',
            commit_from: null,
            commit_to: null,
            ref: null,
            commit_title: null,
            ref_count: 4,
          },
        ].map((data) => ['pushed', null, data]),
      );
    });
  });

  describe('creation of events', () => {
    beforeEach(begin);
    afterEach(end);

    it('creating, joining, opening, commenting, closing, reopening and leaving create events; editing and system notes do not', async () => {
      const found = projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' }, [[bob, 30]]);
      const asBob = seenBy(server.platform, found, bob);
      const issue = createIssue(server.platform, asBob, bob.user, { title: 'Lamp 7' });
      updateIssue(server.platform, asBob, issue, bob.user, { title: 'Lamp 8', labels: ['a'], assigneeIds: [2] });
      commentOnIssue(server.platform, asBob, issue, bob.user, { body: 'x' });
      const closed = updateIssue(server.platform, asBob, issue, bob.user, { stateEvent: 'close' });
      updateIssue(server.platform, asBob, closed, bob.user, { stateEvent: 'reopen' });
      await server.request('DELETE', '/api/v4/projects/1/members/3', { token: bob.token });
      const seen = events(await get('/projects/1/events?sort=asc')).map((event) => event.action_name);
      assert.deepEqual(seen, ['created', 'joined', 'opened', 'commented on', 'closed', 'opened', 'left']);
    });

    it('a failed change creates no events', async () => {
      const found = projectWith(server.platform, ada, { name: 'Lamps' });
      server.platform.changes.subscribe((change) => {
        if (change.kind === 'issueOpened') throw new Error('no');
      });
      assert.throws(() => createIssue(server.platform, found, ada.user, { title: 'x' }), /no/);
      assert.deepEqual(
        events(await get('/events', ada)).map((event) => event.action_name),
        ['created'],
      );
    });

    it('events update the last activity of their project at most once an hour', async () => {
      const found = projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' });
      const last = async (): Promise<unknown> =>
        ((await get('/projects/1')).json() as Record<string, unknown>)['last_activity_at'];
      server.platform.clock.advance(HOUR - 1);
      createIssue(server.platform, found, ada.user, { title: 'x' });
      assert.equal(await last(), '2026-05-10T09:00:00.000Z');
      server.platform.clock.advance(1);
      createIssue(server.platform, found, ada.user, { title: 'y' });
      assert.equal(await last(), '2026-05-10T10:00:00.000Z');
    });

    it('events are stored for three years', async () => {
      projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' });
      server.platform.clock.advance(DAY);
      projectWith(server.platform, ada, { name: 'More', visibility: 'public' });
      server.platform.clock.freeze(CLOCK + 3 * 365 * DAY - 1);
      assert.equal(events(await get('/users/ada/events', bob)).length, 2);
      server.platform.clock.advance(1);
      assert.equal(events(await get('/users/ada/events', bob)).length, 1);
    });
  });

  describe('filters of feeds', () => {
    before(begin);
    after(end);

    /** Creates events on five days, around midnight, with the IDs 1 to 9 in this order. */
    before(() => {
      const { clock, platform } = { clock: server.platform.clock, platform: server.platform };
      clock.freeze(Date.UTC(2026, 4, 8, 12));
      const found = projectWith(platform, ada, { name: 'Lamps', visibility: 'public' }, [[bob, 30]]);
      clock.freeze(Date.UTC(2026, 4, 9, 23, 59, 59, 999));
      const issue = createIssue(platform, found, ada.user, { title: 'Lamp 7' });
      clock.freeze(Date.UTC(2026, 4, 10));
      commentOnIssue(platform, found, issue, ada.user, { body: 'first' });
      clock.freeze(Date.UTC(2026, 4, 10, 23, 59, 59, 999));
      const closed = updateIssue(platform, found, issue, ada.user, { stateEvent: 'close' });
      clock.freeze(Date.UTC(2026, 4, 11));
      const reopened = updateIssue(platform, found, closed, ada.user, { stateEvent: 'reopen' });
      clock.freeze(Date.UTC(2026, 4, 12, 12));
      commentOnIssue(platform, found, reopened, ada.user, { body: 'last' });
      platform.changes.publish({ kind: 'refsPushed', projectId: 1, authorId: ada.user.id, refs: [push('main')] });
      commentOnIssue(platform, seenBy(platform, found, bob), reopened, bob.user, { body: 'by bob' });
    });

    const table = [
      ['', [8, 7, 6, 5, 4, 3, 1]],
      ['sort=asc', [1, 3, 4, 5, 6, 7, 8]],
      ['sort=desc', [8, 7, 6, 5, 4, 3, 1]],
      ['action=created', [3, 1]],
      ['action=closed', [5]],
      ['action=reopened', [6]],
      ['action=pushed', [8]],
      ['action=commented', [7, 4]],
      ['action=updated', []],
      ['action=merged', []],
      ['action=joined', []],
      ['action=left', []],
      ['action=destroyed', []],
      ['action=expired', []],
      ['action=approved', []],
      ['target_type=issue', [6, 5, 3]],
      ['target_type=note', [7, 4]],
      ['target_type=epic', []],
      ['target_type=merge_request', []],
      ['target_type=milestone', []],
      ['target_type=project', []],
      ['target_type=snippet', []],
      ['target_type=user', []],
      ['target_type=wiki', []],
      ['target_type=design', []],
      ['target_type=issue&action=created', [3]],
      ['target_type=note&action=closed', []],
      ['before=2026-05-10', [3, 1]],
      ['before=2026-5-11', [5, 4, 3, 1]],
      ['before=20260511', [5, 4, 3, 1]],
      ['before=2026-05-11T18:00:00Z', [5, 4, 3, 1]],
      ['after=2026-05-10', [8, 7, 6]],
      ['after=2026-05-09', [8, 7, 6, 5, 4]],
      ['after=2026-05-09&before=2026-05-11', [5, 4]],
      ['after=2026-05-10&before=2026-05-10', []],
      ['after=2026-05-10&before=2026-05-11', []],
      ['after=2026-05-11&before=2026-05-09', []],
      ['after=2026-05-09&before=2026-05-11&action=commented&sort=asc', [4]],
      ['before=&after=', [8, 7, 6, 5, 4, 3, 1]],
      ['per_page=2&page=2', [6, 5]],
      ['per_page=2&page=2&sort=asc', [4, 5]],
      ['pagination=keyset&per_page=1', [8]],
      ['unknown=1', [8, 7, 6, 5, 4, 3, 1]],
    ] as const;
    for (const [query, wanted] of table) {
      it(`the user’s own feed with ${query} is correct`, async () =>
        assert.deepEqual(
          events(await get(`/events?${query}`, ada)).map((event) => event.id),
          wanted,
        ));
    }

    it('the filters are the same for feeds of users and projects', async () => {
      for (const [query, wanted] of table) {
        assert.deepEqual(
          events(await get(`/users/ada/events?${query}`, bob)).map((event) => event.id),
          wanted,
          query,
        );
      }
      const ofProject = async (query: string): Promise<number[]> =>
        events(await get(`/projects/ada%2Flamps/events?${query}`)).map((event) => event.id);
      assert.deepEqual(await ofProject(''), [9, 8, 7, 6, 5, 4, 3, 2, 1]);
      assert.deepEqual(await ofProject('action=joined'), [2]);
      assert.deepEqual(await ofProject('after=2026-05-11&target_type=note'), [9, 7]);
    });

    it('scope=all adds events of others in the user’s projects, only for /events', async () => {
      const all = events(await get('/events?scope=all&after=2026-05-11', ada)).map((event) => event.id);
      assert.deepEqual(all, [9, 8, 7]);
      assert.deepEqual(
        events(await get('/events?scope=all&sort=asc&per_page=2&page=2', bob)).map((event) => event.id),
        [3, 4],
      );
      assert.deepEqual(
        events(await get('/events?scope=mine', bob)).map((event) => event.id),
        [9, 2],
      );
      assert.deepEqual(
        events(await get('/users/bob/events?scope=all', ada)).map((event) => event.id),
        [9, 2],
      );
    });

    for (const path of ['/events', '/users/ada/events', '/projects/1/events']) {
      const api = `/api/v4${path}`;
      scenarios(
        () => server,
        [
          ['action=dancing', 'action does not have a valid value'],
          ['action=Created', 'action does not have a valid value'],
          ['target_type=Issue', 'target_type does not have a valid value'],
          ['before=soon', 'before is invalid'],
          ['after=2026-02-30', 'after is invalid'],
          ['sort=up', 'sort does not have a valid value'],
          ['page=a', 'page is invalid'],
          ['per_page=0', 'per_page has a value not allowed'],
          [
            'sort=up&action=x&before=x',
            'action does not have a valid value, before is invalid, sort does not have a valid value',
          ],
        ].map(([query = '', error = '']) => ({
          name: `${path}?${query}`,
          path: `${api}?${query}`,
          token: admin,
          status: 400,
          body: { error },
        })),
      );
    }

    it('links to pages of a feed contain all parameters', async () => {
      const response = await get('/events?per_page=3&page=2&action=created&after=2020-01-01', ada);
      assert.equal(
        linkTo(response.headers.get('link') ?? undefined, 'first'),
        `${server.origin}/api/v4/events?action=created&after=2020-01-01&page=1&per_page=3&sort=desc`,
      );
    });
  });

  describe('access to feeds', () => {
    before(begin);
    after(end);

    before(() => {
      projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' });
      projectWith(server.platform, ada, { name: 'Hidden' });
    });

    scenarios(
      () => server,
      [
        {
          name: 'the user’s own events require a token',
          path: '/api/v4/events',
          status: 401,
          body: { message: '401 Unauthorized' },
        },
        {
          name: 'parameters are validated before the token',
          path: '/api/v4/events?action=dancing',
          status: 400,
          body: { error: 'action does not have a valid value' },
        },
        {
          name: 'the events of a user require a token',
          path: '/api/v4/users/ada/events',
          status: 401,
          body: { message: '401 Unauthorized' },
        },
        {
          name: 'the events of a user that does not exist require a token too',
          path: '/api/v4/users/nobody/events',
          status: 401,
          body: { message: '401 Unauthorized' },
        },
        {
          name: 'a user is found by ID',
          path: '/api/v4/users/2/events',
          token: admin,
          status: 200,
          responseHeaders: { 'x-total': '2' },
        },
        {
          name: 'the user does not exist',
          path: '/api/v4/users/nobody/events',
          token: admin,
          status: 404,
          body: { message: '404 User Not Found' },
        },
        {
          name: 'events of a public project are visible without a token',
          path: '/api/v4/projects/1/events',
          status: 200,
          responseHeaders: { 'x-total': '1' },
        },
        {
          name: 'events of a private project require a token',
          path: '/api/v4/projects/2/events',
          status: 404,
          body: { message: '404 Project Not Found' },
        },
        {
          name: 'HEAD returns the totals without a body',
          method: 'HEAD',
          path: '/api/v4/projects/1/events',
          status: 200,
          responseHeaders: { 'x-total': '1', 'x-total-pages': '1' },
        },
      ],
    );

    it('the scope read_user allows feeds of users, but not of projects', async () => {
      const reader = actor(server.platform, 'reader', { scopes: ['read_user'] });
      assert.equal((await get('/events', reader)).status, 200);
      assert.equal((await get('/users/ada/events', reader)).status, 200);
      const refused = await get('/projects/1/events', reader);
      assert.equal(refused.status, 403);
      assert.partialDeepStrictEqual(refused.json(), { error: 'insufficient_scope', scope: 'api read_api' });
      const other = actor(server.platform, 'other', { scopes: ['read_repository'] });
      assert.partialDeepStrictEqual((await get('/events', other)).json(), { scope: 'api read_api read_user' });
    });

    it('the feed of a private profile is empty for other users, with its headers', async () => {
      const shy = actor(server.platform, 'shy', { privateProfile: true });
      projectWith(server.platform, shy, { name: 'Open', visibility: 'public' });
      const response = await get('/users/shy/events', ada);
      assert.deepEqual(events(response), []);
      assert.equal(response.headers.get('x-total'), '0');
      assert.equal(response.headers.get('x-total-pages'), '1');
      assert.match(response.headers.get('link') ?? '', /rel="first".*rel="last"/);
      const projects = async (who?: Actor) => (await get('/users/shy/projects', who)).headers.get('x-total');
      assert.deepEqual([await projects(), await projects(ada), await projects(shy)], ['0', '0', '1']);
      assert.equal(events(await get('/users/shy/events', shy)).length, 1);
      assert.equal(events(await server.request('GET', '/api/v4/users/shy/events', { token: admin })).length, 1);
    });
  });

  describe('visible events', () => {
    beforeEach(begin);
    afterEach(end);

    /** Events by their subject, which the titles of issues name for all others. */
    const seen = async (path: string, who?: Actor | 'root'): Promise<string[]> => {
      const response = who === 'root' ? await server.request('GET', `/api/v4${path}`, { token: admin }) : await get(path, who);
      const reported = events(response).map((event) => event.note?.body ?? event.target_title ?? event.action_name);
      assert.equal(response.headers.get('x-total'), String(reported.length), 'totals count what is seen');
      return reported.toSorted();
    };
    const cast: Record<string, Actor> = {};

    const fill = (visibility: 'public' | 'internal' | 'private'): void => {
      const { platform } = server;
      for (const name of ['guest', 'reporter', 'stranger', 'assignee']) cast[name] = actor(platform, name);
      cast['external'] = actor(platform, 'external', { external: true });
      const { guest, reporter, assignee } = cast;
      assert.ok(guest && reporter && assignee);
      const found = projectWith(platform, ada, { name: 'Lamps', visibility }, [
        [guest, 10],
        [reporter, 20],
        [assignee, 10],
      ]);
      const open = createIssue(platform, found, ada.user, { title: 'open issue' });
      const secret = createIssue(platform, found, ada.user, {
        title: 'secret issue',
        confidential: true,
        assigneeIds: [assignee.user.id],
      });
      commentOnIssue(platform, found, open, ada.user, { body: 'comment' });
      commentOnIssue(platform, found, open, ada.user, { body: 'internal note', internal: true });
      commentOnIssue(platform, found, secret, ada.user, { body: 'secret comment' });
      commentOnIssue(platform, found, secret, ada.user, { body: 'secret internal note', internal: true });
      platform.changes.publish({ kind: 'refsPushed', projectId: 1, authorId: ada.user.id, refs: [push('main')] });
    };

    const forAll = ['comment', 'created', 'open issue'];
    const everything = [
      ...forAll,
      'internal note',
      'pushed',
      'secret comment',
      'secret internal note',
      'secret issue',
    ].toSorted();
    const withCode = [...forAll, 'pushed'].toSorted();
    const ofAssignee = ['secret comment', 'secret issue'];

    const expectations = {
      public: {
        nobody: withCode,
        stranger: withCode,
        external: withCode,
        guest: withCode,
        assignee: [...withCode, ...ofAssignee].toSorted(),
        reporter: everything,
        ada: everything,
        root: everything,
      },
      internal: {
        nobody: undefined,
        stranger: withCode,
        external: undefined,
        guest: withCode,
        assignee: [...withCode, ...ofAssignee].toSorted(),
        reporter: everything,
        ada: everything,
        root: everything,
      },
      private: {
        nobody: undefined,
        stranger: undefined,
        external: undefined,
        guest: forAll,
        assignee: [...forAll, ...ofAssignee].toSorted(),
        reporter: everything,
        ada: everything,
        root: everything,
      },
    } as const;

    for (const visibility of ['public', 'internal', 'private'] as const) {
      for (const [who, wanted] of Object.entries(expectations[visibility])) {
        it(`${who} of a ${visibility} project sees the permitted events`, async () => {
          fill(visibility);
          const viewer = who === 'nobody' ? undefined : who === 'root' ? 'root' : who === 'ada' ? ada : cast[who];
          // Without a token, the documented dialect has the events of projects only.
          if (viewer !== undefined) assert.deepEqual(await seen('/users/ada/events', viewer), wanted ?? []);
          if (wanted === undefined) {
            const path = '/api/v4/projects/1/events';
            const response =
              viewer === undefined || viewer === 'root'
                ? await server.request('GET', path)
                : await get('/projects/1/events', viewer);
            assert.equal(response.status, 404);
            return;
          }
          const joins = ['joined', 'joined', 'joined'];
          assert.deepEqual(await seen('/projects/1/events', viewer), [...wanted, ...joins].toSorted());
        });
      }
    }

    it('an issue that becomes confidential hides its events and those of its notes, until it is no longer confidential', async () => {
      fill('public');
      const toggle = async (confidential: boolean): Promise<void> => {
        const response = await server.request('PUT', '/api/v4/projects/1/issues/1', { token: ada.token, json: { confidential } });
        assert.equal(response.status, 200);
      };
      await toggle(true);
      assert.deepEqual(await seen('/users/ada/events', bob), ['created', 'pushed']);
      await toggle(false);
      assert.deepEqual(await seen('/users/ada/events', bob), withCode);
      assert.ok(!(await seen('/users/ada/events', bob)).includes('internal note'));
    });

    it('events of disabled issues are hidden, for administrators too', async () => {
      fill('public');
      await server.request('PUT', '/api/v4/projects/1', { token: ada.token, json: { issues_access_level: 'disabled' } });
      for (const who of [bob, ada, 'root'] as const)
        assert.deepEqual(await seen('/users/ada/events', who), ['created', 'pushed']);
    });

    it('users who left a private project do not see their own events there', async () => {
      const found = projectWith(server.platform, ada, { name: 'Lamps' }, [[bob, 30]]);
      createIssue(server.platform, seenBy(server.platform, found, bob), bob.user, { title: 'by bob' });
      assert.deepEqual(await seen('/events', bob), ['by bob', 'joined']);
      await server.request('DELETE', '/api/v4/projects/1/members/3', { token: bob.token });
      assert.deepEqual(await seen('/events', bob), []);
      assert.deepEqual(await seen('/events?scope=all', bob), []);
      assert.deepEqual(await seen('/users/bob/events', ada), ['by bob', 'joined', 'left']);
    });
  });

  describe('dialects', () => {
    beforeEach(begin);
    afterEach(end);

    for (const dialect of ['documented', 'observed'] as const) {
      it(`the ${dialect} dialect determines action names of pushes, and merge requests in feeds of users`, async () => {
        await using other = await start({ profile: { dialect } });
        const owner = actor(other.platform, 'owner');
        projectWith(other.platform, owner, { name: 'Lamps', visibility: 'public' });
        other.platform.changes.publish({
          kind: 'refsPushed',
          projectId: 1,
          authorId: owner.user.id,
          refs: [push('main'), push('new', { action: 'created' }), push('old', { action: 'removed' })],
        });
        // The event of a merge request is stored directly.
        insertEvent(other.platform.store, {
          projectId: 1,
          authorId: owner.user.id,
          action: actionNumbers.created,
          targetType: 'MergeRequest',
          targetId: 1,
          targetIid: 1,
          targetTitle: 'Replace the fuse',
          audience: audienceOf('mergeRequests', {}),
          at: CLOCK,
        });
        const text = async (path: string, token?: string): Promise<string[]> =>
          events(await other.request('GET', `/api/v4${path}`, token === undefined ? {} : { token })).map(
            (event) => event.action_name,
          );
        const pushes = dialect === 'documented' ? ['pushed', 'pushed', 'pushed'] : ['pushed to', 'pushed new', 'deleted'];
        assert.deepEqual(await text('/events?action=pushed&sort=asc', owner.token), pushes);
        const left = dialect === 'documented' ? [] : ['opened'];
        for (const path of ['/events', '/events?scope=all', '/users/owner/events']) {
          const filter = path.includes('?') ? '&target_type=merge_request' : '?target_type=merge_request';
          assert.deepEqual(await text(`${path}${filter}`, owner.token), left, path);
          assert.equal((await text(path, owner.token)).length, 4 + left.length, path);
        }
        assert.deepEqual(await text('/projects/1/events?target_type=merge_request'), ['opened']);
      });
    }
  });

  describe('feeds of other servers', () => {
    beforeEach(begin);
    afterEach(end);

    it('the observed dialect shows the public events of a user without a token', async () => {
      await using other = await start({ profile: { dialect: 'observed' } });
      const owner = actor(other.platform, 'owner');
      projectWith(other.platform, owner, { name: 'Lamps', visibility: 'public' });
      projectWith(other.platform, owner, { name: 'Hidden' });
      const seen = async (path: string) => events(await other.request('GET', `/api/v4${path}`)).length;
      assert.equal(await seen('/users/owner/events'), 1);
      assert.equal(await seen('/projects/1/events'), 1);
      assert.equal((await other.request('GET', '/api/v4/events')).status, 401);
    });

    it('feeds with more than 10,000 events have no totals, but all pages', async () => {
      const { platform } = server;
      projectWith(platform, { user: rootOf(platform), token: admin }, { name: 'Lamps', visibility: 'public' });
      platform.store.transaction(() => {
        for (let number = 0; number < 10_000; number += 1) {
          platform.changes.publish({ kind: 'memberLeft', projectId: 1, userId: 1 });
        }
      });
      const response = await server.request('GET', '/api/v4/events?page=500', { token: admin });
      assert.equal(events(response).length, 20);
      assert.equal(response.headers.get('x-total'), null);
      assert.equal(response.headers.get('x-total-pages'), null);
      assert.equal(response.headers.get('x-next-page'), '501');
      assert.ok(!response.headers.get('link')?.includes('rel="last"'));
      const last = await server.request('GET', '/api/v4/events?page=501', { token: admin });
      assert.deepEqual(
        events(last).map((event) => event.action_name),
        ['created'],
      );
      assert.equal(last.headers.get('x-next-page'), '');
    });
  });
});
