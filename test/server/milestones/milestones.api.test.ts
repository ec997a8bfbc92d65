import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { PageClient } from '../../support/pages.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const NOT_FOUND = { message: '404 Not found' };

describe('milestones', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  let gus: Actor;
  let otto: Actor;

  /** Project 1 is public and belongs to ada, with rita as reporter and gus as guest. Project 2 is in her private group signals/lamps. */
  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    platform.clock.freeze(Date.UTC(2026, 4, 10, 9));
    [ada, rita, gus, otto] = ['ada', 'rita', 'gus', 'otto'].map((name) => actor(platform, name)) as [Actor, Actor, Actor, Actor];
    projectWith(platform, ada, { name: 'Lamps', visibility: 'public' }, [
      [rita, 20],
      [gus, 10],
    ]);
    const signals = createGroup(platform, ada.user, { name: 'Signals', path: 'signals' });
    addGroupMember(platform, signals.group, rita.user, { level: 20 }, { user: ada.user });
    const lamps = createGroup(platform, ada.user, { name: 'Lamps', path: 'lamps', parent: signals });
    createProject(platform, ada.user, { name: 'Inside', namespaceId: lamps.group.id });
  });
  afterEach(() => server.close());

  const send = (method: string, path: string, who: Actor | undefined, json?: object): Promise<TestResponse> =>
    server.request(method, `/api/v4${path}`, {
      ...(who === undefined ? {} : { token: who.token }),
      ...(json === undefined ? {} : { json }),
    });
  const make = async (path: string, json: object, who: Actor = ada): Promise<Record<string, unknown>> => {
    const response = await send('POST', `${path}/milestones`, who, json);
    assert.equal(response.status, 201, response.text);
    return response.json() as Record<string, unknown>;
  };
  const titles = async (path: string, who: Actor = ada): Promise<string[]> => {
    const response = await send('GET', path, who);
    assert.equal(response.status, 200, response.text);
    return (response.json() as { title: string }[]).map(({ title }) => title);
  };

  it('milestones are returned with all attributes, and numbered separately in each project and group', async () => {
    const input = { title: '1.0', description: 'The first', start_date: '2026-05-01', due_date: '2026-05-09' };
    const wanted = {
      id: 1,
      iid: 1,
      project_id: 1,
      title: '1.0',
      description: 'The first',
      state: 'active',
      created_at: '2026-05-10T09:00:00.000Z',
      updated_at: '2026-05-10T09:00:00.000Z',
      due_date: '2026-05-09',
      start_date: '2026-05-01',
      expired: true,
      web_url: `${server.origin}/ada/lamps/-/milestones/1`,
    };
    assert.deepEqual(await make('/projects/1', input), wanted);
    assert.deepEqual((await send('GET', '/projects/1/milestones/1', otto)).json(), wanted);
    const { project_id: _, ...shared } = wanted;
    assert.deepEqual(await make('/groups/signals%2Flamps', { title: '2.0', due_date: '2026-05-10' }), {
      ...shared,
      id: 2,
      group_id: server.platform.store.get<{ id: number }>("SELECT id FROM namespaces WHERE full_path = 'signals/lamps'")?.id,
      title: '2.0',
      description: null,
      due_date: '2026-05-10',
      start_date: null,
      expired: false,
      web_url: `${server.origin}/groups/signals/lamps/-/milestones/1`,
    });
    assert.deepEqual((await make('/projects/1', { title: '1.1' }))['iid'], 2);
    await send('DELETE', '/projects/1/milestones/3', ada);
    assert.deepEqual((await make('/projects/1', { title: '1.2' }))['iid'], 3);
  });

  it('milestones can be changed from the reporter role, and only in their own project or group', async () => {
    await make('/projects/1', { title: '1.0', start_date: '2026-05-01', due_date: '2026-05-09' }, rita);
    const change = (json: object, who: Actor = rita) => send('PUT', '/projects/1/milestones/1', who, json);
    server.platform.clock.advance(60_000);
    assert.partialDeepStrictEqual((await change({ state_event: 'close', description: 'x', due_date: '' })).json(), {
      state: 'closed',
      description: 'x',
      due_date: null,
      start_date: '2026-05-01',
      updated_at: '2026-05-10T09:01:00.000Z',
    });
    assert.partialDeepStrictEqual((await change({ state_event: 'activate', start_date: null })).json(), {
      state: 'active',
      start_date: null,
    });
    for (const who of [gus, otto]) {
      assert.equal((await change({ title: 'x' }, who)).status, 403);
      assert.equal((await send('POST', '/projects/1/milestones', who, { title: 'x' })).status, 403);
      assert.equal((await send('DELETE', '/projects/1/milestones/1', who)).status, 403);
    }
    assert.deepEqual((await send('GET', '/projects/2/milestones/1', ada)).json(), NOT_FOUND);
    assert.deepEqual((await send('GET', '/groups/signals/milestones/1', ada)).json(), NOT_FOUND);
    assert.equal((await send('GET', '/projects/1/milestones', undefined)).status, 401);
    await send('POST', '/projects/1/archive', ada);
    assert.equal((await change({ title: 'x' }, ada)).status, 403);
  });

  it('milestones report validation errors', async () => {
    await make('/groups/signals', { title: 'taken' });
    await make('/projects/2', { title: 'mine', start_date: '2026-05-01' });
    const used = '{:title=>["already being used for another group or project milestone."]}';
    for (const [method, path, json, body] of [
      ['POST', '', {}, { error: 'title is missing' }],
      ['POST', '', { title: ' ' }, { message: 'Failed to create milestone {:title=>["can\'t be blank"]}' }],
      ['POST', '', { title: 'taken' }, { message: `Failed to create milestone ${used}` }],
      ['POST', '', { title: 'x', due_date: 'soon' }, { error: 'due_date is invalid' }],
      [
        'PUT',
        '/2',
        { due_date: '2026-04-30' },
        { message: 'Failed to update milestone {:due_date=>["must be greater than start date"]}' },
      ],
      ['PUT', '/2', { title: 'taken' }, { message: `Failed to update milestone ${used}` }],
      ['PUT', '/2', { state_event: 'reopen' }, { error: 'state_event does not have a valid value' }],
      [
        'PUT',
        '/2',
        {},
        { error: 'title, description, start_date, due_date, state_event are missing, at least one parameter must be provided' },
      ],
    ] as const) {
      const response = await send(method, `/projects/2/milestones${path}`, ada, json);
      assert.deepEqual([response.status, response.json()], [400, body], `${method} ${path} ${JSON.stringify(json)}`);
    }
    const above = await send('POST', '/groups/signals/milestones', ada, { title: 'mine' });
    assert.deepEqual([above.status, above.json()], [400, { message: `Failed to create milestone ${used}` }]);
    await make('/projects/1', { title: 'taken' });
  });

  it('milestones are listed by due date, and can be filtered', async () => {
    const group = '/groups/signals';
    await make(group, { title: 'no end', description: 'Some day' });
    await make(group, { title: 'b May', start_date: '2026-05-01', due_date: '2026-05-31' });
    await make(group, { title: 'a May', start_date: '2026-05-15', due_date: '2026-05-31' });
    server.platform.clock.advance(60_000);
    await make(group, { title: 'June', start_date: '2026-06-01', due_date: '2026-06-30' });
    await send('PUT', '/groups/signals/milestones/2', ada, { state_event: 'close' });
    await make('/groups/signals%2Flamps', { title: 'inner' });
    await make('/projects/2', { title: 'innermost' });
    for (const [query, wanted] of [
      ['', ['a May', 'b May', 'June', 'no end']],
      ['?state=active', ['a May', 'June', 'no end']],
      ['?state=closed', ['b May']],
      ['?iids[]=1&iids[]=4', ['June', 'no end']],
      ['?title=June', ['June']],
      ['?title=june', []],
      ['?search=SOME', ['no end']],
      ['?search=may', ['a May', 'b May']],
      ['?search_title=may+b', ['b May']],
      ['?search_title=some', []],
      ['?updated_before=2026-05-10T09:00:30Z', ['a May', 'no end']],
      ['?updated_after=2026-05-10T09:00:30Z', ['b May', 'June']],
      ['?containing_date=2026-05-15', ['a May', 'b May']],
      ['?containing_date=2026-05-14', ['b May']],
      ['?start_date=2026-05-31&end_date=2026-06-01', ['a May', 'b May', 'June']],
      ['?start_date=2026-06-01&end_date=2026-06-02', ['June']],
      ['?start_date=2026-06-01', ['a May', 'b May', 'June', 'no end']],
      ['?include_descendants=true', ['a May', 'b May', 'June', 'inner', 'innermost', 'no end']],
      ['?per_page=1&page=2', ['b May']],
    ] as const) {
      assert.deepEqual(await titles(`${group}/milestones${query}`), wanted, query);
    }
    assert.deepEqual(await titles('/projects/2/milestones'), ['innermost']);
    assert.deepEqual(await titles('/projects/2/milestones?include_ancestors=true&state=active&iids=1'), [
      'a May',
      'June',
      'inner',
      'innermost',
      'no end',
    ]);
    assert.deepEqual(await titles('/groups/signals%2Flamps/milestones?include_parent_milestones=true&search=in'), ['inner']);
    assert.deepEqual(await titles('/groups/signals%2Flamps/milestones?include_ancestors=true&search=may'), ['a May', 'b May']);
  });

  it('milestones of the project and its ancestor groups can be set on issues and removed', async () => {
    await make('/projects/2', { title: 'own' });
    await make('/groups/signals', { title: 'around' });
    await make('/projects/1', { title: 'foreign' });
    const opened = async (json: object) => (await send('POST', '/projects/2/issues', ada, json)).json();
    assert.partialDeepStrictEqual(await opened({ title: 'a', milestone_id: 1 }), { milestone: { id: 1, title: 'own' } });
    assert.partialDeepStrictEqual(await opened({ title: 'b', milestone_id: 2 }), { milestone: { id: 2, title: 'around' } });
    assert.partialDeepStrictEqual(await opened({ title: 'c', milestone_id: 3 }), { milestone: null });
    assert.deepEqual(await titles('/projects/2/milestones/1/issues'), ['a']);
    assert.deepEqual(await titles('/groups/signals/milestones/2/issues'), ['b']);
    assert.deepEqual((await send('GET', '/projects/2/milestones/2/issues', ada)).json(), NOT_FOUND);
    const change = async (json: object) => (await send('PUT', '/projects/2/issues/1', ada, json)).json();
    assert.partialDeepStrictEqual(await change({ title: 'a2' }), { milestone: { id: 1 } });
    assert.partialDeepStrictEqual(await change({ milestone_id: 2 }), { milestone: { id: 2 } });
    assert.partialDeepStrictEqual(await change({ milestone_id: 0 }), { milestone: null });
    assert.partialDeepStrictEqual(await change({ milestone_id: 2 }), { milestone: { id: 2 } });
    assert.partialDeepStrictEqual(await change({ milestone_id: '' }), { milestone: null });
    assert.equal((await send('DELETE', '/groups/signals/milestones/2', ada)).status, 204);
    assert.partialDeepStrictEqual((await send('GET', '/projects/2/issues/2', ada)).json(), { milestone: null });
  });

  it('issues can be filtered by title and dates of their milestone', async () => {
    for (const [project, title, start, due] of [
      [1, 'past', '2026-04-01', '2026-05-09'],
      [1, 'now', '2026-05-10', '2026-05-10'],
      [1, 'next', '2026-05-11', '2026-05-11'],
      [1, 'later', null, '2026-06-11'],
      [1, 'begun', '2026-05-01', null],
      [2, 'next', null, '2026-07-11'],
    ] as const) {
      const { id } = await make(`/projects/${project}`, { title, start_date: start, due_date: due });
      await send('POST', `/projects/${project}/issues`, ada, { title: `${project} ${title}`, milestone_id: id });
    }
    await make('/projects/1', { title: 'closed', start_date: '2026-05-01', due_date: '2026-05-11' });
    await send('POST', '/projects/1/issues', ada, { title: '1 closed', milestone_id: 7 });
    await send('PUT', '/projects/1/milestones/7', ada, { state_event: 'close' });
    await send('POST', '/projects/1/issues', ada, { title: '1 none' });
    for (const [query, wanted] of [
      ['milestone=next', ['1 next', '2 next']],
      ['milestone=NEXT', []],
      ['milestone=None', ['1 none']],
      ['milestone_id=None', ['1 none']],
      ['milestone_id=Any', ['1 past', '1 now', '1 next', '1 later', '1 begun', '2 next', '1 closed']],
      ['milestone_id=Upcoming', ['1 next', '2 next']],
      ['milestone=%23upcoming', ['1 next', '2 next']],
      ['milestone_id=Started', ['1 past', '1 now', '1 begun']],
    ] as const) {
      assert.deepEqual(await titles(`/issues?scope=all&sort=asc&${query}`), wanted, query);
    }
    for (const [query, error] of [
      ['milestone_id=3', 'milestone_id does not have a valid value'],
      ['milestone_id=Any&milestone=next', 'milestone_id, milestone are mutually exclusive'],
    ] as const) {
      const refused = await send('GET', `/issues?scope=all&${query}`, ada);
      assert.deepEqual([refused.status, refused.json()], [400, { error }]);
    }
  });

  it('confidential issues of a milestone are visible only to users who can see them', async () => {
    await make('/projects/1', { title: 'own' });
    await send('POST', '/projects/1/issues', ada, { title: 'secret', milestone_id: 1, confidential: true });
    await send('POST', '/projects/1/issues', ada, { title: 'open', milestone_id: 1 });
    assert.deepEqual(await titles('/projects/1/milestones/1/issues', rita), ['open', 'secret']);
    assert.deepEqual(await titles('/projects/1/milestones/1/issues', otto), ['open']);
  });

  it('milestones of projects appear in the feed when they are opened, closed, reopened and deleted', async () => {
    const events = async () =>
      ((await send('GET', '/projects/1/events?target_type=milestone&sort=asc', otto)).json() as Record<string, unknown>[]).map(
        (event) => ['action_name', 'target_id', 'target_iid', 'target_type', 'target_title'].map((name) => event[name]),
      );
    await make('/projects/1', { title: '1.0' });
    await send('PUT', '/projects/1/milestones/1', ada, { state_event: 'close' });
    await send('PUT', '/projects/1/milestones/1', ada, { state_event: 'close' });
    await send('PUT', '/projects/1/milestones/1', ada, { state_event: 'activate', title: '1.1' });
    assert.deepEqual(await events(), [
      ['opened', 1, 1, 'Milestone', '1.1'],
      ['closed', 1, 1, 'Milestone', '1.1'],
      ['opened', 1, 1, 'Milestone', '1.1'],
    ]);
    await send('DELETE', '/projects/1/milestones/1', ada);
    const gone = [null, null, 'Milestone', null];
    assert.deepEqual(await events(), [
      ['opened', ...gone],
      ['closed', ...gone],
      ['opened', ...gone],
      ['destroyed', ...gone],
    ]);
    await make('/groups/signals', { title: '2.0' });
    assert.deepEqual(
      server.platform.store.get("SELECT count(*) AS n FROM events WHERE target_type = 'Milestone' AND target_id IS NOT NULL"),
      { n: 0 },
    );
  });

  it('milestones are visible to users who can see issues or code', async () => {
    const { platform } = server;
    projectWith(platform, ada, { name: 'Closed' }, [
      [rita, 20],
      [gus, 10],
    ]);
    await make('/projects/3', { title: '1.0' });
    const seen = async (who: Actor) => ((await send('GET', '/projects/3/events?target_type=milestone', who)).json() as []).length;
    assert.deepEqual([await seen(rita), await seen(gus)], [1, 1]);
    await send('PUT', '/projects/3', ada, { issues_access_level: 'disabled' });
    assert.deepEqual([await seen(rita), await seen(gus)], [1, 0]);
    assert.equal((await send('GET', '/projects/3/milestones', rita)).status, 200);
    assert.equal((await send('GET', '/projects/3/milestones', gus)).status, 403);
  });

  it('milestones have a page with the issues that are visible to the user', async () => {
    const own = await make('/projects/1', { title: '1 <b>0', description: 'First & best', due_date: '2026-06-01' });
    const around = await make('/groups/signals', { title: '2.0' });
    await send('POST', '/projects/1/issues', ada, { title: 'Dark <i>', milestone_id: own['id'] });
    await send('POST', '/projects/1/issues', ada, { title: 'Secret', milestone_id: own['id'], confidential: true });
    await send('POST', '/projects/2/issues', ada, { title: 'Inside', milestone_id: around['id'] });
    const visitor = new PageClient(server);
    const text = (await visitor.open(String(own['web_url']))).text;
    assert.match(text, /<h1>1 &lt;b&gt;0<\/h1>/);
    for (const shown of ['First &amp; best', '2026-06-01', 'Dark &lt;i&gt;', 'href="/ada/lamps/-/issues/1"']) {
      assert.ok(text.includes(shown), shown);
    }
    assert.ok(!text.includes('Secret'));
    for (const path of [String(around['web_url']), '/groups/unheard-of/-/milestones/1']) {
      const led = await visitor.open(path);
      assert.deepEqual([led.status, led.headers.get('location')?.startsWith('/users/sign_in')], [303, true], path);
    }
    await visitor.signIn('ada');
    assert.ok((await visitor.open(String(own['web_url']))).text.includes('Secret'));
    assert.ok((await visitor.open(String(around['web_url']))).text.includes('Inside'));
    for (const path of ['/ada/lamps/-/milestones/7', '/groups/signals/-/milestones/x', '/groups/3/-/milestones/1']) {
      assert.equal((await visitor.open(path)).status, 404, path);
    }
    await send('PUT', '/groups/signals', ada, { path: 'lights' });
    const moved = await visitor.open('/groups/signals/-/milestones/1');
    assert.deepEqual([moved.status, moved.headers.get('location')], [303, '/groups/lights/-/milestones/1']);
  });
});
