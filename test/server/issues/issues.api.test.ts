import assert from 'node:assert/strict';
import { DAY } from '../../../server/core/clock.ts';
import { linkTo } from '../../../src/contract/pagination.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestResponse, type TestServer } from '../../support/server.ts';

const CLOCK = Date.UTC(2026, 4, 10, 9);
const NOT_FOUND = { message: '404 Not found' };

/** Asserts some members of an issue; users are compared by username. */
function checkIssue(value: unknown, wanted: Readonly<Record<string, unknown>>): void {
  const issue = value as Record<string, unknown>;
  const username = (person: unknown): unknown => (person as { username?: string } | null)?.username ?? null;
  const shown = Object.keys(wanted).map((name) => {
    const member = issue[name];
    if (name === 'assignees') return [name, (member as unknown[]).map(username)];
    return [name, ['author', 'assignee', 'closed_by'].includes(name) ? username(member) : member];
  });
  assert.deepEqual(Object.fromEntries(shown), wanted);
}

describe('issues', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  let gus: Actor;
  let otto: Actor;
  /** Project 1 is public, project 2 private. Both belong to ada, with rita as reporter and gus as guest; otto is not a member. */
  beforeEach(async () => {
    server = await startTestServer();
    server.platform.clock.freeze(CLOCK);
    [ada, rita, gus, otto] = ['ada', 'rita', 'gus', 'otto'].map((name) => actor(server.platform, name)) as [
      Actor,
      Actor,
      Actor,
      Actor,
    ];
    for (const [name, visibility] of [
      ['Lamps', 'public'],
      ['Hidden', 'private'],
    ] as const) {
      projectWith(server.platform, ada, { name, visibility }, [
        [rita, 20],
        [gus, 10],
      ]);
    }
  });
  afterEach(() => server.close());

  const open = async (json: object, who: Actor = ada, project = 1): Promise<Record<string, unknown>> => {
    const response = await server.request('POST', `/api/v4/projects/${project}/issues`, { token: who.token, json });
    assert.equal(response.status, 201, response.text);
    return response.json() as Record<string, unknown>;
  };
  const change = (iid: number, json: object, who: Actor = ada): Promise<TestResponse> =>
    server.request('PUT', `/api/v4/projects/1/issues/${iid}`, { token: who.token, json });
  const get = (path: string, who?: Actor): Promise<TestResponse> =>
    server.request('GET', `/api/v4${path}`, who === undefined ? {} : { token: who.token });
  const iids = async (path: string, who?: Actor): Promise<number[]> => {
    const response = await get(path, who);
    assert.equal(response.status, 200, response.text);
    return (response.json() as { iid: number }[]).map((issue) => issue.iid);
  };

  describe('creating an issue', () => {
    it('creating an issue returns all its attributes', async () => {
      const issue = await open({
        title: 'Lamp 7 stays dark',
        description: '- [x] look\n- [ ] repair\n',
        labels: 'track 2,hardware',
        assignee_ids: [3, 4],
        due_date: '2026-6-1',
      });
      const person = (id: number, username: string) => ({
        id,
        username,
        public_email: '',
        name: `${username} Example`,
        state: 'active',
        locked: false,
        avatar_url: null,
        web_url: `${server.origin}/${username}`,
      });
      const api = `${server.origin}/api/v4/projects/1`;
      assert.deepEqual(issue, {
        id: 1,
        iid: 1,
        project_id: 1,
        title: 'Lamp 7 stays dark',
        description: '- [x] look\n- [ ] repair\n',
        state: 'opened',
        created_at: '2026-05-10T09:00:00.000Z',
        updated_at: '2026-05-10T09:00:00.000Z',
        closed_at: null,
        closed_by: null,
        labels: ['hardware', 'track 2'],
        milestone: null,
        assignees: [person(3, 'rita'), person(4, 'gus')],
        author: person(2, 'ada'),
        type: 'ISSUE',
        assignee: person(3, 'rita'),
        user_notes_count: 0,
        merge_requests_count: 0,
        upvotes: 0,
        downvotes: 0,
        due_date: '2026-06-01',
        confidential: false,
        discussion_locked: null,
        issue_type: 'issue',
        web_url: `${server.origin}/ada/lamps/-/issues/1`,
        time_stats: { time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null },
        task_completion_status: { count: 2, completed_count: 1 },
        weight: null,
        blocking_issues_count: 0,
        has_tasks: true,
        _links: { self: `${api}/issues/1`, notes: `${api}/issues/1/notes`, project: api, closed_as_duplicate_of: null },
        references: { short: '#1', relative: '#1', full: 'ada/lamps#1' },
        severity: 'UNKNOWN',
        moved_to_id: null,
        imported: false,
        imported_from: 'none',
        service_desk_reply_to: null,
        subscribed: true,
      });
    });

    it('issues are numbered in their project and across all projects', async () => {
      checkIssue(await open({ title: 'a' }), { id: 1, iid: 1 });
      checkIssue(await open({ title: 'b' }, ada, 2), { id: 2, iid: 1 });
      checkIssue(await open({ title: 'c' }), { id: 3, iid: 2 });
      await server.request('DELETE', '/api/v4/projects/1/issues/2', { token: ada.token });
      checkIssue(await open({ title: 'd' }), { id: 4, iid: 3 });
    });

    it('users who are not members can create issues in a public project, without labels, assignees and due date', async () => {
      const input = { title: 'x', labels: ['a'], assignee_ids: [2], due_date: '2026-06-01', confidential: true };
      await open({ title: 'the label', labels: ['a'] }, rita);
      checkIssue(await open(input, otto), { labels: [], assignees: [], due_date: null, confidential: true });
      checkIssue(await open(input, gus), { labels: ['a'], assignees: ['ada'], due_date: '2026-06-01' });
      checkIssue(await open({ title: 'y', labels: 'a,unheard of' }, gus), { labels: ['a'] });
    });

    it('creation time and number of a new issue are respected for owners and administrators only', async () => {
      const input = { title: 'x', created_at: '2020-01-02T03:04:05+01:00', iid: 40 };
      checkIssue(await open(input, rita), { iid: 1, created_at: '2026-05-10T09:00:00.000Z' });
      checkIssue(await open(input), { iid: 40, created_at: '2020-01-02T02:04:05.000Z' });
      checkIssue(await open({ title: 'y' }), { iid: 41 });
      const again = await server.request('POST', '/api/v4/projects/1/issues', { token: admin, json: input });
      assert.equal(again.status, 409);
      assert.deepEqual(again.json(), { message: 'Duplicated issue' });
    });

    it('users who cannot see the project are not assigned to its issues', async () => {
      const issue = await open({ title: 'x', assignee_ids: `${otto.user.id},${gus.user.id},99` }, ada, 2);
      checkIssue(issue, { assignees: ['gus'] });
    });

    scenarios(
      () => server,
      [
        {
          name: 'a title is required',
          method: 'POST',
          path: '/api/v4/projects/1/issues',
          token: admin,
          json: {},
          status: 400,
          body: { error: 'title is missing' },
        },
        {
          name: 'the title is blank',
          method: 'POST',
          path: '/api/v4/projects/1/issues',
          token: admin,
          json: { title: '  ' },
          status: 400,
          body: { message: { title: ["can't be blank"] } },
        },
        {
          name: 'the due date is invalid',
          method: 'POST',
          path: '/api/v4/projects/1/issues',
          token: admin,
          json: { title: 'x', due_date: '2026-02-30' },
          status: 400,
          body: { error: 'due_date is invalid' },
        },
        {
          name: 'a token is required, and checked before parameters',
          method: 'POST',
          path: '/api/v4/projects/1/issues',
          json: {},
          status: 401,
          body: { message: '401 Unauthorized' },
        },
        {
          name: 'the project is not visible to the caller',
          method: 'POST',
          path: '/api/v4/projects/99/issues',
          token: admin,
          json: { title: 'x' },
          status: 404,
          body: { message: '404 Project Not Found' },
        },
      ],
    );

    it('a token with a read scope cannot create issues', async () => {
      const reader = actor(server.platform, 'reader', { scopes: ['read_api'] });
      const response = await server.request('POST', '/api/v4/projects/1/issues', { token: reader.token, json: { title: 'x' } });
      assert.equal(response.status, 403);
      assert.partialDeepStrictEqual(response.json(), { error: 'insufficient_scope', scope: 'api' });
    });

    it('issues of a project that has disabled them can be neither created nor read', async () => {
      await open({ title: 'before' });
      await server.request('PUT', '/api/v4/projects/1', { token: ada.token, json: { issues_access_level: 'disabled' } });
      const refused = await server.request('POST', '/api/v4/projects/1/issues', { token: ada.token, json: { title: 'x' } });
      assert.equal(refused.status, 403);
      assert.deepEqual(await iids('/projects/1/issues', ada), []);
      assert.equal((await get('/projects/1/issues/1', ada)).status, 404);
    });

    it('issues for members only are refused to other users', async () => {
      await open({ title: 'before' });
      await server.request('PUT', '/api/v4/projects/1', { token: ada.token, json: { issues_access_level: 'private' } });
      assert.deepEqual(await iids('/projects/1/issues', otto), []);
      assert.deepEqual(await iids('/projects/1/issues', gus), [1]);
      const refused = await server.request('POST', '/api/v4/projects/1/issues', { token: otto.token, json: { title: 'x' } });
      assert.equal(refused.status, 403);
    });
  });

  describe('updating an issue', () => {
    beforeEach(() => open({ title: 'Lamp 7', labels: 'a,b', assignee_ids: [4], due_date: '2026-06-01' }));

    it('closing and reopening an issue creates system notes and events, and has no effect twice', async () => {
      server.platform.clock.advance(60_000);
      checkIssue((await change(1, { state_event: 'close' }, rita)).json(), {
        state: 'closed',
        closed_at: '2026-05-10T09:01:00.000Z',
        closed_by: 'rita',
        updated_at: '2026-05-10T09:01:00.000Z',
        user_notes_count: 0,
      });
      assert.equal((await change(1, { state_event: 'close' })).status, 200);
      checkIssue((await change(1, { state_event: 'reopen' })).json(), {
        state: 'opened',
        closed_at: null,
        closed_by: null,
      });
      const notes = (await get('/projects/1/issues/1/notes?sort=asc', ada)).json() as { body: string; system: boolean }[];
      assert.deepEqual(
        notes.map((note) => [note.body, note.system]),
        [
          ['closed', true],
          ['reopened', true],
        ],
      );
      const actions = (await get('/projects/1/events?target_type=issue')).json() as { action_name: string }[];
      assert.deepEqual(
        actions.map((event) => event.action_name),
        ['opened', 'closed', 'opened'],
      );
    });

    it('labels, dates and assignees of an issue can be set, added and removed', async () => {
      checkIssue((await change(1, { add_labels: 'c', remove_labels: 'a' })).json(), { labels: ['b', 'c'] });
      checkIssue((await change(1, { labels: '' })).json(), { labels: [] });
      checkIssue((await change(1, { title: 'Lamp 8' })).json(), {
        title: 'Lamp 8',
        due_date: '2026-06-01',
        assignees: ['gus'],
      });
      checkIssue((await change(1, { due_date: '' })).json(), { due_date: null });
      checkIssue((await change(1, { due_date: '2026-07-01' })).json(), { due_date: '2026-07-01' });
      checkIssue((await change(1, { due_date: null })).json(), { due_date: null });
      checkIssue((await change(1, { assignee_ids: [3] })).json(), { assignees: ['rita'] });
      checkIssue((await change(1, { assignee_id: 0 })).json(), { assignees: [] });
      checkIssue((await change(1, { assignee_ids: [3] })).json(), { assignees: ['rita'] });
      checkIssue((await change(1, { assignee_ids: '' })).json(), { assignees: [] });
    });

    it('assignees and authors can update only text and state of an issue, and other users nothing', async () => {
      const input = { title: 'By gus', labels: 'z', due_date: '2030-01-01', confidential: true, assignee_ids: [] };
      checkIssue((await change(1, input, gus)).json(), {
        title: 'By gus',
        labels: ['a', 'b'],
        due_date: '2026-06-01',
        confidential: false,
        assignees: ['gus'],
      });
      const refused = await change(1, { title: 'By otto' }, otto);
      assert.equal(refused.status, 403);
      assert.deepEqual(refused.json(), { message: '403 Forbidden' });
      await open({ title: 'By otto' }, otto);
      checkIssue((await change(2, { state_event: 'close', labels: 'z' }, otto)).json(), {
        state: 'closed',
        labels: [],
      });
    });

    it('updating an issue reports validation errors', async () => {
      const refusals: readonly (readonly [number, object, number, unknown])[] = [
        [
          1,
          {},
          400,
          {
            error:
              'assignee_id, assignee_ids, confidential, description, discussion_locked, due_date, labels, add_labels, remove_labels, milestone_id, state_event, title, issue_type, weight are missing, at least one parameter must be provided',
          },
        ],
        [1, { state_event: 'explode' }, 400, { error: 'state_event does not have a valid value' }],
        [1, { title: '' }, 400, { message: { title: ["can't be blank"] } }],
        [2, { title: 'x' }, 404, NOT_FOUND],
      ];
      for (const [iid, json, status, body] of refusals) {
        const response = await change(iid, json);
        assert.equal(response.status, status, JSON.stringify(json));
        assert.deepEqual(response.json(), body);
      }
    });

    it('events show the current title of their issue', async () => {
      await server.request('POST', '/api/v4/projects/1/issues/1/notes', { token: ada.token, json: { body: 'x' } });
      await change(1, { title: 'Lamp 8' });
      const titles = (await get('/projects/1/events?target_type=note')).json() as { target_title: string }[];
      assert.deepEqual(
        titles.map((event) => event.target_title),
        ['Lamp 8'],
      );
    });
  });

  describe('deleting an issue', () => {
    it('deleting an issue requires the owner role, and deletes its notes and events', async () => {
      await open({ title: 'Lamp 7' });
      await server.request('POST', '/api/v4/projects/1/issues/1/notes', { token: rita.token, json: { body: 'x' } });
      const remove = (who: Actor): Promise<TestResponse> =>
        server.request('DELETE', '/api/v4/projects/1/issues/1', { token: who.token });
      assert.equal((await remove(rita)).status, 403);
      assert.equal((await remove(ada)).status, 204);
      assert.equal((await remove(ada)).status, 404);
      assert.deepEqual((await get('/events', rita)).json(), (await get('/events?action=joined', rita)).json());
      assert.deepEqual(server.platform.store.get('SELECT count(*) AS n FROM notes'), { n: 0 });
    });
  });

  describe('confidential issues', () => {
    beforeEach(async () => {
      await open({ title: 'Secret of ada', confidential: true });
      await open({ title: 'Secret of otto', confidential: true }, otto);
      await open({ title: 'Secret for gus', confidential: true, assignee_ids: [4] });
      await open({ title: 'Open' });
    });

    it('confidential issues are visible to reporters, their authors and assignees, and look absent to others', async () => {
      assert.deepEqual(await iids('/projects/1/issues', ada), [4, 3, 2, 1]);
      assert.deepEqual(await iids('/projects/1/issues', rita), [4, 3, 2, 1]);
      assert.deepEqual(await iids('/projects/1/issues', gus), [4, 3]);
      assert.deepEqual(await iids('/projects/1/issues', otto), [4, 2]);
      assert.deepEqual(await iids('/projects/1/issues'), [4]);
      assert.deepEqual(await iids('/projects/1/issues?confidential=true', otto), [2]);
      assert.deepEqual(await iids('/projects/1/issues?confidential=false', otto), [4]);
      for (const path of ['', '/notes']) {
        const response = await get(`/projects/1/issues/1${path}`, otto);
        assert.equal(response.status, 404);
        assert.deepEqual(response.json(), NOT_FOUND);
      }
      assert.equal((await change(1, { title: 'x' }, otto)).status, 404);
    });

    it('confidential issues are excluded from search and totals', async () => {
      const response = await get('/projects/1/issues?search=secret');
      assert.deepEqual(response.json(), []);
      assert.equal(response.headers.get('x-total'), '0');
    });
  });

  describe('reading an issue', () => {
    scenarios(
      () => server,
      [
        { name: 'the path requires the IID', path: '/api/v4/projects/2/issues/2', token: admin, status: 404, body: NOT_FOUND },
        {
          name: 'the project is not visible to the caller',
          path: '/api/v4/projects/2/issues/1',
          status: 404,
          body: { message: '404 Project Not Found' },
        },
        {
          name: 'the IID is not a number',
          path: '/api/v4/projects/1/issues/x',
          status: 400,
          body: { error: 'issue_iid is invalid' },
        },
      ],
    );
  });

  describe('listing issues', () => {
    beforeEach(async () => {
      const { clock } = server.platform;
      await open({ title: 'Lamp', labels: 'a,b', description: 'dark since the storm' });
      clock.advance(DAY);
      await open({ title: 'gate 100%', labels: 'b', assignee_ids: [3] }, rita);
      clock.advance(DAY);
      await open({ title: 'Bridge', assignee_ids: [3, 4] }, otto);
      await change(3, { assignee_ids: [3, 4] });
      clock.advance(DAY);
      await change(1, { state_event: 'close' });
      await open({ title: 'Inside', labels: 'b' }, gus, 2);
    });

    for (const [query, wanted] of [
      ['', [3, 2, 1]],
      ['?sort=asc', [1, 2, 3]],
      ['?state=opened', [3, 2]],
      ['?state=closed', [1]],
      ['?state=all', [3, 2, 1]],
      ['?labels=b', [2, 1]],
      ['?labels=a,b', [1]],
      ['?labels[]=b&labels[]=a', [1]],
      ['?labels=B', []],
      ['?labels=None', [3]],
      ['?labels=Any', [2, 1]],
      ['?search=STORM', [1]],
      ['?search=storm&in=title', []],
      ['?search=100%25', [2]],
      ['?search=%25', [2]],
      ['?author_id=3', [2]],
      ['?author_username=RITA', [2]],
      ['?author_username=nobody', []],
      ['?assignee_id=4', [3]],
      ['?assignee_id=None', [1]],
      ['?assignee_id=any', [3, 2]],
      ['?assignee_username=rita', [3, 2]],
      ['?assignee_username[]=rita&assignee_username[]=gus', [3]],
      ['?iids[]=1&iids[]=3', [3, 1]],
      ['?iids=2', [2]],
      ['?created_after=2026-05-11T09:00:00Z', [3, 2]],
      ['?created_before=2026-05-11T09:00:00%2B00:00', [2, 1]],
      ['?created_after=2026-05-11T09:00:00Z&created_before=2026-05-11T09:00:00Z', [2]],
      ['?updated_after=2026-05-13T00:00:00Z', [1]],
      ['?updated_before=2026-05-12T00:00:00Z', [2]],
      ['?order_by=updated_at', [1, 3, 2]],
      ['?order_by=title&sort=asc', [3, 1, 2]],
      ['?scope=created_by_me', [1]],
      ['?scope=assigned-to-me', []],
      ['?per_page=1&page=2', [2]],
    ] as const) {
      it(`the list of issues of a project with ${query || 'no filters'} is correct`, async () =>
        assert.deepEqual(await iids(`/projects/1/issues${query}`, ada), wanted));
    }

    it('the list of all issues contains the caller’s own issues by default', async () => {
      const titles = async (query: string, who?: Actor): Promise<string[]> =>
        ((await get(`/issues${query}`, who)).json() as { title: string }[]).map((issue) => issue.title);
      assert.deepEqual(await titles('', gus), ['Inside']);
      assert.deepEqual(await titles('?scope=assigned_to_me', gus), ['Bridge']);
      assert.deepEqual(await titles('?scope=all', gus), ['Inside', 'Bridge', 'gate 100%', 'Lamp']);
      assert.deepEqual(await titles('?scope=all'), ['Bridge', 'gate 100%', 'Lamp']);
      assert.deepEqual(await titles('?scope=all&labels=b', otto), ['gate 100%', 'Lamp']);
      await server.request('POST', '/api/v4/projects/1/archive', { token: ada.token });
      assert.deepEqual(await titles('?scope=all', gus), ['Inside']);
      assert.deepEqual(await titles('?scope=all&non_archived=false&sort=asc', gus), ['Lamp', 'gate 100%', 'Bridge', 'Inside']);
    });

    it('pages of issues are full and linked', async () => {
      const response = await get('/projects/1/issues?per_page=2&state=all', otto);
      assert.equal((response.json() as unknown[]).length, 2);
      assert.equal(response.headers.get('x-total'), '3');
      assert.equal(
        linkTo(response.headers.get('link') ?? undefined, 'next'),
        `${server.origin}/api/v4/projects/1/issues?id=1&order_by=created_at&page=2&per_page=2&sort=desc&state=all&with_labels_details=false`,
      );
    });

    scenarios(
      () => server,
      [
        {
          name: 'the caller’s own issues require a token',
          path: '/api/v4/issues',
          status: 401,
          body: { message: '401 Unauthorized' },
        },
        {
          name: 'parameters are validated before the token',
          path: '/api/v4/issues?state=odd',
          status: 400,
          body: { error: 'state does not have a valid value' },
        },
        {
          name: 'author_id and author_username are mutually exclusive',
          path: '/api/v4/projects/1/issues?author_id=1&author_username=root',
          status: 400,
          body: { error: 'author_id, author_username are mutually exclusive' },
        },
        {
          name: 'assignee_id and assignee_username are mutually exclusive',
          path: '/api/v4/projects/1/issues?assignee_id=1&assignee_username=root',
          status: 400,
          body: { error: 'assignee_id, assignee_username are mutually exclusive' },
        },
        {
          name: 'the assignee is neither a number nor a keyword',
          path: '/api/v4/projects/1/issues?assignee_id=ada',
          status: 400,
          body: { error: "assignee_id should be an integer, 'None' or 'Any'" },
        },
        {
          name: 'several validation errors are reported together',
          path: '/api/v4/projects/1/issues?order_by=weather&sort=up&iids=x',
          status: 400,
          body: { error: 'iids is invalid, order_by does not have a valid value, sort does not have a valid value' },
        },
      ],
    );
  });
});
