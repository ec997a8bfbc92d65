import assert from 'node:assert/strict';
import { pushRefusal, type RefChange } from '../../../server/features/pushes/access.ts';
import { createBranch } from '../../../server/features/pushes/refUpdates.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { commitFiles } from '../git/repository.ts';
import { type Actor, actor, projectWith, seenBy } from '../projects/cast.ts';
import { checkScenario, type Scenario } from '../../support/scenarios.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const FREE = { tier: 'free' } as const;

interface Level {
  readonly id: number;
  readonly access_level: number | null;
}

interface Rule {
  readonly id: number;
  readonly push_access_levels: readonly Level[];
}

describe('protected branches and tags', () => {
  let server: TestServer;
  let people: Readonly<Record<'ada' | 'mia' | 'dev' | 'rita', Actor>>;
  let lamps: FoundProject;

  const prepare = async (profile: Parameters<typeof startTestServer>[0] = {}): Promise<void> => {
    server = await startTestServer(profile);
    const { platform } = server;
    const named = (name: string): Actor => actor(platform, name);
    people = { ada: named('ada'), mia: named('mia'), dev: named('dev'), rita: named('rita') };
    const { ada, mia, dev, rita } = people;
    lamps = projectWith(platform, ada, { name: 'Lamps', visibility: 'public' }, [
      [mia, 40],
      [dev, 30],
      [rita, 20],
    ]);
    await commitFiles(platform, lamps, ada, { 'README.md': 'Lamps\n' });
    await createBranch(platform, seenBy(platform, lamps, ada), ada.user, 'topic', 'main');
  };
  afterEach(() => server.close());

  const at = (path: string): string => `/api/v4/projects/${lamps.project.id}/${path}`;
  const send = (method: string, path: string, who: Actor, json?: object): Promise<TestResponse> =>
    server.request(method, at(path), { token: who.token, ...(json === undefined ? {} : { json }) });
  const expectStatus = async (status: number, method: string, path: string, who: Actor, json?: object): Promise<unknown> => {
    const response = await send(method, path, who, json);
    assert.equal(response.status, status, response.text);
    return response.text === '' ? undefined : response.json();
  };
  const commit = (who: Actor, branch: string, status: number): Promise<unknown> =>
    expectStatus(status, 'POST', 'repository/commits', who, {
      branch,
      commit_message: 'More',
      actions: [{ action: 'create', file_path: `${crypto.randomUUID()}.txt`, content: 'more' }],
    });
  const refusalOf = (who: Actor, change: RefChange): string | undefined =>
    pushRefusal(server.platform, seenBy(server.platform, lamps, who), change)?.text;

  it('the default branch is protected by a rule for maintainers', async () => {
    await prepare();
    const [rule, ...others] = (await expectStatus(200, 'GET', 'protected_branches', people.mia)) as Rule[];
    assert.deepEqual(others, []);
    const level = { access_level: 40, access_level_description: 'Maintainers', user_id: null, group_id: null };
    assert.deepEqual(rule, {
      id: 1,
      name: 'main',
      push_access_levels: [{ id: 1, ...level }],
      merge_access_levels: [{ id: 2, ...level }],
      unprotect_access_levels: [],
      allow_force_push: false,
      code_owner_approval_required: false,
      inherited: false,
    });
    await commit(people.dev, 'main', 403);
    await commit(people.mia, 'main', 201);
  });

  it('developers can push once the protection of the default branch is removed, but cannot delete the branch', async () => {
    await prepare();
    await expectStatus(204, 'DELETE', 'protected_branches/main', people.mia);
    await commit(people.dev, 'main', 201);
    assert.partialDeepStrictEqual(await expectStatus(200, 'GET', 'repository/branches/main', people.dev), {
      protected: false,
      can_push: true,
    });
    const refused = await expectStatus(405, 'DELETE', 'repository/branches/main', people.mia);
    assert.deepEqual(refused, { message: 'Cannot remove HEAD branch' });
  });

  it('an empty project has no rule, and only maintainers push to its default branch', async () => {
    await prepare();
    const { ada, dev } = people;
    const empty = projectWith(server.platform, ada, { name: 'Empty' }, [[dev, 30]]);
    const path = `/api/v4/projects/${empty.project.id}/protected_branches`;
    assert.deepEqual((await server.request('GET', path, { token: ada.token })).json(), []);
    assert.equal(
      pushRefusal(server.platform, seenBy(server.platform, empty, dev), { kind: 'branch', name: 'main', action: 'create' })?.text,
      'You are not allowed to push code to protected branches on this project.',
    );
    await commitFiles(server.platform, empty, dev, { 'a.txt': 'a' }, { branch: 'trunk' });
    const rules = (await server.request('GET', path, { token: ada.token })).json();
    assert.partialDeepStrictEqual(rules, [{ name: 'trunk' }]);
  });

  const requests: readonly (Scenario & { readonly by: 'ada' | 'mia' | 'dev' | 'rita' })[] = [
    {
      name: 'developers do not see the rules',
      by: 'dev',
      path: 'protected_branches',
      status: 403,
      body: { message: '403 Forbidden' },
    },
    {
      name: 'levels are described',
      by: 'mia',
      method: 'POST',
      path: 'protected_branches',
      json: {
        name: '*-stable',
        push_access_level: 0,
        merge_access_level: 30,
        unprotect_access_level: 60,
        allow_force_push: true,
      },
      status: 201,
      has: {
        name: '*-stable',
        push_access_levels: [{ access_level: 0, access_level_description: 'No one' }],
        merge_access_levels: [{ access_level: 30, access_level_description: 'Developers + Maintainers' }],
        unprotect_access_levels: [{ access_level: 60, access_level_description: 'Instance admins' }],
        allow_force_push: true,
      },
    },
    {
      name: 'maintainers are the default',
      by: 'mia',
      method: 'POST',
      path: 'protected_branches',
      json: { name: 'old/one' },
      status: 201,
      has: {
        push_access_levels: [{ access_level: 40 }],
        merge_access_levels: [{ access_level: 40 }],
        unprotect_access_levels: [{ access_level: 40 }],
      },
    },
    {
      name: 'names are unique',
      by: 'mia',
      method: 'POST',
      path: 'protected_branches',
      json: { name: 'main' },
      status: 409,
      body: { message: "Protected branch 'main' already exists" },
    },
    {
      name: 'levels are checked',
      by: 'mia',
      method: 'POST',
      path: 'protected_branches',
      json: { name: 'x', push_access_level: 20 },
      status: 400,
      body: { error: 'push_access_level does not have a valid value' },
    },
    {
      name: 'users must be members',
      by: 'mia',
      method: 'POST',
      path: 'protected_branches',
      json: { name: 'x', allowed_to_push: [{ user_id: 1 }] },
      status: 422,
      body: { message: ['Push access levels user is not a member of the project'] },
    },
    {
      name: 'groups must contain the project',
      by: 'mia',
      method: 'POST',
      path: 'protected_branches',
      json: { name: 'x', allowed_to_merge: [{ group_id: 4711 }] },
      status: 422,
      body: { message: ['Merge access levels group does not have access to the project'] },
    },
    {
      name: 'nobody cannot be the one who unprotects',
      by: 'mia',
      method: 'POST',
      path: 'protected_branches',
      json: { name: 'x', allowed_to_unprotect: [{ access_level: 0 }] },
      status: 422,
      body: { message: ['Unprotect access levels access level is not included in the list'] },
    },
    {
      name: 'an item is a hash',
      by: 'mia',
      method: 'POST',
      path: 'protected_branches',
      json: { name: 'x', allowed_to_push: [40] },
      status: 400,
      body: { error: 'allowed_to_push is invalid' },
    },
    {
      name: 'there is no such rule',
      by: 'mia',
      path: 'protected_branches/other',
      status: 404,
      body: { message: '404 Not found' },
    },
    {
      name: 'tags have rules of their own',
      by: 'mia',
      method: 'POST',
      path: 'protected_tags',
      json: { name: 'main', create_access_level: 30 },
      status: 201,
      has: { name: 'main', create_access_levels: [{ access_level: 30, access_level_description: 'Developers + Maintainers' }] },
    },
    {
      name: 'administrators are no level for tags',
      by: 'mia',
      method: 'POST',
      path: 'protected_tags',
      json: { name: 'v*', create_access_level: 60 },
      status: 400,
      body: { error: 'create_access_level does not have a valid value' },
    },
  ];

  it('requests are checked, and rules are shown as on GitLab', async () => {
    await prepare();
    for (const { by, path, ...row } of requests) {
      const response = await server.request(row.method ?? 'GET', at(path), { ...row, token: people[by].token });
      checkScenario(response, { ...row, path });
    }
  });

  it('rules with wildcards are listed, searched, changed and removed by their names', async () => {
    await prepare();
    const { mia } = people;
    await expectStatus(201, 'POST', 'protected_branches', mia, { name: 'release/*' });
    const found = await expectStatus(200, 'GET', 'protected_branches?search=LEASE', mia);
    assert.partialDeepStrictEqual(found, [{ name: 'release/*' }]);
    assert.equal((found as Rule[]).length, 1);
    const one = `protected_branches/${encodeURIComponent('release/*')}`;
    const rule = (await expectStatus(200, 'GET', one, mia)) as Rule;
    const changed = (await expectStatus(200, 'PATCH', one, mia, {
      allow_force_push: true,
      allowed_to_push: [{ id: rule.push_access_levels[0]?.id, _destroy: true }, { user_id: people.dev.user.id }],
    })) as Rule;
    assert.partialDeepStrictEqual(changed, {
      allow_force_push: true,
      push_access_levels: [{ access_level: null, user_id: people.dev.user.id, access_level_description: 'dev Example' }],
      merge_access_levels: [{ access_level: 40 }],
    });
    assert.equal(changed.push_access_levels.length, 1);
    await expectStatus(404, 'PATCH', one, mia, { allowed_to_push: [{ id: 4711, access_level: 30 }] });
    await expectStatus(204, 'DELETE', one, mia);
    await expectStatus(404, 'GET', one, mia);
  });

  it('users and groups are ignored in the free tier', async () => {
    await prepare({ profile: FREE });
    const rule = await expectStatus(201, 'POST', 'protected_branches', people.mia, {
      name: 'x',
      allowed_to_push: [{ user_id: people.dev.user.id }],
      code_owner_approval_required: true,
    });
    assert.deepEqual(rule, {
      id: 2,
      name: 'x',
      push_access_levels: [{ id: 3, access_level: 40, access_level_description: 'Maintainers' }],
      merge_access_levels: [{ id: 4, access_level: 40, access_level_description: 'Maintainers' }],
      unprotect_access_levels: [{ id: 5, access_level: 40, access_level_description: 'Maintainers' }],
      allow_force_push: false,
      code_owner_approval_required: false,
    });
  });

  it('a rule can permit pushes to one developer and to the members of a group', async () => {
    await prepare();
    const { platform } = server;
    const { ada, dev, mia } = people;
    const other = actor(platform, 'otto');
    const crew = createGroup(platform, ada.user, { name: 'Crew', path: 'crew' });
    addGroupMember(platform, crew.group, dev.user, { level: 30 }, { user: ada.user });
    lamps = createProject(platform, ada.user, { name: 'Boats', namespaceId: crew.group.id });
    await commitFiles(platform, lamps, ada, { 'README.md': 'Boats\n' });
    addGroupMember(platform, crew.group, mia.user, { level: 40 }, { user: ada.user });
    addGroupMember(platform, crew.group, other.user, { level: 30 }, { user: ada.user });
    await expectStatus(204, 'DELETE', 'protected_branches/main', ada);
    await expectStatus(201, 'POST', 'protected_branches', ada, { name: 'main', allowed_to_push: [{ user_id: dev.user.id }] });
    await commit(dev, 'main', 201);
    await commit(other, 'main', 403);
    await commit(mia, 'main', 403);
    await expectStatus(200, 'PATCH', 'protected_branches/main', ada, { allowed_to_push: [{ group_id: crew.group.id }] });
    await commit(other, 'main', 201);
  });

  it('the most permissive of several rules decides', async () => {
    await prepare();
    const { mia, dev } = people;
    await expectStatus(201, 'POST', 'protected_branches', mia, { name: 'm*', push_access_level: 30, allow_force_push: true });
    await commit(dev, 'main', 201);
    assert.equal(refusalOf(dev, { kind: 'branch', name: 'main', action: 'force' }), undefined);
    assert.partialDeepStrictEqual(await expectStatus(200, 'GET', 'repository/branches/main', dev), {
      protected: true,
      developers_can_push: true,
      developers_can_merge: false,
      can_push: true,
    });
  });

  it('a rule limits who can unprotect', async () => {
    await prepare();
    const { ada, mia } = people;
    await expectStatus(201, 'POST', 'protected_branches', ada, { name: 'x', allowed_to_unprotect: [{ user_id: ada.user.id }] });
    await expectStatus(403, 'DELETE', 'protected_branches/x', mia);
    await expectStatus(204, 'DELETE', 'protected_branches/x', ada);
  });

  it('protected tags are created by those whom a rule permits it, and deleted by maintainers', async () => {
    await prepare();
    const { mia, dev } = people;
    await expectStatus(201, 'POST', 'protected_tags', mia, { name: 'v*' });
    assert.deepEqual(await expectStatus(400, 'POST', 'repository/tags', dev, { tag_name: 'v1', ref: 'main' }), {
      message: 'You are not allowed to create this tag as it is protected.',
    });
    await expectStatus(201, 'POST', 'repository/tags', dev, { tag_name: 'w1', ref: 'main' });
    const tag = await expectStatus(201, 'POST', 'repository/tags', mia, { tag_name: 'v1', ref: 'main' });
    assert.partialDeepStrictEqual(tag, { name: 'v1', protected: true });
    assert.deepEqual(await expectStatus(400, 'DELETE', 'repository/tags/v1', dev), {
      message:
        'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.',
    });
    await expectStatus(204, 'DELETE', 'repository/tags/v1', mia);
  });

  it('protected branches are deleted by maintainers', async () => {
    await prepare();
    const { mia, dev } = people;
    await expectStatus(201, 'POST', 'protected_branches', mia, { name: 'topic', push_access_level: 30 });
    await expectStatus(400, 'DELETE', 'repository/branches/topic', dev);
    await expectStatus(204, 'DELETE', 'repository/branches/topic', mia);
  });

  it('the older routes protect a branch for developers and unprotect it', async () => {
    await prepare();
    const { mia, dev } = people;
    const path = 'repository/branches/topic';
    await expectStatus(403, 'PUT', `${path}/protect`, dev);
    const named = { name: 'topic', protected: true };
    assert.partialDeepStrictEqual(await expectStatus(200, 'PUT', `${path}/protect`, mia, { developers_can_push: true }), {
      ...named,
      developers_can_push: true,
      developers_can_merge: false,
    });
    assert.partialDeepStrictEqual(
      await expectStatus(200, 'PUT', `${path}/protect`, mia, { developers_can_push: false, developers_can_merge: true }),
      { ...named, developers_can_push: false, developers_can_merge: true },
    );
    await commit(dev, 'topic', 403);
    assert.partialDeepStrictEqual(await expectStatus(200, 'PUT', `${path}/unprotect`, mia), { ...named, protected: false });
    await commit(dev, 'topic', 201);
    await expectStatus(404, 'PUT', 'repository/branches/missing/protect', mia);
  });

  it('whoever can merge into a protected branch need not be able to push to it', async () => {
    await prepare();
    const { mia, dev } = people;
    await commit(dev, 'topic', 201);
    const request = { title: 'More', source_branch: 'topic', target_branch: 'main' };
    const { iid } = (await expectStatus(201, 'POST', 'merge_requests', dev, request)) as { readonly iid: number };
    await expectStatus(401, 'PUT', `merge_requests/${iid}/merge`, dev);
    await expectStatus(200, 'PUT', 'repository/branches/main/protect', mia, { developers_can_merge: true });
    await commit(dev, 'main', 403);
    assert.partialDeepStrictEqual(await expectStatus(200, 'PUT', `merge_requests/${iid}/merge`, dev), { state: 'merged' });
  });

  it('a fork has a rule for its default branch', async () => {
    await prepare();
    const { rita } = people;
    const fork = (await expectStatus(201, 'POST', 'fork', rita)) as { readonly id: number };
    const rules = await server.request('GET', `/api/v4/projects/${fork.id}/protected_branches`, { token: rita.token });
    assert.partialDeepStrictEqual(rules.json(), [{ name: 'main' }]);
  });

  it('refusals of pushes have the texts of GitLab', async () => {
    await prepare();
    const { mia, dev, rita } = people;
    await expectStatus(201, 'POST', 'protected_branches', mia, { name: 'new', push_access_level: 0 });
    await expectStatus(201, 'POST', 'protected_tags', mia, { name: 'v*' });
    const branch = (name: string, action: RefChange['action']) => ({ kind: 'branch', name, action }) as const;
    const tag = (name: string, action: RefChange['action']) => ({ kind: 'tag', name, action }) as const;
    const push = 'You are not allowed to push code to protected branches on this project.';
    const force = 'You are not allowed to force push code to a protected branch on this project.';
    const table: readonly (readonly [Actor, RefChange, string | undefined])[] = [
      [rita, branch('topic', 'update'), 'You are not allowed to push code to this project.'],
      [dev, branch('topic', 'force'), undefined],
      [dev, branch('topic', 'delete'), undefined],
      [dev, branch('main', 'update'), push],
      [mia, branch('main', 'update'), undefined],
      [mia, branch('main', 'force'), force],
      [dev, branch('main', 'force'), force],
      [mia, branch('main', 'delete'), 'The default branch of a project cannot be deleted.'],
      [mia, branch('new', 'create'), 'You are not allowed to create protected branches on this project.'],
      [
        dev,
        branch('new', 'delete'),
        'You are not allowed to delete protected branches from this project. Only a project maintainer or owner can delete a protected branch.',
      ],
      [mia, branch('new', 'delete'), 'You can only delete protected branches using the web interface.'],
      [mia, { ...branch('new', 'delete'), by: 'api' }, undefined],
      [dev, tag('v1', 'create'), 'You are not allowed to create this tag as it is protected.'],
      [mia, tag('v1', 'create'), undefined],
      [mia, tag('v1', 'force'), 'Protected tags cannot be updated.'],
      [
        dev,
        tag('v1', 'delete'),
        'You are not allowed to delete protected tags from this project. Only a project maintainer or owner can delete a protected tag.',
      ],
      [mia, tag('v1', 'delete'), 'You can only delete protected tags using the web interface.'],
      [dev, tag('other', 'force'), undefined],
    ];
    for (const [who, change, text] of table) {
      assert.equal(refusalOf(who, change), text, `${who.user.username} ${JSON.stringify(change)}`);
    }
  });
});
