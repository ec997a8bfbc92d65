import assert from 'node:assert/strict';
import { createBranch, createTag } from '../../../server/features/pushes/refUpdates.ts';
import { createCommit } from '../../../server/features/pushes/commits.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';

interface Wire {
  readonly id: number;
  readonly name: string;
  readonly path: string;
}

describe('forks', function () {
  let server: TestServer;
  let ada: Actor;
  let ben: Actor;
  /** A public project of ada with two branches and a tag. */
  let lamps: FoundProject;
  let heads: { readonly main: string; readonly topic: string };

  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    ada = actor(platform, 'ada');
    ben = actor(platform, 'ben');
    lamps = projectWith(platform, ada, { name: 'Lamps', visibility: 'public', description: 'All of them' });
    const commit = (branch: string, path: string) =>
      createCommit(platform, lamps, ada.user, {
        branch,
        message: `Add ${path}`,
        actions: [{ action: 'create', path, content: Buffer.from(path) }],
      });
    const main = await commit('main', 'README.md');
    await createBranch(platform, lamps, ada.user, 'topic', 'main');
    heads = { main, topic: await commit('topic', 'green.txt') };
    await createTag(platform, lamps, ada.user, { name: 'v1', ref: 'main', message: 'The first' });
  });
  afterEach(() => server.close());

  const send = async (method: string, path: string, token?: string, json?: object): Promise<[number, unknown]> => {
    const options = { ...(token === undefined ? {} : { token }), ...(json === undefined ? {} : { json }) };
    const response = await server.request(method, `/api/v4${path}`, options);
    return [response.status, response.text === '' ? '' : response.json()];
  };
  const names = async (path: string, token?: string): Promise<string[]> => {
    const [status, body] = await send('GET', path, token);
    assert.equal(status, 200, JSON.stringify(body));
    return (body as Wire[]).map(({ name }) => name);
  };
  const id = (): number => lamps.project.id;
  const fork = async (who: Actor, input: object = {}): Promise<Wire> => {
    const [status, body] = await send('POST', `/projects/${id()}/fork`, who.token, input);
    assert.equal(status, 201, JSON.stringify(body));
    return body as Wire;
  };

  it('forks contain everything of their source in their own repository', async () => {
    const made = await fork(ben);
    assert.partialDeepStrictEqual(made, {
      name: 'Lamps',
      path_with_namespace: 'ben/lamps',
      description: 'All of them',
      visibility: 'public',
      default_branch: 'main',
      empty_repo: false,
      import_status: 'finished',
      creator_id: ben.user.id,
      owner: { username: 'ben' },
      forks_count: 0,
      mr_default_target_self: false,
      forked_from_project: { id: id(), path_with_namespace: 'ada/lamps', forks_count: 1 },
      readme_url: `${server.origin}/ben/lamps/-/blob/main/README.md`,
    });
    assert.deepEqual(await names(`/projects/${made.id}/repository/branches`), ['main', 'topic']);
    assert.deepEqual(await names(`/projects/${made.id}/repository/tags`), ['v1']);
    assert.deepEqual(await names(`/projects/${made.id}/repository/tree?ref=topic`), ['README.md', 'green.txt']);
    // Changes of one project do not affect the other.
    const file = { branch: 'main', commit_message: 'Mine', content: 'x' };
    assert.equal((await send('POST', `/projects/${made.id}/repository/files/mine.txt`, ben.token, file))[0], 201);
    assert.deepEqual(await names(`/projects/${made.id}/repository/tree`), ['README.md', 'mine.txt']);
    assert.deepEqual(await names(`/projects/${id()}/repository/tree`), ['README.md']);
  });

  it('forks stay complete when their source is deleted, and lose the reference to it', async () => {
    const made = await fork(ben);
    await send('DELETE', `/projects/${id()}`, ada.token);
    const [, body] = await send('GET', `/projects/${made.id}/repository/commits/topic`);
    assert.partialDeepStrictEqual(body, { id: heads.topic, parent_ids: [heads.main] });
    const [, project] = await send('GET', `/projects/${made.id}`, ben.token);
    assert.ok(!Object.hasOwn(Object(project), 'forked_from_project'));
  });

  it('forks of one branch contain only that branch, as the default branch', async () => {
    const made = await fork(ben, { branches: 'topic', mr_default_target_self: true });
    assert.partialDeepStrictEqual(made, { default_branch: 'topic', mr_default_target_self: true });
    assert.deepEqual(await names(`/projects/${made.id}/repository/branches`), ['topic']);
    assert.deepEqual(await names(`/projects/${made.id}/repository/tags`), []);
    assert.deepEqual(await send('POST', `/projects/${id()}/fork`, ada.token, { branches: 'none' }), [
      404,
      { message: '404 Source Branch Not Found' },
    ]);
  });

  it('forks of an empty project are empty', async () => {
    const { project } = projectWith(server.platform, ada, { name: 'Empty', visibility: 'internal' });
    const [status, body] = await send('POST', `/projects/${project.id}/fork`, ben.token);
    assert.equal(status, 201);
    assert.partialDeepStrictEqual(body, { empty_repo: true, visibility: 'internal' });
  });

  it('forks use the requested namespace, name and path, and are no more visible than source or namespace', async () => {
    const { platform } = server;
    const group = createGroup(platform, ada.user, { name: 'Vault', path: 'vault', visibility: 'internal' });
    addGroupMember(platform, group.group, ben.user, { level: 30 }, { user: ada.user });
    for (const [input, wanted] of [
      [{ namespace: 'vault' }, { path_with_namespace: 'vault/lamps', visibility: 'internal' }],
      [
        { namespace_id: group.group.id, name: 'Other', path: 'other', visibility: 'private', description: 'Mine' },
        { path_with_namespace: 'vault/other', name: 'Other', visibility: 'private', description: 'Mine' },
      ],
      [
        { namespace_path: 'vault', namespace: 'ben', name: 'More', path: 'more', visibility: 'public' },
        { path_with_namespace: 'vault/more', visibility: 'internal' },
      ],
      [{ namespace: String(group.group.id), name: 'Last', path: 'last' }, { path_with_namespace: 'vault/last' }],
    ] as const) {
      assert.partialDeepStrictEqual(await fork(ben, input), wanted);
    }
    const [, source] = await send('GET', `/projects/${id()}`);
    assert.partialDeepStrictEqual(source, { forks_count: 4 });
    assert.deepEqual(await names(`/projects/${id()}/forks?order_by=name`, ben.token), ['Other', 'More', 'Last', 'Lamps']);
    assert.deepEqual(await names(`/projects/${id()}/forks?search=mor`, ben.token), ['More']);
    assert.deepEqual(await names(`/projects/${id()}/forks`), [], 'no fork is public');
  });

  it('forks appear as new projects in the activity, and hide a source that the viewer cannot see', async () => {
    const made = await fork(ben);
    const [, events] = await send('GET', '/events', ben.token);
    assert.equal((events as unknown[]).length, 1);
    assert.partialDeepStrictEqual(events, [{ action_name: 'created', project_id: made.id }]);
    await send('PUT', `/projects/${id()}`, ada.token, { visibility: 'private' });
    const [, seen] = await send('GET', `/projects/${made.id}`, ben.token);
    assert.ok(!Object.hasOwn(Object(seen), 'forked_from_project'));
    const [, all] = await send('GET', `/projects/${made.id}`, ada.token);
    assert.partialDeepStrictEqual(all, { forked_from_project: { id: id() } });
  });

  it('forks are refused with the standard errors', async () => {
    const { platform } = server;
    const { project } = projectWith(platform, ada, { name: 'Secret' }, [[ben, 10]]);
    const eve = actor(platform, 'eve', { external: true });
    createGroup(platform, ada.user, { name: 'Open', path: 'open', visibility: 'public' });
    createGroup(platform, ada.user, { name: 'Closed', path: 'closed' });
    const taken = ['Project namespace name has already been taken', 'Name has already been taken', 'Path has already been taken'];
    for (const [target, who, input, response] of [
      [id(), ada, {}, [409, { message: taken }]],
      [id(), ben, { path: '-' }, 409],
      [id(), ben, { namespace: 'open' }, [404, { message: '404 Target Namespace Not Found' }]],
      [id(), ben, { namespace: 'closed' }, [404, { message: '404 Namespace Not Found' }]],
      [id(), ben, { namespace_id: 77 }, [404, { message: '404 Namespace Not Found' }]],
      [id(), eve, {}, [404, { message: '404 Target Namespace Not Found' }]],
      [project.id, ben, {}, [404, { message: '404 Not Found' }]],
      [77, ben, {}, [404, { message: '404 Project Not Found' }]],
      [id(), undefined, {}, [401, { message: '401 Unauthorized' }]],
    ] as const) {
      const found = await send('POST', `/projects/${target}/fork`, who?.token, input);
      assert.deepEqual(typeof response === 'number' ? found[0] : found, response);
    }
    assert.deepEqual(platform.store.all('SELECT project_id FROM repositories'), [{ project_id: id() }], 'no copy is left behind');
  });

  it('forks can be linked and unlinked by owners', async () => {
    const mine = projectWith(server.platform, ben, { name: 'Mine', visibility: 'public' }, [[ada, 40]]).project.id;
    assert.deepEqual(await send('POST', `/projects/${mine}/fork/${id()}`, ada.token), [403, { message: '403 Forbidden' }]);
    const [status, body] = await send('POST', `/projects/${mine}/fork/ada%2Flamps`, ben.token);
    assert.equal(status, 201);
    assert.partialDeepStrictEqual(body, { id: mine, forked_from_project: { id: id() }, import_status: 'none' });
    assert.deepEqual(await names(`/projects/${id()}/forks`), ['Mine']);
    const again = [409, { message: 'Project already forked' }];
    assert.deepEqual(await send('POST', `/projects/${mine}/fork/${id()}`, ben.token), again);
    assert.deepEqual(await send('POST', `/projects/${id()}/fork/${mine}`, admin), again, 'cycles are refused');
    assert.deepEqual(await send('POST', `/projects/${id()}/fork/${id()}`, ada.token), [
      400,
      { message: 'Target project cannot be equal to source project' },
    ]);
    assert.deepEqual(await send('POST', `/projects/${mine}/fork/77`, ben.token), [404, { message: '404 Project Not Found' }]);
    assert.deepEqual(await send('DELETE', `/projects/${mine}/fork`, ada.token), [403, { message: '403 Forbidden' }]);
    assert.deepEqual(await send('DELETE', `/projects/${mine}/fork`, ben.token), [204, '']);
    assert.deepEqual(await send('DELETE', `/projects/${mine}/fork`, ben.token), [304, '']);
    assert.deepEqual(await names(`/projects/${id()}/forks`), []);
  });
});

