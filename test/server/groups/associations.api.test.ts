import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import type { User } from '../../../server/core/caller.ts';
import { createUser } from '../../../server/features/users/accounts.ts';
import { issuePersonalToken } from '../../../server/features/personalTokens/tokens.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { addMember } from '../../../server/features/members/projectMembers.ts';
import { signedIn } from '../oauth/support.ts';
import { rootOf } from '../projects/cast.ts';
import { startTestServer, type TestResponse, type TestServer } from '../../support/server.ts';

const address = '/api/v4/personal_access_tokens/self/associations';

interface Associations {
  readonly groups: readonly { readonly id: number; readonly name: string; readonly access_levels: number }[];
  readonly projects: readonly { readonly name: string; readonly access_levels: unknown }[];
}

describe('the associations of a personal access token', () => {
  let server: TestServer;
  let ada: User;
  let own: string;
  let signals: FoundGroup;
  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    const root = rootOf(platform);
    const made = createUser(platform, { username: 'ada', name: 'Ada', email: 'ada@example.com' });
    assert.ok(typeof made === 'object');
    ada = made;
    own = issuePersonalToken(platform, ada, { name: 'own', scopes: ['k8s_proxy'], expiresAt: null }).token;
    signals = createGroup(platform, root, { name: 'Signals', path: 'signals' });
    createGroup(platform, root, { name: 'Hidden', path: 'hidden' });
    createGroup(platform, root, { name: 'Open', path: 'open', visibility: 'public' });
    const inner = createGroup(platform, root, { name: 'Inner', path: 'inner', parent: signals });
    addGroupMember(platform, signals.group, ada, { level: 20 }, { user: root });
    addGroupMember(platform, inner.group, ada, { level: 40 }, { user: root });
    const lamps = createProject(platform, root, { name: 'Lamps', namespaceId: inner.group.id });
    createProject(platform, root, { name: 'Secret' });
    const board = createProject(platform, root, { name: 'Board' });
    const by = (access: (typeof lamps)['access']) => ({ user: root, access });
    addMember(platform, board.project, ada, { level: 30, expiresAt: null }, by(board.access));
  });
  afterEach(() => server.close());

  const get = (query = '', token = own): Promise<TestResponse> => server.request('GET', `${address}${query}`, { token });
  const names = (response: TestResponse): unknown => {
    const { groups, projects } = response.json() as Associations;
    return [groups.map(({ name }) => name), projects.map(({ name }) => name)];
  };

  it('the associations of a token are groups and projects, newest first, with the access levels of its user', async () => {
    const response = await get();
    assert.equal(response.status, 200);
    assert.deepEqual(names(response), [
      ['Inner', 'Open', 'Signals'],
      ['Board', 'Lamps'],
    ]);
    const { groups, projects } = response.json() as Associations;
    assert.deepEqual(groups.at(-1), {
      id: signals.group.id,
      web_url: `${server.origin}/groups/signals`,
      name: 'Signals',
      parent_id: null,
      organization_id: 1,
      access_levels: 20,
      visibility: 'private',
    });
    assert.deepEqual(
      groups.map((group) => group.access_levels),
      [40, 0, 20],
    );
    assert.deepEqual(
      projects.map((project) => project.access_levels),
      [
        { project_access_level: 30, group_access_level: null },
        { project_access_level: null, group_access_level: 40 },
      ],
    );
    assert.deepEqual(Object.keys(projects[0] ?? {}), [
      'id',
      'description',
      'name',
      'name_with_namespace',
      'path',
      'path_with_namespace',
      'created_at',
      'access_levels',
      'visibility',
      'web_url',
      'namespace',
    ]);
  });

  it('the associations of a token can be filtered by access level', async () => {
    assert.deepEqual(names(await get('?min_access_level=20')), [
      ['Inner', 'Signals'],
      ['Board', 'Lamps'],
    ]);
    assert.deepEqual(names(await get('?min_access_level=40')), [['Inner'], ['Lamps']]);
    const refused = await get('?min_access_level=7');
    assert.deepEqual([refused.status, refused.json()], [400, { error: 'min_access_level does not have a valid value' }]);
  });

  it('all associations of a token are reached by following the pages of the longer list', async () => {
    const seen: unknown[] = [];
    let path = `${address}?per_page=1`;
    for (let count = 0; count < 9 && path !== ''; count += 1) {
      const response = await server.request('GET', path, { token: own });
      seen.push(names(response));
      path = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? '';
    }
    assert.deepEqual(seen, [
      [['Inner'], ['Board']],
      [['Open'], ['Lamps']],
      [['Signals'], []],
    ]);
  });

  it('the associations of a token require a personal access token', async () => {
    const { access_token } = await signedIn(server);
    const refused = await get('', access_token);
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.json(), {
      message: '400 Bad request - This endpoint requires token type to be a personal access token',
    });
    assert.equal((await server.request('GET', address)).status, 401);
  });

  it('the associations of a token do not exist before release 17.4', async () => {
    await using before = await startTestServer({ profile: { release: '17.3' } });
    const response = await before.request('GET', address, { token: before.adminToken });
    assert.notEqual(response.status, 200);
  });
});
