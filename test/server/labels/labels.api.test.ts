import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { findGroup, type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const NOT_FOUND = { message: '404 Label Not Found' };

describe('labels', () => {
  let server: TestServer;
  let ada: Actor;
  let rita: Actor;
  let gus: Actor;
  let otto: Actor;
  let signals: FoundGroup;

  /**
   * Project 1 is public and belongs to ada, with rita as reporter and gus as guest. Project 2 is in the private group signals/lamps. ada is
   * owner and rita reporter of that group and of its parent group signals.
   */
  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    [ada, rita, gus, otto] = ['ada', 'rita', 'gus', 'otto'].map((name) => actor(platform, name)) as [Actor, Actor, Actor, Actor];
    projectWith(platform, ada, { name: 'Lamps', visibility: 'public' }, [
      [rita, 20],
      [gus, 10],
    ]);
    signals = createGroup(platform, ada.user, { name: 'Signals', path: 'signals' });
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
    const response = await send('POST', `${path}/labels`, who, json);
    assert.equal(response.status, 201, response.text);
    return response.json() as Record<string, unknown>;
  };
  const names = async (path: string, who: Actor = ada): Promise<string[]> => {
    const response = await send('GET', path, who);
    assert.equal(response.status, 200, response.text);
    return (response.json() as { name: string }[]).map(({ name }) => name);
  };
  const issue = async (json: object, project = 1, who: Actor = ada): Promise<{ id: number; iid: number; labels: string[] }> => {
    const response = await send('POST', `/projects/${project}/issues`, who, json);
    assert.equal(response.status, 201, response.text);
    return response.json() as { id: number; iid: number; labels: string[] };
  };

  it('a label of a project is returned with all attributes, by ID and by title', async () => {
    const wanted = {
      id: 1,
      name: 'bug & more',
      description: 'Broken <lamps>',
      description_html: 'Broken &lt;lamps&gt;',
      text_color: '#FFFFFF',
      color: '#d9534f',
      subscribed: false,
      priority: 10,
      is_project_label: true,
    };
    const input = { name: ' bug & more ', color: '#d9534f', description: 'Broken <lamps>', priority: 10 };
    assert.deepEqual(await make('/projects/1', input), wanted);
    for (const named of ['1', 'bug%20%26%20more'])
      assert.deepEqual((await send('GET', `/projects/1/labels/${named}`, otto)).json(), wanted);
    assert.deepEqual((await send('GET', '/projects/1/labels/2', ada)).json(), NOT_FOUND);
    assert.equal((await send('GET', '/projects/1/labels', undefined)).status, 401);
  });

  it('labels of a group are available in all its subgroups and projects', async () => {
    const wanted = {
      id: 1,
      name: 'red',
      description: null,
      description_html: null,
      text_color: '#FFFFFF',
      color: '#FF0000',
      subscribed: false,
    };
    assert.deepEqual(await make('/groups/signals', { name: 'red', color: 'red' }), wanted);
    await make('/groups/signals%2Flamps', { name: 'green', color: 'green' });
    await make('/projects/2', { name: 'blue', color: 'blue' });
    assert.deepEqual(await names('/projects/2/labels'), ['blue', 'green', 'red']);
    assert.deepEqual(await names('/projects/2/labels?include_ancestor_groups=false'), ['blue']);
    assert.deepEqual(await names('/projects/2/labels?search=RE'), ['green', 'red']);
    assert.deepEqual(await names('/groups/signals%2Flamps/labels'), ['green', 'red']);
    assert.deepEqual(await names('/groups/signals%2Flamps/labels?include_ancestor_groups=false'), ['green']);
    assert.deepEqual(await names('/groups/signals%2Flamps/labels?only_group_labels=false'), ['blue', 'green', 'red']);
    assert.deepEqual(await names('/groups/signals/labels'), ['red']);
    assert.deepEqual(await names('/groups/signals/labels?include_descendant_groups=true'), ['green', 'red']);
    assert.deepEqual(await names('/groups/signals/labels?include_descendant_groups=true&only_group_labels=false'), [
      'blue',
      'green',
      'red',
    ]);
    const seen = (await send('GET', '/projects/2/labels/red', ada)).json();
    assert.deepEqual(seen, { ...wanted, priority: null, is_project_label: false });
    assert.deepEqual((await send('GET', '/projects/2/labels/red?include_ancestor_groups=false', ada)).json(), NOT_FOUND);
    assert.equal((await send('GET', '/groups/signals/labels', otto)).status, 404);
  });

  it('labels of a group include only those of subgroups and projects that are visible to the caller', async () => {
    const { platform } = server;
    const open = createGroup(platform, ada.user, { name: 'Open', path: 'open', visibility: 'public' });
    createGroup(platform, ada.user, { name: 'Hidden', path: 'hidden', parent: open });
    createProject(platform, ada.user, { name: 'Secret', namespaceId: open.group.id });
    await make('/groups/open', { name: 'a', color: '#000' });
    await make('/groups/open%2Fhidden', { name: 'b', color: '#000' });
    await make('/projects/3', { name: 'c', color: '#000' });
    const all = '/groups/open/labels?include_descendant_groups=true&only_group_labels=false';
    assert.deepEqual(await names(all), ['a', 'b', 'c']);
    assert.deepEqual(await names(all, otto), ['a']);
  });

  it('labels report validation errors', async () => {
    await make('/groups/signals', { name: 'taken', color: 'red' });
    await make('/projects/2', { name: 'other', color: 'red' });
    for (const [method, path, json, status, body] of [
      ['POST', '', {}, 400, { error: 'name is missing, color is missing' }],
      ['POST', '', { name: 'x', color: 'reddish' }, 400, { message: { color: ['must be a valid color code'] } }],
      ['POST', '', { name: 'a,b', color: 'red' }, 400, { message: { title: ['is invalid'] } }],
      ['POST', '', { name: ' ', color: 'red' }, 400, { message: { title: ["can't be blank", 'is invalid'] } }],
      [
        'POST',
        '',
        { name: 'x', color: 'red', priority: -1 },
        400,
        { message: { priority: ['must be greater than or equal to 0'] } },
      ],
      ['POST', '', { name: 'taken', color: 'red' }, 409, { message: 'Label already exists' }],
      [
        'PUT',
        '/other',
        {},
        400,
        { error: 'new_name, color, description, priority are missing, at least one parameter must be provided' },
      ],
      ['PUT', '/taken', { color: 'blue' }, 404, NOT_FOUND],
      ['PUT', '/nothing', { color: 'blue' }, 404, NOT_FOUND],
      ['PUT', '', { color: 'blue' }, 400, { error: 'label_id, name are missing, exactly one parameter must be provided' }],
      ['PUT', '', { name: 'other', label_id: 2, color: 'blue' }, 400, { error: 'label_id, name are mutually exclusive' }],
      ['DELETE', '/taken', undefined, 404, NOT_FOUND],
    ] as const) {
      const response = await send(method, `/projects/2/labels${path}`, ada, json);
      assert.deepEqual([response.status, response.json()], [status, body], `${method} ${path} ${JSON.stringify(json)}`);
    }
    await make('/projects/2', { name: 'third', color: 'red' });
    const response = await send('PUT', '/projects/2/labels/third', ada, { new_name: 'other' });
    assert.deepEqual([response.status, response.json()], [400, { message: { title: ['has already been taken'] } }]);
  });

  it('labels can be changed and deleted from the reporter role, and not in an archived project', async () => {
    await make('/projects/1', { name: 'a', color: 'red' }, rita);
    await make('/groups/signals', { name: 'b', color: 'red' }, rita);
    for (const [method, path, json] of [
      ['POST', '/labels', { name: 'x', color: 'red' }],
      ['PUT', '/labels', { name: 'a', color: 'blue' }],
      ['PUT', '/labels/a', { color: 'blue' }],
      ['DELETE', '/labels/a', undefined],
      ['DELETE', '/labels?name=a', undefined],
    ] as const) {
      for (const who of [gus, otto]) {
        assert.equal((await send(method, `/projects/1${path}`, who, json)).status, 403, `${method} ${path}`);
      }
    }
    await send('POST', '/projects/1/archive', ada);
    assert.equal((await send('PUT', '/projects/1/labels/a', ada, { color: 'blue' })).status, 403);
    await send('POST', '/projects/1/unarchive', ada);
    const changed = await send('PUT', '/projects/1/labels/a', rita, { new_name: 'c', priority: 3 });
    assert.partialDeepStrictEqual(changed.json(), { id: 1, name: 'c', color: '#FF0000', priority: 3 });
    const older = await send('PUT', '/projects/1/labels', rita, { name: 'c', description: 'd', priority: null });
    assert.partialDeepStrictEqual(older.json(), { id: 1, name: 'c', description: 'd', priority: null });
    const inGroup = await send('PUT', '/groups/signals/labels', rita, { label_id: 2, color: 'white' });
    assert.partialDeepStrictEqual(inGroup.json(), { id: 2, color: '#FFFFFF', text_color: '#1F1E24' });
    assert.equal((await send('DELETE', '/projects/1/labels/c', rita)).status, 204);
    assert.equal((await send('DELETE', '/groups/signals/labels?name=b', rita)).status, 204);
    assert.deepEqual(server.platform.store.all('SELECT * FROM labels'), []);
  });

  it('labels are created by issues of reporters, and those of ancestor groups are used', async () => {
    await make('/groups/signals', { name: 'red', color: 'red' });
    assert.deepEqual((await issue({ title: 'a', labels: 'red,new' }, 2, rita)).labels, ['new', 'red']);
    assert.deepEqual(await names('/projects/2/labels?include_ancestor_groups=false'), ['new']);
    assert.partialDeepStrictEqual((await send('GET', '/projects/2/labels/new', ada)).json(), { color: '#6699cc' });
    const changed = await send('PUT', '/projects/2/issues/1', rita, { add_labels: 'later', remove_labels: 'red,unknown' });
    assert.deepEqual((changed.json() as { labels: string[] }).labels, ['later', 'new']);
    assert.equal((await send('DELETE', '/projects/2/labels/new', ada)).status, 204);
    await send('PUT', '/projects/2/labels/later', ada, { new_name: 'sooner' });
    const now = (await send('GET', '/projects/2/issues/1', ada)).json() as { labels: string[] };
    assert.deepEqual(now.labels, ['sooner']);
    const long = await send('POST', '/projects/2/issues', ada, { title: 'b', labels: 'a'.repeat(256) });
    assert.deepEqual([long.status, long.json()], [400, { message: { title: ['is too long (maximum is 255 characters)'] } }]);
    assert.deepEqual(await names('/projects/2/labels?include_ancestor_groups=false'), ['sooner']);
  });

  it('issues can be filtered by all of several labels, whether of project or group', async () => {
    await make('/groups/signals', { name: 'red', color: 'red' });
    await issue({ title: 'both', labels: 'red,lamp' }, 2);
    await issue({ title: 'red only', labels: 'red' }, 2);
    await issue({ title: 'elsewhere', labels: 'red,lamp' }, 1);
    const titles = async (query: string) =>
      ((await send('GET', `/issues?scope=all&${query}`, ada)).json() as { title: string }[]).map(({ title }) => title);
    assert.deepEqual(await titles('labels=red'), ['elsewhere', 'red only', 'both']);
    assert.deepEqual(await titles('labels=lamp,red,red'), ['elsewhere', 'both']);
    assert.deepEqual(await titles('labels=lamp,other'), []);
    const [detailed] = (await send('GET', '/projects/2/issues?labels=lamp&with_labels_details=true', ada)).json() as object[];
    const basic = { description: null, description_html: null, text_color: '#FFFFFF' };
    assert.deepEqual(Object(detailed).labels, [
      { ...basic, id: 2, name: 'lamp', color: '#6699cc' },
      { ...basic, id: 1, name: 'red', color: '#FF0000' },
    ]);
  });

  it('labels count the issues that are visible to the caller', async () => {
    await make('/projects/1', { name: 'a', color: 'red' });
    await issue({ title: '1', labels: 'a' });
    await issue({ title: '2', labels: 'a', confidential: true });
    await issue({ title: '3', labels: 'a' });
    await send('PUT', '/projects/1/issues/3', ada, { state_event: 'close' });
    const counts = async (who: Actor) => {
      const [label] = (await send('GET', '/projects/1/labels?with_counts=true', who)).json() as Record<string, unknown>[];
      return ['open_issues_count', 'closed_issues_count', 'open_merge_requests_count'].map((name) => label?.[name]);
    };
    assert.deepEqual(await counts(ada), [2, 1, 0]);
    assert.deepEqual(await counts(otto), [1, 1, 0]);
  });

  it('subscribing to a label has an effect once, and so has unsubscribing', async () => {
    await make('/projects/1', { name: 'a', color: 'red' });
    for (const [action, status, subscribed] of [
      ['unsubscribe', 304, undefined],
      ['subscribe', 201, true],
      ['subscribe', 304, undefined],
      ['unsubscribe', 201, false],
    ] as const) {
      const response = await send('POST', `/projects/1/labels/a/${action}`, gus);
      assert.equal(response.status, status, action);
      if (subscribed === undefined) assert.equal(response.text, '');
      else assert.partialDeepStrictEqual(response.json(), { name: 'a', subscribed });
    }
    await send('POST', '/projects/1/labels/a/subscribe', gus);
    assert.partialDeepStrictEqual((await send('GET', '/projects/1/labels', gus)).json(), [{ subscribed: true }]);
    assert.partialDeepStrictEqual((await send('GET', '/projects/1/labels', ada)).json(), [{ subscribed: false }]);
    await send('DELETE', '/projects/1/labels/a', ada);
    assert.deepEqual(server.platform.store.all('SELECT * FROM subscriptions'), []);
  });

  it('labels of projects can be promoted to their group', async () => {
    const lamps = findGroup(server.platform, 'signals/lamps', { user: ada.user });
    createProject(server.platform, ada.user, { name: 'Second', namespaceId: lamps?.group.id });
    await issue({ title: 'a', labels: 'bug' }, 2);
    await issue({ title: 'b', labels: 'bug,other' }, 3);
    await issue({ title: 'c', labels: 'bug' }, 1);
    await send('POST', '/projects/3/labels/bug/subscribe', rita);
    const promoted = await send('PUT', '/projects/2/labels/bug/promote', rita);
    assert.equal(promoted.status, 200, promoted.text);
    assert.partialDeepStrictEqual(promoted.json(), { name: 'bug', color: '#6699cc', subscribed: true });
    assert.deepEqual(await names('/groups/signals%2Flamps/labels'), ['bug']);
    assert.deepEqual(await names('/projects/3/labels?include_ancestor_groups=false'), ['other']);
    assert.deepEqual(await names('/projects/1/labels'), ['bug']);
    assert.deepEqual(((await send('GET', '/projects/3/issues/1', ada)).json() as { labels: string[] }).labels, ['bug', 'other']);
    for (const project of [1, 2]) {
      const refused = await send('PUT', `/projects/${project}/labels/bug/promote`, ada);
      assert.equal(refused.status, project === 1 ? 400 : 404);
    }
  });

  it('the labels of an issue are removed with it', async () => {
    await issue({ title: 'a', labels: 'bug' });
    await issue({ title: 'b', labels: 'bug' });
    await send('DELETE', '/projects/1/issues/1', ada);
    assert.deepEqual(server.platform.store.all('SELECT target_id FROM label_links'), [{ target_id: 2 }]);
    await send('DELETE', '/projects/1', ada);
    assert.deepEqual(server.platform.store.all('SELECT target_id FROM label_links'), []);
  });
});
