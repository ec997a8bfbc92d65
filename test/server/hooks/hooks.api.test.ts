import assert from 'node:assert/strict';
import { createHook } from '../../../server/features/hooks/manageHooks.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith, rootOf } from '../projects/cast.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const URL_OF_RECEIVER = 'http://127.0.0.1:9/hook';
const TOKEN = 'the token only the receiver knows';

describe('hooks of projects', () => {
  let server: TestServer;
  let ada: Actor;
  let bob: Actor;
  let found: FoundProject;
  beforeEach(async () => {
    server = await startTestServer();
    ada = actor(server.platform, 'ada');
    bob = actor(server.platform, 'bob');
    found = projectWith(server.platform, ada, { name: 'Lamps', path: 'lamps' }, [[bob, 30]]);
  });
  afterEach(() => server.close());

  const send = (method: string, path = '', json?: object, who = ada) =>
    server.request(method, `/api/v4/projects/${found.project.id}/hooks${path}`, {
      token: who.token,
      ...(json === undefined ? {} : { json }),
    });
  const create = async (json: object = {}): Promise<{ readonly id: number }> => {
    const response = await send('POST', '', { url: URL_OF_RECEIVER, ...json });
    assert.equal(response.status, 201, response.text);
    return response.json() as { readonly id: number };
  };

  it('a hook is created with the defaults of the platform, changed, listed and deleted', async () => {
    const made = await create({ token: TOKEN, issues_events: true, name: 'Receiver' });
    assert.partialDeepStrictEqual(made, {
      url: URL_OF_RECEIVER,
      name: 'Receiver',
      description: null,
      project_id: found.project.id,
      push_events: true,
      issues_events: true,
      tag_push_events: false,
      wiki_page_events: false,
      push_events_branch_filter: '',
      branch_filter_strategy: 'wildcard',
      enable_ssl_verification: true,
      alert_status: 'executable',
      disabled_until: null,
      url_variables: [],
      custom_headers: [],
    });
    const changed = await send('PUT', `/${made.id}`, { push_events: false, push_events_branch_filter: 'release-*' });
    assert.partialDeepStrictEqual(changed.json(), {
      push_events: false,
      issues_events: true,
      push_events_branch_filter: 'release-*',
      url: URL_OF_RECEIVER,
    });
    assert.deepEqual((await send('GET', `/${made.id}`)).json(), changed.json());
    assert.deepEqual((await send('GET')).json(), [changed.json()]);
    assert.equal((await send('DELETE', `/${made.id}`)).status, 204);
    assert.deepEqual((await send('GET')).json(), []);
    assert.equal((await send('GET', `/${made.id}`)).status, 404);
  });

  it('the token and the values of variables and headers are never shown and are sealed in the database', async () => {
    const url = 'http://127.0.0.1:9/{key}';
    const { id } = await create({
      url,
      token: TOKEN,
      url_variables: [{ key: 'key', value: 'secret-of-the-path' }],
      custom_headers: [{ key: 'X-Custom', value: 'secret-of-the-header' }],
    });
    assert.equal((await send('PUT', `/${id}/url_variables/key`, { value: 'another-secret' })).status, 204);
    assert.equal((await send('PUT', `/${id}/custom_headers/X-More`, { value: 'more-secret' })).status, 204);
    const shown = await send('GET', `/${id}`);
    assert.partialDeepStrictEqual(shown.json(), {
      url,
      url_variables: [{ key: 'key' }],
      custom_headers: [{ key: 'X-Custom' }, { key: 'X-More' }],
    });
    assert.equal((await send('DELETE', `/${id}/custom_headers/X-Custom`)).status, 204);
    assert.equal((await send('DELETE', `/${id}/custom_headers/X-Custom`)).status, 404);
    assert.equal((await send('DELETE', `/${id}/url_variables/key`)).status, 422, 'the URL needs the variable');
    const stored = JSON.stringify(server.platform.store.all('SELECT * FROM hooks'));
    for (const secret of [TOKEN, 'secret-of-the-path', 'secret-of-the-header', 'another-secret', 'more-secret']) {
      assert.ok(!stored.includes(secret), secret);
      assert.ok(!shown.text.includes(secret), secret);
    }
  });

  it('invalid hooks are refused with the reason', async () => {
    const machine = 'is blocked: the local server delivers to this machine only (127.0.0.0/8, ::1 or localhost)';
    for (const [json, status, body] of [
      [{}, 400, { error: 'url is missing, url is empty' }],
      [{ url: 'http://example.com/hook' }, 422, { message: { url: [machine] } }],
      [{ url: 'gopher://127.0.0.1' }, 422, { message: { url: ['must be a valid http or https URL'] } }],
      [{ url: 'http://127.0.0.1/{key}' }, 422, { message: { url: ['has variables without a value: key'] } }],
      [
        { url: `${server.origin}/api/v4/projects` },
        422,
        { message: { url: ['is blocked: it is the address of the server itself'] } },
      ],
      [
        { url: URL_OF_RECEIVER, push_events_branch_filter: 'a b' },
        422,
        { message: { push_events_branch_filter: ['is not a valid branch name'] } },
      ],
      [{ url: URL_OF_RECEIVER, token: 'two\nlines' }, 422, { message: { token: ['must be usable as a header'] } }],
      [{ url: URL_OF_RECEIVER, push_events: 'maybe' }, 400, { error: 'push_events is invalid' }],
      [
        { url: URL_OF_RECEIVER, branch_filter_strategy: 'some' },
        400,
        { error: 'branch_filter_strategy does not have a valid value' },
      ],
      [
        { url: URL_OF_RECEIVER, custom_headers: [{ key: 'Host', value: 'example.com' }] },
        422,
        { message: { custom_headers: ['contain an illegal key or value'] } },
      ],
      [{ url: URL_OF_RECEIVER, url_variables: 'x' }, 400, { error: 'url_variables is invalid' }],
    ] as const) {
      const response = await send('POST', '', json);
      assert.deepEqual([response.status, response.json()], [status, body]);
    }
    const { id } = await create();
    assert.equal((await send('PUT', `/${id}`, { url: 'http://10.0.0.1/' })).status, 422);
    assert.partialDeepStrictEqual((await send('GET', `/${id}`)).json(), { url: URL_OF_RECEIVER });
  });

  it('a project has at most 100 hooks', async () => {
    const { id: projectId } = found.project;
    for (let count = 0; count < 100; count += 1) createHook(server.platform, { projectId }, { url: URL_OF_RECEIVER, events: {} });
    const response = await send('POST', '', { url: URL_OF_RECEIVER });
    assert.deepEqual(
      [response.status, response.json()],
      [422, { message: { base: ['Maximum number of project webhooks (100) exceeded'] } }],
    );
  });

  it('only maintainers see and change hooks, and only those of their project', async () => {
    const { id } = await create();
    const other = projectWith(server.platform, ada, { name: 'Other' });
    for (const [method, path, json] of [
      ['GET', '', undefined],
      ['POST', '', { url: URL_OF_RECEIVER }],
      ['GET', `/${id}`, undefined],
      ['PUT', `/${id}`, { push_events: false }],
      ['DELETE', `/${id}`, undefined],
      ['GET', `/${id}/events`, undefined],
      ['POST', `/${id}/test/push_events`, {}],
      ['PUT', `/${id}/url_variables/key`, { value: 'x' }],
    ] as const) {
      assert.equal((await send(method, path, json, bob)).status, 403, `${method} ${path}`);
    }
    const foreign = await server.request('GET', `/api/v4/projects/${other.project.id}/hooks/${id}`, { token: ada.token });
    assert.deepEqual([foreign.status, foreign.json()], [404, { message: '404 Not found' }]);
    const anonymous = await server.request('GET', `/api/v4/projects/${found.project.id}/hooks`);
    assert.equal(anonymous.status, 401);
  });

  it('hooks and their deliveries go with their project', async () => {
    const { id } = await create();
    const path = `/api/v4/projects/${found.project.id}`;
    await send('POST', `/${id}/test/issues_events`, {});
    await server.request('POST', `${path}/issues`, { token: ada.token, json: { title: 'Lamp 7' } });
    assert.equal((await server.request('DELETE', path, { token: ada.token })).status, 202);
    const { store } = server.platform;
    assert.deepEqual(store.all('SELECT id FROM hooks'), []);
    assert.deepEqual(store.all('SELECT id FROM hook_deliveries'), []);
  });
});