it('a fork of a project with files is impossible without git, and leaves nothing behind', async () => {
  await using server = await startTestServer({ git: '/nowhere/git' });
  const { platform } = server;
  const ada = actor(platform, 'ada');
  const ben = actor(platform, 'ben');
  const full = projectWith(platform, ada, { name: 'Full', visibility: 'public' }).project.id;
  projectWith(platform, ada, { name: 'Empty', visibility: 'public' });
  platform.store.run("INSERT INTO repositories (project_id, folder, created_at) VALUES ($full, 'f', 0)", {
    full,
  });
  platform.store.run(
    `INSERT INTO repository_refs (project_id, kind, name, target, commit_id, committed_at)
     VALUES ($full, 'branch', 'main', $commit, $commit, 0)`,
    { full, commit: 'a'.repeat(40) },
  );
  assert.equal((await server.request('POST', '/api/v4/projects/ada%2Ffull/fork', { token: ben.token, json: {} })).status, 503);
  assert.equal((await server.request('POST', '/api/v4/projects/ada%2Fempty/fork', { token: ben.token, json: {} })).status, 201);
  const { text } = await server.request('GET', '/api/v4/projects?owned=true&simple=true', { token: ben.token });
  assert.deepEqual(
    (JSON.parse(text) as { name: string }[]).map(({ name }) => name),
    ['Empty'],
  );
});
