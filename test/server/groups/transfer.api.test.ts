import assert from 'node:assert/strict';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { setEnterpriseGroup } from '../../../server/features/users/enterprise.ts';
import { type Actor, actor, projectWith } from '../projects/cast.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';

interface Named {
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
  readonly path_with_namespace: string;
  readonly username: string;
}

describe('transfers', () => {
  let server: TestServer;
  let ada: Actor;
  let ben: Actor;
  /** Groups of ada. `harbour` is public and contains `pier`, which is public; `vault` is private, with ben as maintainer. */
  let harbour: FoundGroup;
  let pier: FoundGroup;
  let vault: FoundGroup;

  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    ada = actor(platform, 'ada');
    ben = actor(platform, 'ben');
    harbour = createGroup(platform, ada.user, { name: 'Harbour', path: 'harbour', visibility: 'public' });
    pier = createGroup(platform, ada.user, { name: 'Pier', path: 'pier', visibility: 'public', parent: harbour });
    vault = createGroup(platform, ada.user, { name: 'Vault', path: 'vault' });
    addGroupMember(platform, vault.group, ben.user, { level: 40 }, { user: ada.user });
  });
  afterEach(() => server.close());

  const send = async (method: string, path: string, token: string, json?: object): Promise<[number, unknown]> => {
    const response = await server.request(method, `/api/v4${path}`, { token, ...(json === undefined ? {} : { json }) });
    return [response.status, response.text.startsWith('{') || response.text.startsWith('[') ? response.json() : response.text];
  };
  const names = async (path: string, token: string): Promise<string[]> => {
    const [status, body] = await send('GET', path, token);
    assert.equal(status, 200);
    return (body as Named[]).map((item) => item.full_path ?? item.path_with_namespace ?? item.username);
  };
  const location = async (path: string, token: string): Promise<unknown> => {
    const { status, headers } = await server.request('GET', `/api/v4${path}`, { token });
    return status === 301 ? headers.get('location')?.replace(`${server.origin}/api/v4`, '') : status;
  };

  describe('transfers of a project', () => {
    it('a project transferred into a group is visible to its members and at most as visible as the group, and the former path redirects', async () => {
      const { project } = projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' });
      const [status, body] = await send('PUT', '/projects/ada%2Flamps/transfer', ada.token, { namespace: 'VAULT' });
      assert.equal(status, 200);
      assert.partialDeepStrictEqual(body, {
        id: project.id,
        path_with_namespace: 'vault/lamps',
        name_with_namespace: 'Vault / Lamps',
        visibility: 'private',
        namespace: { id: vault.group.id, kind: 'group' },
      });
      assert.deepEqual(await names('/projects?membership=true', ben.token), ['vault/lamps']);
      assert.equal(
        await location('/projects/ada%2Flamps/events?per_page=5', ben.token),
        `/projects/${project.id}/events?per_page=5`,
      );
      assert.deepEqual(await send('PUT', '/projects/ada%2Flamps', ada.token, { name: 'L' }), [
        405,
        { message: 'Non GET methods are not allowed for moved projects' },
      ]);
      assert.deepEqual(await names(`/projects/${project.id}/members/all`, ada.token), ['ada', 'ben']);
    });

    it('a project transferred out of a group belongs to its new owner, and members of the group lose access', async () => {
      const { project } = projectWith(server.platform, ada, { name: 'Lamps', namespaceId: vault.group.id });
      const [, before] = await send('GET', `/projects/${project.id}`, ben.token);
      assert.partialDeepStrictEqual(before, { permissions: { group_access: { access_level: 40 } } });
      const [status] = await send('PUT', `/projects/${project.id}/transfer`, ada.token, { namespace: 'ada' });
      assert.equal(status, 200);
      assert.deepEqual((await send('GET', `/projects/${project.id}`, ben.token))[0], 404);
      const [, member] = await send('GET', `/projects/${project.id}/members/${ada.user.id}`, ada.token);
      assert.partialDeepStrictEqual(member, { access_level: 50 });
      assert.deepEqual(await send('GET', `/projects/vault%2Flamps`, ben.token), [404, { message: '404 Project Not Found' }]);
    });

    it('a project can be transferred back and forth', async () => {
      const { project } = projectWith(server.platform, ada, { name: 'Lamps', visibility: 'public' });
      for (const [namespace, path] of [
        [harbour.group.id, 'harbour/lamps'],
        ['harbour/pier', 'harbour/pier/lamps'],
        ['ada', 'ada/lamps'],
      ] as const) {
        const [status, body] = await send('PUT', `/projects/${project.id}/transfer`, ada.token, { namespace });
        assert.equal(status, 200);
        assert.partialDeepStrictEqual(body, { path_with_namespace: path, visibility: 'public' });
      }
      assert.equal(await location('/projects/ada%2Flamps', ada.token), 200);
      assert.equal(await location('/projects/harbour%2Fpier%2Flamps', ada.token), `/projects/${project.id}`);
      assert.deepEqual(await names(`/groups/${harbour.group.id}/projects?include_subgroups=true`, ada.token), []);
    });

    it('invalid transfers of a project are refused', async () => {
      const { platform } = server;
      const { project } = projectWith(platform, ada, { name: 'Lamps' }, [[ben, 40]]);
      projectWith(platform, ada, { name: 'LAMPS', path: 'other', namespaceId: harbour.group.id });
      createGroup(platform, ada.user, { name: 'Not a project', path: 'lamps', parent: pier });
      addGroupMember(platform, harbour.group, ben.user, { level: 30 }, { user: ada.user });
      const own = projectWith(platform, ben, { name: 'Buoys' }).project;
      const failed = (text: string) => [400, { message: `Failed to transfer project {:new_namespace=>["${text}"]}` }];
      const taken = failed('Project with same name or path in target namespace already exists');
      for (const [id, namespace, who, response] of [
        [project.id, 'harbour', ada, taken],
        [project.id, 'harbour/pier', ada, taken],
        [project.id, 'ada', ada, failed('Project is already in this namespace.')],
        [project.id, 'vault', ben, [403, { message: '403 Forbidden' }]],
        [own.id, 'harbour', ben, failed("You don't have permission to transfer projects into that namespace.")],
        [own.id, 'ada', ben, [404, { message: '404 Namespace Not Found' }]],
        [own.id, 'nowhere', ben, [404, { message: '404 Namespace Not Found' }]],
        [own.id, '', ben, [404, { message: '404 Namespace Not Found' }]],
        [own.id, undefined, ben, [400, { error: 'namespace is missing' }]],
      ] as const) {
        assert.deepEqual(await send('PUT', `/projects/${id}/transfer`, who.token, { namespace }), response, `${namespace}`);
      }
      await send('PUT', `/groups/${vault.group.id}`, ada.token, { project_creation_level: 'noone' });
      assert.deepEqual(
        await send('PUT', `/projects/${own.id}/transfer`, ben.token, { namespace: 'vault' }),
        failed("You don't have permission to transfer projects into that namespace."),
      );
      assert.equal((await server.request('PUT', `/api/v4/projects/${own.id}/transfer`, { json: {} })).status, 401);
    });

    it('owners of a project can list the possible targets of a transfer', async () => {
      const { project } = projectWith(server.platform, ada, { name: 'Lamps', namespaceId: pier.group.id }, [[ben, 40]]);
      assert.deepEqual(await names(`/projects/${project.id}/transfer_locations`, ada.token), ['harbour', 'vault']);
      assert.deepEqual(await names(`/projects/${project.id}/transfer_locations?search=vau`, ada.token), ['vault']);
      assert.deepEqual(await send('GET', `/projects/${project.id}/transfer_locations`, ben.token), [
        403,
        { message: '403 Forbidden' },
      ]);
      await send('PUT', `/groups/${vault.group.id}`, ada.token, { project_creation_level: 'noone' });
      const [, body] = await send('GET', `/projects/${project.id}/transfer_locations`, ada.token);
      assert.deepEqual(body, [
        {
          id: harbour.group.id,
          web_url: `${server.origin}/groups/harbour`,
          name: 'Harbour',
          avatar_url: null,
          full_name: 'Harbour',
          full_path: 'harbour',
        },
      ]);
    });

    it('administrators can transfer a project into a group', async () => {
      const { project } = projectWith(server.platform, ben, { name: 'Lamps' });
      const path = `/groups/vault/projects/ben%2Flamps`;
      assert.deepEqual(await send('POST', path, ada.token), [403, { message: '403 Forbidden' }]);
      const [status, body] = await send('POST', path, admin);
      assert.equal(status, 201);
      assert.partialDeepStrictEqual(body, { full_path: 'vault', projects: [{ id: project.id }] });
      assert.deepEqual(await send('POST', `/groups/vault/projects/${project.id}`, admin), [
        400,
        { message: 'Failed to transfer project {:new_namespace=>["Project is already in this namespace."]}' },
      ]);
      assert.deepEqual(await send('POST', '/groups/vault/projects/77', admin), [404, { message: '404 Project Not Found' }]);
      assert.deepEqual(await send('POST', '/groups/77/projects/1', admin), [404, { message: '404 Group Not Found' }]);
    });
  });

  describe('transfers of a group', () => {
    it('a group transferred into another one includes its content, which becomes visible to its members and at most as visible as the group', async () => {
      const { project } = projectWith(server.platform, ada, { name: 'Crane', namespaceId: pier.group.id, visibility: 'public' });
      const [status, body] = await send('POST', '/groups/harbour/transfer', ada.token, { group_id: vault.group.id });
      assert.equal(status, 201);
      assert.partialDeepStrictEqual(body, {
        id: harbour.group.id,
        full_path: 'vault/harbour',
        full_name: 'Vault / Harbour',
        parent_id: vault.group.id,
        visibility: 'private',
      });
      assert.deepEqual(await names('/groups?order_by=id', ben.token), ['vault/harbour', 'vault/harbour/pier', 'vault']);
      assert.deepEqual(await names('/projects?min_access_level=40', ben.token), ['vault/harbour/pier/crane']);
      const [, moved] = await send('GET', `/projects/${project.id}`, ben.token);
      assert.partialDeepStrictEqual(moved, { visibility: 'private', name_with_namespace: 'Vault / Harbour / Pier / Crane' });
      assert.deepEqual(await names(`/groups/${vault.group.id}/descendant_groups?order_by=id`, ben.token), [
        'vault/harbour',
        'vault/harbour/pier',
      ]);
      for (const [from, to] of [
        ['/groups/harbour', `/groups/${harbour.group.id}`],
        ['/groups/harbour%2Fpier/members', `/groups/${pier.group.id}/members`],
        ['/projects/harbour%2Fpier%2Fcrane', `/projects/${project.id}`],
        ['/namespaces/harbour%2Fpier', `/namespaces/${pier.group.id}`],
      ] as const) {
        assert.equal(await location(from, ben.token), to);
      }
    });

    it('a group transferred to the top level has an owner, and members of its former ancestors lose access', async () => {
      const { platform } = server;
      const inner = createGroup(platform, ada.user, { name: 'Inner', path: 'inner', parent: vault });
      platform.store.run('DELETE FROM group_members WHERE group_id = $id', { id: inner.group.id });
      projectWith(platform, ada, { name: 'Gold', namespaceId: inner.group.id });
      addGroupMember(platform, inner.group, ben.user, { level: 40 }, { user: ada.user });
      const carl = actor(platform, 'carl');
      addGroupMember(platform, vault.group, carl.user, { level: 20 }, { user: ada.user });
      assert.deepEqual(await names('/projects?membership=true', carl.token), ['vault/inner/gold']);
      const [status, body] = await send('POST', `/groups/vault%2Finner/transfer`, ada.token, {});
      assert.equal(status, 201);
      assert.partialDeepStrictEqual(body, { full_path: 'inner', parent_id: null });
      assert.deepEqual(await names('/projects?membership=true', carl.token), []);
      assert.deepEqual(await names('/projects?membership=true', ben.token), ['inner/gold']);
      const [, members] = await send('GET', '/groups/inner/members', ada.token);
      assert.deepEqual(
        (members as (Named & { access_level: number })[]).map(({ username, access_level: level }) => [username, level]),
        [
          ['ben', 40],
          ['ada', 50],
        ],
      );
    });

    it('a group with enterprise users has none after a transfer into another group', async () => {
      const { platform } = server;
      setEnterpriseGroup(platform, ben.user, harbour.group.id);
      const on = { disable_password_authentication_for_enterprise_users: true };
      assert.equal((await send('PUT', '/groups/harbour', ada.token, on))[0], 200);
      assert.equal((await send('POST', '/groups/harbour/transfer', ada.token, { group_id: vault.group.id }))[0], 201);
      const [, user] = await send('GET', `/users/${ben.user.id}`, admin);
      assert.partialDeepStrictEqual(user, { enterprise_group_id: null, enterprise_group_associated_at: null });
      await send('POST', `/groups/${harbour.group.id}/transfer`, ada.token, {});
      const [, group] = await send('GET', '/groups/harbour', ada.token);
      assert.partialDeepStrictEqual(group, { disable_password_authentication_for_enterprise_users: false });
    });

    it('invalid transfers of a group are refused', async () => {
      const { platform } = server;
      addGroupMember(platform, pier.group, ben.user, { level: 50 }, { user: ada.user });
      const twin = createGroup(platform, ada.user, { name: 'Twin', path: 'pier', parent: vault });
      const namesake = createGroup(platform, ada.user, { name: 'pier', path: 'namesake', parent: vault });
      createGroup(platform, ada.user, { name: 'New', path: 'pier', visibility: 'public' });
      let deep: FoundGroup = createGroup(platform, ada.user, { name: 'D', path: 'd' });
      for (let depth = 0; depth < 18; depth += 1) deep = createGroup(platform, ada.user, { name: 'D', path: 'd', parent: deep });
      const failed = (text: string) => [400, { message: `Transfer failed: ${text}` }];
      for (const [id, groupId, who, response] of [
        [harbour, undefined, ada, failed('Group is already a root group.')],
        [pier, harbour, ada, failed('Group is already associated to the parent group.')],
        [harbour, pier, ada, failed('Cannot transfer group to one of its subgroup.')],
        [harbour, harbour, ada, failed('Cannot transfer group to one of its subgroup.')],
        [pier, vault, ada, failed('The parent group already has a subgroup or a project with the same path.')],
        [twin, harbour, ada, failed('The parent group already has a subgroup or a project with the same path.')],
        [namesake, harbour, ada, failed('Validation failed: Name has already been taken')],
        [pier, undefined, ada, failed('The parent group already has a subgroup or a project with the same path.')],
        [harbour, deep, ada, failed('Validation failed: Parent has too deep level of nesting')],
        [harbour, vault, ben, [403, { message: '403 Forbidden' }]],
        [vault, harbour, ben, [403, { message: '403 Forbidden' }]],
        [pier, 77, ben, [404, { message: '404 Group Not Found' }]],
      ] as const) {
        const target = typeof groupId === 'object' ? groupId.group.id : groupId;
        const sent = target === undefined ? {} : { group_id: target };
        assert.deepEqual(
          await send('POST', `/groups/${id.group.id}/transfer`, who.token, sent),
          response,
          JSON.stringify(response),
        );
      }
      await send('PUT', `/groups/${vault.group.id}`, ada.token, { subgroup_creation_level: 'owner' });
      assert.deepEqual(
        await send('POST', `/groups/${pier.group.id}/transfer`, ben.token, { group_id: vault.group.id }),
        failed("You don't have enough permissions."),
      );
      assert.deepEqual((await names('/groups?order_by=id&search=pier', ada.token)).length, 4);
    });

    it('owners of a group can list the possible targets of a transfer', async () => {
      assert.deepEqual(await names('/groups/harbour%2Fpier/transfer_locations', ada.token), ['vault']);
      assert.deepEqual(await names('/groups/harbour/transfer_locations', ada.token), ['vault']);
      assert.deepEqual(await names('/groups/vault/transfer_locations?search=pie', ada.token), ['harbour/pier']);
      assert.deepEqual((await send('GET', '/groups/vault/transfer_locations', ben.token))[0], 403);
    });
  });
});