describe('hooks of groups', () => {
  it('hooks of personal projects go with the account of their owner', async () => {
    await using server = await startTestServer();
    const { platform } = server;
    const ada = actor(platform, 'ada');
    const { project } = projectWith(platform, ada, { name: 'Lamps' });
    createHook(platform, { projectId: project.id }, { url: URL_OF_RECEIVER, events: {} });
    const gone = await server.request('DELETE', `/api/v4/users/${ada.user.id}`, { token: server.adminToken });
    assert.equal(gone.status, 204);
    assert.deepEqual(platform.store.all('SELECT id FROM hooks'), []);
  });

  it('owners manage the hooks of their group, and deleting the group deletes them', async () => {
    await using server = await startTestServer();
    const { platform } = server;
    const ada = actor(platform, 'ada');
    const bob = actor(platform, 'bob');
    const { group } = createGroup(platform, ada.user, { name: 'Signals', path: 'signals' });
    addGroupMember(platform, group, bob.user, { level: 40 }, { user: ada.user });
    const path = `/api/v4/groups/${group.id}/hooks`;
    const made = await server.request('POST', path, { token: ada.token, json: { url: URL_OF_RECEIVER } });
    assert.equal(made.status, 201, made.text);
    assert.partialDeepStrictEqual(made.json(), { url: URL_OF_RECEIVER, group_id: group.id, push_events: true });
    assert.equal((await server.request('GET', path, { token: bob.token })).status, 403);
    assert.equal(((await server.request('GET', path, { token: ada.token })).json() as unknown[]).length, 1);
    const gone = await server.request('DELETE', `/api/v4/groups/${group.id}`, { token: ada.token });
    assert.equal(gone.status, 202);
    assert.deepEqual(platform.store.all('SELECT id FROM hooks'), []);
  });

  it('the free tier has none, and releases before 17.3 have no lists of deliveries', async () => {
    await using server = await startTestServer({ profile: { tier: 'free', release: '17.0' } });
    const { platform } = server;
    const root = rootOf(platform);
    const { group } = createGroup(platform, root, { name: 'Signals', path: 'signals' });
    assert.equal((await server.request('GET', `/api/v4/groups/${group.id}/hooks`, { token: server.adminToken })).status, 404);
    const ada = actor(platform, 'ada');
    const { project } = projectWith(platform, ada, { name: 'Lamps' });
    const json = { url: URL_OF_RECEIVER };
    const made = await server.request('POST', `/api/v4/projects/${project.id}/hooks`, { token: ada.token, json });
    assert.equal(made.status, 201, made.text);
    const { id } = made.json() as { id: number };
    const events = await server.request('GET', `/api/v4/projects/${project.id}/hooks/${id}/events`, { token: ada.token });
    assert.equal(events.status, 404);
  });
});
