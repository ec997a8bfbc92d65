import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type Actor, actor } from '../projects/cast.ts';
import { PageClient } from '../../support/pages.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const NOT_FOUND = { message: '404 Not found' };

describe('epics', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  let gus: Actor;
  let otto: Actor;

  /** The public group signals with ada as owner, rita as reporter and gus as guest. Project 1 is in signals/lamps, project 2 belongs to ada. */
  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    platform.clock.freeze(Date.UTC(2026, 4, 10, 9));
    [ada, rita, gus, otto] = ['ada', 'rita', 'gus', 'otto'].map((name) => actor(platform, name)) as [Actor, Actor, Actor, Actor];
    const signals = createGroup(platform, ada.user, { name: 'Signals', path: 'signals', visibility: 'public' });
    addGroupMember(platform, signals.group, rita.user, { level: 20 }, { user: ada.user });
    addGroupMember(platform, signals.group, gus.user, { level: 10 }, { user: ada.user });
    const lamps = createGroup(platform, ada.user, { name: 'Lamps', path: 'lamps', parent: signals, visibility: 'public' });
    createProject(platform, ada.user, { name: 'Inside', namespaceId: lamps.group.id, visibility: 'public' });
    createProject(platform, ada.user, { name: 'Own', visibility: 'public' });
  });
  afterEach(() => server.close());

  const send = (method: string, path: string, who: Actor | undefined, json?: object): Promise<TestResponse> =>
    server.request(method, `/api/v4${path}`, {
      ...(who === undefined ? {} : { token: who.token }),
      ...(json === undefined ? {} : { json }),
    });
  const make = async (json: object, who: Actor = ada, group = 'signals'): Promise<Record<string, unknown>> => {
    const response = await send('POST', `/groups/${group}/epics`, who, json);
    assert.equal(response.status, 201, response.text);
    return response.json() as Record<string, unknown>;
  };
  const titles = async (path: string, who: Actor = ada): Promise<string> => {
    const response = await send('GET', path, who);
    assert.equal(response.status, 200, response.text);
    return (response.json() as { title: string }[]).map(({ title }) => title).join(' ');
  };
  const groupId = () => server.platform.store.get<{ id: number }>("SELECT id FROM namespaces WHERE full_path = 'signals'")?.id;

  it('an epic is returned with all attributes', async () => {
    const made = await make({
      title: 'Season',
      description: 'Before it begins',
      labels: 'b,a',
      start_date_is_fixed: true,
      start_date_fixed: '2026-05-01',
      due_date_fixed: '2026-06-01',
    });
    const { author, ...rest } = made;
    assert.partialDeepStrictEqual(author, { username: 'ada' });
    const api = `${server.origin}/api/v4/groups/${groupId()}`;
    assert.deepEqual(rest, {
      id: 1,
      iid: 1,
      group_id: groupId(),
      parent_id: null,
      parent_iid: null,
      title: 'Season',
      description: 'Before it begins',
      confidential: false,
      start_date: '2026-05-01',
      start_date_is_fixed: true,
      start_date_fixed: '2026-05-01',
      start_date_from_inherited_source: null,
      start_date_from_milestones: null,
      end_date: null,
      due_date: null,
      due_date_is_fixed: false,
      due_date_fixed: '2026-06-01',
      due_date_from_inherited_source: null,
      due_date_from_milestones: null,
      state: 'opened',
      web_url: `${server.origin}/groups/signals/-/epics/1`,
      reference: '&1',
      references: { short: '&1', relative: '&1', full: 'signals&1' },
      created_at: '2026-05-10T09:00:00.000Z',
      updated_at: '2026-05-10T09:00:00.000Z',
      closed_at: null,
      labels: ['a', 'b'],
      upvotes: 0,
      downvotes: 0,
      imported: false,
      imported_from: 'none',
      _links: { self: `${api}/epics/1`, epic_issues: `${api}/epics/1/issues`, group: api, parent: null },
      subscribed: true,
    });
    assert.deepEqual((await send('GET', '/groups/signals/epics/1', otto)).json(), { ...made, subscribed: false });
    await send('DELETE', '/groups/signals/epics/1', ada);
    assert.deepEqual((await make({ title: 'Next' }))['iid'], 2);
  });

  it('epics can be changed by reporters and deleted by owners', async () => {
    await make({ title: 'Season', labels: 'a' }, rita);
    const change = (json: object, who = rita) => send('PUT', '/groups/signals/epics/1', who, json);
    server.platform.clock.advance(60_000);
    assert.partialDeepStrictEqual((await change({ state_event: 'close', add_labels: 'b', remove_labels: 'a' })).json(), {
      state: 'closed',
      closed_at: '2026-05-10T09:01:00.000Z',
      updated_at: '2026-05-10T09:01:00.000Z',
      labels: ['b'],
      title: 'Season',
    });
    assert.partialDeepStrictEqual((await change({ state_event: 'reopen', title: 'Winter', labels: '' })).json(), {
      state: 'opened',
      closed_at: null,
      title: 'Winter',
      labels: [],
    });
    assert.partialDeepStrictEqual((await change({ due_date_is_fixed: true, due_date_fixed: '2026-6-1' })).json(), {
      due_date: '2026-06-01',
      end_date: '2026-06-01',
    });
    assert.partialDeepStrictEqual((await change({ due_date_fixed: '' })).json(), { due_date: null, due_date_is_fixed: true });
    for (const [json, status, body] of [
      [{ title: ' ' }, 400, { message: { title: ["can't be blank"] } }],
      [{ state_event: 'x' }, 400, { error: 'state_event does not have a valid value' }],
      [
        {},
        400,
        {
          error:
            'add_labels, confidential, description, due_date_fixed, due_date_is_fixed, labels, remove_labels, start_date_fixed, start_date_is_fixed, state_event, title are missing, at least one parameter must be provided',
        },
      ],
    ] as const) {
      const response = await change(json);
      assert.deepEqual([response.status, response.json()], [status, body]);
    }
    for (const who of [gus, otto]) {
      assert.equal((await change({ title: 'x' }, who)).status, 403);
      assert.equal((await send('POST', '/groups/signals/epics', who, { title: 'x' })).status, 403);
    }
    assert.equal((await send('DELETE', '/groups/signals/epics/1', rita)).status, 403);
    assert.equal((await send('DELETE', '/groups/signals/epics/1', ada)).status, 204);
    assert.deepEqual((await send('GET', '/groups/signals/epics/1', ada)).json(), NOT_FOUND);
    assert.equal((await send('GET', '/groups/signals/epics', undefined)).status, 401);
    assert.deepEqual(server.platform.store.all('SELECT * FROM label_links'), []);
  });

  it('the list of epics includes those of ancestors and descendants of the group', async () => {
    const { clock } = server.platform;
    await make({ title: 'a', labels: 'x,y', description: 'storm' });
    clock.advance(1000);
    await make({ title: 'c', labels: 'x' }, rita);
    clock.advance(1000);
    await make({ title: 'b', confidential: true });
    await make({ title: 'd' }, ada, 'signals%2Flamps');
    clock.advance(1000);
    await send('PUT', '/groups/signals/epics/1', ada, { state_event: 'close' });
    for (const [query, wanted] of [
      ['', 'd b c a'],
      ['?sort=asc', 'a c b d'],
      ['?order_by=title&sort=asc', 'a b c d'],
      ['?order_by=updated_at', 'a d b c'],
      ['?state=opened', 'd b c'],
      ['?state=closed', 'a'],
      ['?labels=x', 'c a'],
      ['?labels=x,y', 'a'],
      ['?labels=None', 'd b'],
      ['?author_username=rita', 'c'],
      ['?author_id=2', 'd b a'],
      ['?search=STORM', 'a'],
      ['?confidential=true', 'b'],
      ['?iids[]=1&include_descendant_groups=false', 'a'],
      ['?include_descendant_groups=false', 'b c a'],
      ['?created_after=2026-05-10T09:00:01Z', 'd b c'],
      ['?created_before=2026-05-10T09:00:00Z', 'a'],
      ['?updated_after=2026-05-10T09:00:03Z', 'a'],
      ['?updated_before=2026-05-10T09:00:01Z', 'c'],
    ] as const) {
      assert.equal(await titles(`/groups/signals/epics${query}`), wanted, query);
    }
    assert.equal(await titles('/groups/signals%2Flamps/epics'), 'd');
    assert.equal(await titles('/groups/signals%2Flamps/epics?include_ancestor_groups=true&sort=asc'), 'a c b d');
    const [first] = (await send('GET', '/groups/signals/epics?search=d&with_labels_details=true', ada)).json() as object[];
    assert.partialDeepStrictEqual(first, { references: { short: '&1', relative: 'signals/lamps&1', full: 'signals/lamps&1' } });
    const [detailed] = (await send('GET', '/groups/signals/epics?labels=y&with_labels_details=true', ada)).json() as object[];
    assert.partialDeepStrictEqual(detailed, { labels: [{ name: 'x' }, { name: 'y', color: '#6699cc' }] });
  });

  it('confidential epics are visible from the reporter role', async () => {
    await make({ title: 'secret', confidential: true });
    const visitor = new PageClient(server);
    await visitor.signIn('gus');
    const member = new PageClient(server);
    await member.signIn('rita');
    for (const [who, isSeen] of [
      [rita, true],
      [gus, false],
      [otto, false],
    ] as const) {
      assert.equal(await titles('/groups/signals/epics', who), isSeen ? 'secret' : '');
      assert.equal((await send('GET', '/groups/signals/epics/1', who)).status, isSeen ? 200 : 404);
    }
    assert.equal((await visitor.open('/groups/signals/-/epics/1')).status, 404);
    assert.equal((await member.open('/groups/signals/-/epics/1')).status, 200);
  });

  it('epics contain issues of projects in their group, each in one epic, and inherit the dates of their milestones', async () => {
    await make({ title: 'Season', description: 'a <b>' });
    await make({ title: 'Winter' });
    const milestone = { title: 'soon', start_date: '2026-05-02', due_date: '2026-05-30' };
    await send('POST', '/projects/1/milestones', ada, milestone);
    for (const json of [
      { title: 'Lamp', milestone_id: 1 },
      { title: 'Fuse', confidential: true },
    ])
      await send('POST', '/projects/1/issues', ada, json);
    await send('POST', '/projects/2/issues', ada, { title: 'Elsewhere' });
    const issues = (epic: number, who = ada) => titles(`/groups/signals/epics/${epic}/issues`, who);
    const add = (epic: number, issue: number, who = rita) => send('POST', `/groups/signals/epics/${epic}/issues/${issue}`, who);
    const added = await add(1, 1);
    assert.equal(added.status, 201, added.text);
    assert.partialDeepStrictEqual(added.json(), {
      id: 1,
      epic: { id: 1, due_date: '2026-05-30' },
      issue: { id: 1, title: 'Lamp' },
    });
    assert.equal((await add(1, 2)).status, 201);
    assert.equal(await issues(1), 'Lamp Fuse');
    assert.equal(await issues(1, otto), 'Lamp');
    assert.partialDeepStrictEqual((await send('GET', '/groups/signals/epics/1/issues', ada)).json(), [
      { id: 1, epic_issue_id: 1 },
      { id: 2, epic_issue_id: 2 },
    ]);
    assert.partialDeepStrictEqual((await send('GET', '/groups/signals/epics/1', ada)).json(), {
      start_date: '2026-05-02',
      start_date_from_inherited_source: '2026-05-02',
      end_date: '2026-05-30',
    });
    assert.equal((await add(2, 1)).status, 201);
    assert.deepEqual([await issues(1), await issues(2)], ['Fuse', 'Lamp']);
    for (const [epic, issue, who, status] of [
      [1, 3, ada, 404],
      [1, 9, ada, 404],
      [9, 1, ada, 404],
      [1, 1, gus, 403],
    ] as const) {
      assert.equal((await add(epic, issue, who)).status, status, `${epic} ${issue}`);
    }
    const remove = (epic: number, tie: number, who = rita) => send('DELETE', `/groups/signals/epics/${epic}/issues/${tie}`, who);
    assert.equal((await remove(1, 3)).status, 404);
    assert.equal((await remove(2, 3, gus)).status, 403);
    assert.partialDeepStrictEqual((await remove(2, 3)).json(), { id: 3, epic: { id: 2 }, issue: { id: 1 } });
    assert.equal((await remove(2, 3)).status, 404);
    assert.equal(await issues(2), '');
    const text = (await new PageClient(server).open('/groups/signals/-/epics/1')).text;
    assert.match(text, /<h1>Season<\/h1>/);
    assert.ok(text.includes('a &lt;b&gt;') && !text.includes('Fuse'));
    await send('DELETE', '/projects/1/issues/2', ada);
    assert.equal(await issues(1), '');
  });

  it('epics never appear in activity feeds', async () => {
    await make({ title: 'Season' });
    assert.deepEqual((await send('GET', '/events?target_type=epic', ada)).json(), []);
    const all = (await send('GET', '/events', ada)).json() as { target_type: string | null }[];
    assert.ok(all.every((event) => event.target_type === null));
  });

  it('users who can see an epic can comment on it by its ID, without events', async () => {
    const { id } = await make({ title: 'Dry harbour' });
    const path = `/groups/signals/epics/${String(id)}`;
    const note = await send('POST', `${path}/notes`, otto, { body: 'Good.' });
    assert.equal(note.status, 201, note.text);
    assert.partialDeepStrictEqual(note.json(), {
      type: null,
      noteable_type: 'Epic',
      noteable_id: id,
      noteable_iid: 1,
      project_id: null,
      author: { username: 'otto' },
    });
    assert.equal((await send('POST', `${path}/notes`, gus, { body: 'Ours', internal: true })).status, 403);
    assert.equal((await send('POST', `${path}/notes`, rita, { body: 'Ours', internal: true })).status, 201);
    const bodies = async (who: Actor): Promise<string[]> =>
      ((await send('GET', `${path}/notes?sort=asc`, who)).json() as { body: string }[]).map(({ body }) => body);
    assert.deepEqual([await bodies(otto), await bodies(rita)], [['Good.'], ['Good.', 'Ours']]);
    const thread = (await send('POST', `${path}/discussions`, rita, { body: 'Why?' })).json() as { id: string };
    const response = await send('POST', `${path}/discussions/${thread.id}/notes`, otto, { body: 'So.' });
    assert.partialDeepStrictEqual(response.json(), { type: 'DiscussionNote', body: 'So.' });
    assert.deepEqual((await send('GET', '/events', otto)).json(), []);
    const hidden = await make({ title: 'Secret', confidential: true });
    const refused = await send('GET', `/groups/signals/epics/${String(hidden['id'])}/notes`, otto);
    assert.deepEqual([refused.status, refused.json()], [404, NOT_FOUND]);
    const elsewhere = await send('GET', `/groups/signals%2Flamps/epics/${String(id)}/notes`, otto);
    assert.equal(elsewhere.status, 404);
    assert.equal((await send('DELETE', '/groups/signals/epics/1', ada)).status, 204);
    assert.deepEqual(server.platform.store.all('SELECT id FROM notes'), []);
  });
});

it('epics do not exist on the free tier, like an unknown path', async () => {
  await using server = await startTestServer({ profile: { tier: 'free' } });
  const ada = actor(server.platform, 'ada');
  createGroup(server.platform, ada.user, { name: 'Signals', path: 'signals' });
  for (const [method, path] of [
    ['GET', ''],
    ['POST', ''],
    ['GET', '/1'],
    ['GET', '/1/issues'],
  ] as const) {
    const response = await server.request(method, `/api/v4/groups/signals/epics${path}`, { token: ada.token });
    assert.deepEqual([response.status, response.json()], [404, { error: '404 Not Found' }]);
  }
});
