import assert from 'node:assert/strict';
import { DAY } from '../../../server/core/clock.ts';
import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { addGroupMember } from '../../../server/features/groups/members.ts';
import { linkTo } from '../../../src/contract/pagination.ts';
import { type Actor, actor, projectWith, rootOf } from '../projects/cast.ts';
import { scenarios } from '../../support/scenarios.ts';
import { startTestServer, TEST_ADMIN_TOKEN as admin, type TestServer } from '../../support/server.ts';

const NOT_FOUND = { message: '404 Group Not Found' };
const UNAUTHORIZED = { message: '401 Unauthorized' };
const FORBIDDEN = { message: '403 Forbidden' };
const MISSING = { error: '404 Not Found' };

interface Listed {
  readonly id: number;
  readonly name: string;
  readonly full_path: string;
  readonly path_with_namespace: string;
  readonly username: string;
  readonly access_level: number;
}

describe('groups', () => {
  let server: TestServer;
  let ada: Actor;
  let ben: Actor;
  let eve: Actor;
  /** Groups of ada: `open` is public; its subgroup `hidden` is private and contains `deep`. */
  let open: FoundGroup;
  let hidden: FoundGroup;
  let deep: FoundGroup;

  beforeEach(async () => {
    server = await startTestServer();
    const { platform } = server;
    ada = actor(platform, 'ada');
    ben = actor(platform, 'ben');
    eve = actor(platform, 'eve', { external: true });
    open = createGroup(platform, ada.user, { name: 'Open Sea', path: 'open', visibility: 'public', description: 'Far out' });
    hidden = createGroup(platform, ada.user, { name: 'Hidden Bay', path: 'hidden', parent: open });
    deep = createGroup(platform, ada.user, { name: 'Deep', path: 'deep', parent: hidden });
  });
  afterEach(() => server.close());

  const list = async (path: string, token?: string): Promise<Listed[]> => {
    const response = await server.request('GET', `/api/v4${path}`, token === undefined ? {} : { token });
    assert.equal(response.status, 200, response.text);
    return response.json() as Listed[];
  };
  const paths = async (path: string, token?: string): Promise<string[]> =>
    (await list(path, token)).map((item) => item.full_path ?? item.path_with_namespace);
  const join = (group: FoundGroup, { user }: Actor, level: number, expiresAt?: number): void => {
    addGroupMember(server.platform, group.group, user, { level, expiresAt }, { user: ada.user });
  };

  describe('creating a group', () => {
    it('creating a group returns it as its members see it, and makes its creator an owner', async () => {
      const json = { name: 'Lamps and More', path: 'lamps', visibility: 'internal', description: 'Lamps' };
      const response = await server.request('POST', '/api/v4/groups', { token: ben.token, json });
      assert.equal(response.status, 201, response.text);
      const { id, created_at, runners_token, ...rest } = response.json() as Record<'created_at' | 'runners_token', string> & {
        id: number;
      };
      assert.match(runners_token, /^GR1348941/);
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.deepEqual(rest, {
        web_url: `${server.origin}/groups/lamps`,
        name: 'Lamps and More',
        path: 'lamps',
        description: 'Lamps',
        visibility: 'internal',
        share_with_group_lock: false,
        require_two_factor_authentication: false,
        two_factor_grace_period: 48,
        project_creation_level: 'developer',
        auto_devops_enabled: null,
        subgroup_creation_level: 'maintainer',
        emails_disabled: false,
        emails_enabled: true,
        mentions_disabled: null,
        lfs_enabled: false,
        default_branch: null,
        default_branch_protection: 2,
        default_branch_protection_defaults: {
          allowed_to_push: [{ access_level: 40 }],
          allow_force_push: false,
          allowed_to_merge: [{ access_level: 40 }],
        },
        avatar_url: null,
        request_access_enabled: false,
        full_name: 'Lamps and More',
        full_path: 'lamps',
        parent_id: null,
        organization_id: 1,
        shared_runners_setting: 'enabled',
        shared_with_groups: [],
        prevent_sharing_groups_outside_hierarchy: false,
        disable_password_authentication_for_enterprise_users: false,
        projects: [],
        shared_projects: [],
      });
      const members = await list(`/groups/${id}/members`, ben.token);
      assert.deepEqual(
        members.map(({ username, access_level }) => [username, access_level]),
        [['ben', 50]],
      );
      assert.deepEqual(await list('/users/ben/events', ben.token), [], 'groups make no events');
    });

    it('a subgroup has its full path and name', async () => {
      const json = { name: 'Sub', path: 'sub', parent_id: deep.group.id };
      const response = await server.request('POST', '/api/v4/groups', { token: ada.token, json });
      assert.equal(response.status, 201, response.text);
      assert.partialDeepStrictEqual(response.json(), {
        full_path: 'open/hidden/deep/sub',
        full_name: 'Open Sea / Hidden Bay / Deep / Sub',
        parent_id: deep.group.id,
        visibility: 'private',
      });
    });

    it('creating a subgroup requires the maintainer role, or the owner role if the group demands it', async () => {
      const tries = async (level: number): Promise<number> => {
        const actorAt = actor(server.platform, `at${level}${open.group.subgroup_creation_level}`);
        join(open, actorAt, level);
        const json = { name: actorAt.user.username, path: actorAt.user.username, parent_id: open.group.id };
        return (await server.request('POST', '/api/v4/groups', { token: actorAt.token, json })).status;
      };
      assert.deepEqual([await tries(30), await tries(40), await tries(50)], [403, 201, 201]);
      const json = { subgroup_creation_level: 'owner' };
      await server.request('PUT', `/api/v4/groups/${open.group.id}`, { token: ada.token, json });
      const keeper = actor(server.platform, 'keeper');
      join(open, keeper, 40);
      const sub = { name: 'x', path: 'x', parent_id: open.group.id };
      assert.equal((await server.request('POST', '/api/v4/groups', { token: keeper.token, json: sub })).status, 403);
    });

    scenarios(
      () => server,
      [
        { name: 'a token is required', method: 'POST', path: '/api/v4/groups', json: {}, status: 401, body: UNAUTHORIZED },
        {
          name: 'name and path are required',
          method: 'POST',
          path: '/api/v4/groups',
          token: admin,
          json: {},
          status: 400,
          body: { error: 'name is missing, path is missing' },
        },
        {
          name: 'the path is taken by a user, regardless of case',
          method: 'POST',
          path: '/api/v4/groups',
          token: admin,
          json: { name: 'Ada', path: 'ADA' },
          status: 400,
          body: { message: 'Failed to save group {:path=>["has already been taken"]}' },
        },
        {
          name: 'the paths are invalid and reserved',
          method: 'POST',
          path: '/api/v4/groups',
          token: admin,
          json: { name: '<b>', path: 'a b' },
          status: 400,
          body: {
            message:
              "Failed to save group {:name=>[\"can contain only letters, digits, emoji, '_', '.', dash, space, parenthesis. It must start with letter, digit, emoji or '_'.\"], :path=>[\"can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.\"]}",
          },
        },
        {
          name: 'the path belongs to a page of the server',
          method: 'POST',
          path: '/api/v4/groups',
          token: admin,
          json: { name: 'Groups', path: 'groups' },
          status: 400,
          body: { message: 'Failed to save group {:path=>["groups is a reserved name"]}' },
        },
        {
          name: 'the parent group does not exist',
          method: 'POST',
          path: '/api/v4/groups',
          token: admin,
          json: { name: 'x', path: 'x', parent_id: 9999 },
          status: 404,
          body: NOT_FOUND,
        },
      ],
    );

    it('external users cannot create groups', async () => {
      const json = { name: 'x', path: 'x' };
      const response = await server.request('POST', '/api/v4/groups', { token: eve.token, json });
      assert.equal(response.status, 403);
      assert.deepEqual(response.json(), FORBIDDEN);
    });

    it('a group is never more visible than its parent group', async () => {
      const json = { name: 'Loud', path: 'loud', parent_id: hidden.group.id, visibility: 'internal' };
      const response = await server.request('POST', '/api/v4/groups', { token: ada.token, json });
      assert.equal(response.status, 400);
      assert.deepEqual(response.json(), {
        message:
          'Failed to save group {:visibility_level=>["internal is not allowed since the parent group has a private visibility."]}',
      });
    });

    it('names and paths are unique among the subgroups and projects of a group', async () => {
      projectWith(server.platform, ada, { name: 'Buoy', path: 'buoy', namespaceId: open.group.id });
      const tries = async (name: string, path: string): Promise<unknown> => {
        const json = { name, path, parent_id: open.group.id };
        return (await server.request('POST', '/api/v4/groups', { token: ada.token, json })).json();
      };
      assert.deepEqual(await tries('hidden bay', 'other'), {
        message: 'Failed to save group {:name=>["has already been taken"]}',
      });
      assert.deepEqual(await tries('Buoys', 'Buoy'), { message: 'Failed to save group {:path=>["has already been taken"]}' });
      const project = await server.request('POST', '/api/v4/projects', {
        token: ada.token,
        json: { name: 'Other', path: 'hidden', namespace_id: open.group.id },
      });
      assert.equal(project.status, 400, 'and a project does not get the path of a subgroup');
    });
  });

  describe('reading groups', () => {
    it('a private group is visible to members of it, its ancestors, its descendants or their projects', async () => {
      assert.deepEqual(await paths('/groups'), ['open']);
      assert.deepEqual(await paths('/groups', ben.token), ['open']);
      assert.deepEqual(await paths('/groups', ada.token), ['open/hidden/deep', 'open/hidden', 'open']);
      assert.deepEqual(await paths('/groups', admin), ['open/hidden/deep', 'open/hidden', 'open']);
      const { token } = ben;
      const asked = `/api/v4/groups/${hidden.group.id}`;
      assert.deepEqual((await server.request('GET', asked, { token })).json(), NOT_FOUND);
      projectWith(server.platform, ada, { name: 'Wreck', namespaceId: deep.group.id }, [[ben, 10]]);
      assert.deepEqual(await paths('/groups', ben.token), ['open/hidden/deep', 'open/hidden', 'open']);
      assert.equal((await server.request('GET', asked, { token })).status, 200);
      assert.deepEqual(await paths('/groups?all_available=false', ben.token), [], 'but without being a member of them');
    });

    it('an internal group is visible to all users except external ones', async () => {
      const json = { visibility: 'internal' };
      await server.request('PUT', `/api/v4/groups/${hidden.group.id}`, { token: ada.token, json });
      assert.deepEqual(await paths('/groups?order_by=id'), ['open']);
      assert.deepEqual(await paths('/groups?order_by=id', eve.token), ['open']);
      assert.deepEqual(await paths('/groups?order_by=id', ben.token), ['open', 'open/hidden']);
    });

    it('a group is found by full path, and includes its projects unless with_projects is false', async () => {
      projectWith(server.platform, ada, { name: 'Buoy', namespaceId: open.group.id, visibility: 'public' });
      projectWith(server.platform, ada, { name: 'Secret', namespaceId: open.group.id });
      const shown = await server.request('GET', '/api/v4/groups/open');
      assert.deepEqual(
        (shown.json() as { projects: Listed[] }).projects.map((project) => project.path_with_namespace),
        ['open/buoy'],
      );
      const bare = await server.request('GET', `/api/v4/groups/open%2Fhidden?with_projects=false`, { token: ada.token });
      assert.partialDeepStrictEqual(bare.json(), { id: hidden.group.id, full_name: 'Open Sea / Hidden Bay' });
      assert.ok(!('projects' in (bare.json() as object)));
    });

    it('groups can be filtered and sorted', async () => {
      join(hidden, ben, 40);
      assert.deepEqual(await paths('/groups?search=bay', ada.token), ['open/hidden']);
      assert.deepEqual(await paths('/groups?top_level_only=true', ada.token), ['open']);
      assert.deepEqual(await paths('/groups?visibility=private&order_by=id&sort=desc', ada.token), [
        'open/hidden/deep',
        'open/hidden',
      ]);
      for (const [query, wanted] of [
        ['active=true', 3],
        ['active=false', 0],
        ['archived=false', 3],
        ['archived=true', 0],
        ['marked_for_deletion_on=2026-05-01', 0],
        ['repository_storage=elsewhere', 3],
      ] as const) {
        assert.equal((await paths(`/groups?${query}`, ada.token)).length, wanted, query);
      }
      assert.deepEqual(await paths('/groups?repository_storage=elsewhere', admin), []);
      assert.equal((await paths('/groups?repository_storage=default', admin)).length, 3);
      createGroup(server.platform, ada.user, { name: 'Deepest', path: 'deepest', visibility: 'private' });
      createGroup(server.platform, ada.user, { name: 'A deep one', path: 'a-deep-one', visibility: 'private' });
      const similar = '/groups?search=deep&order_by=similarity';
      assert.deepEqual(await paths(`${similar}&sort=desc`, ada.token), ['open/hidden/deep', 'deepest', 'a-deep-one']);
      assert.deepEqual(await paths(`${similar}&sort=asc`, ada.token), ['a-deep-one', 'deepest', 'open/hidden/deep']);
      for (const path of ['deepest', 'a-deep-one'])
        await server.request('DELETE', `/api/v4/groups/${path}`, { token: ada.token });
      assert.deepEqual(await paths('/groups?order_by=similarity', ada.token), await paths('/groups?order_by=name', ada.token));
      assert.deepEqual(await paths('/groups?owned=true', ben.token), []);
      assert.deepEqual(await paths('/groups?min_access_level=40&order_by=path', ben.token), ['open/hidden/deep', 'open/hidden']);
      assert.deepEqual(await paths(`/groups?skip_groups[]=${open.group.id}&order_by=id`, ben.token), [
        'open/hidden',
        'open/hidden/deep',
      ]);
    });

    it('subgroups are listed, and descendants at any depth', async () => {
      const { id } = open.group;
      assert.deepEqual(await paths(`/groups/${id}/subgroups`, ada.token), ['open/hidden']);
      assert.deepEqual(await paths(`/groups/${id}/descendant_groups?order_by=id`, ada.token), [
        'open/hidden',
        'open/hidden/deep',
      ]);
      assert.deepEqual(await paths(`/groups/${id}/descendant_groups`), []);
    });

    it('the list of groups has the headers of offset pagination', async () => {
      const response = await server.request('GET', '/api/v4/groups?per_page=2', { token: ada.token });
      assert.equal(response.headers.get('x-total'), '3');
      assert.equal(response.headers.get('x-next-page'), '2');
      const query = 'order_by=name&owned=false&page=2&per_page=2&sort=asc&statistics=false&with_custom_attributes=false';
      assert.equal(linkTo(response.headers.get('link') ?? undefined, 'next'), `${server.origin}/api/v4/groups?${query}`);
    });

    it('without a token, the list of groups supports keyset pagination by ascending name only', async () => {
      for (const name of ['Zeta', 'Alpha', 'Alpha']) {
        const path = `${name.toLowerCase()}${(await paths('/groups')).length}`;
        createGroup(server.platform, ada.user, { name, path, visibility: 'public' });
      }
      const names: string[] = [];
      let next: string | undefined = '/api/v4/groups?pagination=keyset&per_page=1';
      while (next !== undefined) {
        const response = await server.request('GET', next);
        assert.equal(response.status, 200, response.text);
        assert.equal(response.headers.get('x-page'), null);
        names.push(...(response.json() as Listed[]).map(({ name }) => name));
        next = linkTo(response.headers.get('link') ?? undefined, 'next');
      }
      assert.deepEqual(names, ['Alpha', 'Alpha', 'Open Sea', 'Zeta']);
      const refused = await server.request('GET', '/api/v4/groups?pagination=keyset&order_by=path');
      assert.equal(refused.status, 405);
      assert.deepEqual(refused.json(), { error: 'Keyset pagination is not yet available for this type of request' });
      const signedIn = await server.request('GET', '/api/v4/groups?pagination=keyset&order_by=path', { token: ada.token });
      assert.equal(signedIn.headers.get('x-page'), '1', 'with a token it is offset all the same');
    });

    it('without a token, the offset in the list of groups is limited to 50,000', async () => {
      const response = await server.request('GET', '/api/v4/groups?page=501&per_page=100');
      assert.equal(response.status, 405);
      assert.match(response.text, /of type Group\./);
      assert.equal((await server.request('GET', '/api/v4/groups?page=501&per_page=100', { token: ada.token })).status, 200);
    });
  });

  describe('projects of a group', () => {
    it('projects of a group are created by developers, or by the role that the group requires', async () => {
      const tries = async (level: number, name: string): Promise<number> => {
        const maker = actor(server.platform, name);
        join(open, maker, level);
        const json = { name, namespace_id: open.group.id };
        return (await server.request('POST', '/api/v4/projects', { token: maker.token, json })).status;
      };
      const set = (project_creation_level: string) =>
        server.request('PUT', `/api/v4/groups/${open.group.id}`, { token: ada.token, json: { project_creation_level } });
      assert.deepEqual([await tries(20, 'one'), await tries(30, 'two')], [400, 201]);
      await set('maintainer');
      assert.deepEqual([await tries(30, 'three'), await tries(40, 'four')], [400, 201]);
      await set('noone');
      assert.equal(await tries(50, 'five'), 400);
      const none = { name: 'six', namespace_id: hidden.group.id };
      const response = await server.request('POST', '/api/v4/projects', { token: ben.token, json: none });
      assert.deepEqual(response.json(), { message: { namespace: ['is not valid'] } });
    });

    it('projects of a group include their namespace, the permissions by the group, and an event of their creation', async () => {
      const json = { name: 'Wreck', namespace_id: deep.group.id };
      const response = await server.request('POST', '/api/v4/projects', { token: ada.token, json });
      assert.equal(response.status, 201, response.text);
      assert.partialDeepStrictEqual(response.json(), {
        path_with_namespace: 'open/hidden/deep/wreck',
        name_with_namespace: 'Open Sea / Hidden Bay / Deep / Wreck',
        web_url: `${server.origin}/open/hidden/deep/wreck`,
        namespace: {
          id: deep.group.id,
          name: 'Deep',
          path: 'deep',
          kind: 'group',
          full_path: 'open/hidden/deep',
          parent_id: hidden.group.id,
          avatar_url: null,
          web_url: `${server.origin}/groups/open/hidden/deep`,
        },
        permissions: { project_access: null, group_access: { access_level: 50, notification_level: 3 } },
      });
      const { id } = response.json() as Listed;
      assert.equal((await server.request('GET', `/api/v4/projects/${id}`, { token: ben.token })).status, 404);
      join(open, ben, 20);
      const seen = await server.request('GET', '/api/v4/projects/open%2Fhidden%2Fdeep%2Fwreck', { token: ben.token });
      assert.partialDeepStrictEqual(seen.json(), { permissions: { project_access: null, group_access: { access_level: 20 } } });
      assert.deepEqual(await paths('/projects?membership=true', ben.token), ['open/hidden/deep/wreck']);
      const events = (await list(`/events?scope=all`, ben.token)) as unknown as { action_name: string; project_id: number }[];
      assert.deepEqual(
        events.map(({ action_name, project_id }) => [action_name, project_id]),
        [['created', id]],
      );
    });

    it('projects of a group are never more visible than the group', async () => {
      const json = { name: 'Loud', namespace_id: hidden.group.id, visibility: 'public' };
      const response = await server.request('POST', '/api/v4/projects', { token: ada.token, json });
      assert.equal(response.status, 400);
      const refusal = { message: { visibility_level: ['public is not allowed in a private group.'] } };
      assert.deepEqual(response.json(), refusal);
      const { project } = projectWith(server.platform, ada, { name: 'Quiet', namespaceId: hidden.group.id });
      const raised = await server.request('PUT', `/api/v4/projects/${project.id}`, {
        token: ada.token,
        json: { visibility: 'public' },
      });
      assert.deepEqual(raised.json(), refusal);
    });

    it('the list of projects of a group includes those of subgroups on request', async () => {
      projectWith(server.platform, ada, { name: 'Buoy', namespaceId: open.group.id, visibility: 'public' });
      projectWith(server.platform, ada, { name: 'Wreck', namespaceId: deep.group.id });
      const { id } = open.group;
      assert.deepEqual(await paths(`/groups/${id}/projects`, ada.token), ['open/buoy']);
      assert.deepEqual(await paths(`/groups/${id}/projects?include_subgroups=true`, ada.token), [
        'open/hidden/deep/wreck',
        'open/buoy',
      ]);
      assert.deepEqual(await paths(`/groups/${id}/projects?include_subgroups=true`), ['open/buoy']);
    });

    it('the list of projects of a group includes those of ancestor groups on request', async () => {
      for (const [name, group] of [
        ['Top', open],
        ['Middle', hidden],
        ['Bottom', deep],
      ] as const) {
        projectWith(server.platform, ada, { name, namespaceId: group.group.id });
      }
      const of = async (query: string): Promise<string[]> =>
        (await list(`/groups/${hidden.group.id}/projects?order_by=id&sort=asc&${query}`, ada.token)).map(({ name }) => name);
      assert.deepEqual(await of(''), ['Middle']);
      assert.deepEqual(await of('include_ancestor_groups=true'), ['Top', 'Middle']);
      assert.deepEqual(await of('include_ancestor_groups=true&include_subgroups=true'), ['Top', 'Middle', 'Bottom']);
    });

    it('confidential issues and their events are visible to reporters of the group', async () => {
      const found = projectWith(server.platform, ada, { name: 'Buoy', namespaceId: open.group.id, visibility: 'public' });
      const { id } = found.project;
      await server.request('POST', `/api/v4/projects/${id}/issues`, {
        token: ada.token,
        json: { title: 'A leak', confidential: true },
      });
      const seen = async (token: string): Promise<[number, number]> => [
        (await list(`/projects/${id}/issues`, token)).length,
        (await list(`/projects/${id}/events?target_type=issue`, token)).length,
      ];
      assert.deepEqual(await seen(ben.token), [0, 0]);
      join(open, ben, 20);
      assert.deepEqual(await seen(ben.token), [1, 1]);
    });
  });

  describe('updating a group', () => {
    it('updating a group requires the owner role and at least one parameter', async () => {
      join(open, ben, 40);
      const address = `/api/v4/groups/${open.group.id}`;
      const json = { description: 'x' };
      assert.deepEqual((await server.request('PUT', address, { token: ben.token, json })).json(), FORBIDDEN);
      assert.equal((await server.request('PUT', address, { json })).status, 401);
      assert.deepEqual((await server.request('PUT', address, { token: ada.token, json: {} })).json(), {
        error:
          'name, path, description, visibility, project_creation_level, subgroup_creation_level, disable_password_authentication_for_enterprise_users are missing, at least one parameter must be provided',
      });
      const changed = await server.request('PUT', address, { token: ada.token, json: { name: 'Wide Sea', description: '' } });
      assert.partialDeepStrictEqual(changed.json(), { name: 'Wide Sea', description: '', path: 'open', visibility: 'public' });
    });

    it('changing the path of a group moves everything in it, and former paths redirect', async () => {
      const { project } = projectWith(server.platform, ada, { name: 'Wreck', namespaceId: deep.group.id });
      const json = { path: 'wide' };
      const { token } = ada;
      const response = await server.request('PUT', `/api/v4/groups/${open.group.id}`, { token, json });
      assert.partialDeepStrictEqual(response.json(), { full_path: 'wide' });
      assert.deepEqual(await paths('/groups?order_by=id', token), ['wide', 'wide/hidden', 'wide/hidden/deep']);
      assert.deepEqual(await paths('/projects?membership=true', token), ['wide/hidden/deep/wreck']);
      const former = await server.request('GET', '/api/v4/projects/open%2Fhidden%2Fdeep%2Fwreck', { token });
      assert.equal(former.status, 301);
      assert.equal(former.headers.get('location'), `${server.origin}/api/v4/projects/${project.id}`);
      const led = async (path: string, as?: string): Promise<unknown> => {
        const { status, headers, text } = await server.request('GET', `/api/v4${path}`, as === undefined ? {} : { token: as });
        return status === 301 ? [headers.get('location')?.replace(`${server.origin}/api/v4`, ''), text] : status;
      };
      for (const [from, to] of [
        ['/groups/open', `/groups/${open.group.id}`],
        ['/groups/OPEN%2Fhidden/members?per_page=5', `/groups/${hidden.group.id}/members?per_page=5`],
        ['/namespaces/open%2Fhidden', `/namespaces/${hidden.group.id}`],
      ] as const) {
        const text = `This resource has been moved permanently to ${server.origin}/api/v4${to}`;
        assert.deepEqual(await led(from, token), [to, text]);
      }
      // Users who cannot see the group do not learn its new path.
      assert.equal(await led('/groups/open%2Fhidden'), 404);
      for (const [method, text] of [
        ['PUT', { message: 'Non GET methods are not allowed for moved groups' }],
        ['DELETE', { message: 'Non GET methods are not allowed for moved groups' }],
        ['HEAD', undefined],
      ] as const) {
        const refused = await server.request(method, '/api/v4/groups/open', { token, ...(method === 'PUT' ? { json: {} } : {}) });
        assert.deepEqual(
          [refused.status, refused.headers.get('location')],
          [405, `${server.origin}/api/v4/groups/${open.group.id}`],
        );
        if (text !== undefined) assert.deepEqual(refused.json(), text);
      }
      const page = await server.request('GET', '/groups/open');
      assert.deepEqual([page.status, page.headers.get('location')], [303, '/groups/wide']);
      assert.equal((await server.request('GET', '/groups/open/hidden')).status, 404);
      // Changing only the case is not a new path, and after changing the path back there are no redirects.
      await server.request('PUT', `/api/v4/groups/${open.group.id}`, { token, json: { path: 'Wide' } });
      assert.equal((await server.request('GET', '/api/v4/projects/wide%2Fhidden%2Fdeep%2Fwreck', { token })).status, 200);
      await server.request('PUT', `/api/v4/groups/${open.group.id}`, { token, json: { path: 'open' } });
      assert.equal((await server.request('GET', '/api/v4/projects/open%2Fhidden%2Fdeep%2Fwreck', { token })).status, 200);
      assert.equal((await server.request('GET', '/api/v4/projects/wide%2Fhidden%2Fdeep%2Fwreck', { token })).status, 301);
      assert.equal(await led('/groups/open%2Fhidden', token), 200);
      assert.deepEqual(((await led('/groups/wide', token)) as readonly unknown[])[0], `/groups/${open.group.id}`);
      // A new group at a former path ends the redirect permanently, even after its deletion.
      const other = createGroup(server.platform, ada.user, { name: 'Wide', path: 'wide' });
      assert.equal(await led('/groups/wide', token), 200);
      await server.request('DELETE', `/api/v4/groups/${other.group.id}`, { token });
      assert.equal(await led('/groups/wide', token), 404);
    });

    it('updating a group reports validation errors', async () => {
      const tries = async (group: FoundGroup, json: object): Promise<unknown> => {
        const response = await server.request('PUT', `/api/v4/groups/${group.group.id}`, { token: ada.token, json });
        assert.equal(response.status, 400, response.text);
        return response.json();
      };
      assert.deepEqual(await tries(open, { path: 'ben' }), { message: { path: ['has already been taken'] } });
      const raised = { visibility: 'public' };
      await server.request('PUT', `/api/v4/groups/${hidden.group.id}`, { token: ada.token, json: raised });
      projectWith(server.platform, ada, { name: 'Buoy', namespaceId: open.group.id, visibility: 'public' });
      assert.deepEqual(await tries(open, { visibility: 'private' }), {
        message: {
          visibility_level: [
            'private is not allowed since this group contains projects with higher visibility.',
            'private is not allowed since there are sub-groups with higher visibility.',
          ],
        },
      });
      assert.deepEqual(await tries(deep, { path: '-' }), {
        message: {
          path: ["can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'."],
        },
      });
    });

    it('deleting a group deletes everything in it', async () => {
      const { project } = projectWith(server.platform, ada, { name: 'Wreck', namespaceId: deep.group.id });
      const { token } = ada;
      const response = await server.request('DELETE', `/api/v4/groups/${hidden.group.id}`, { token });
      assert.deepEqual([response.status, response.json()], [202, { message: '202 Accepted' }]);
      assert.equal((await server.request('GET', `/api/v4/projects/${project.id}`, { token })).status, 404);
      assert.deepEqual(await paths('/groups', token), ['open']);
      join(open, ben, 40);
      assert.equal((await server.request('DELETE', `/api/v4/groups/${open.group.id}`, { token: ben.token })).status, 403);
    });
  });

  describe('members of a group', () => {
    it('members of a group are added, updated and removed by owners', async () => {
      const address = `/api/v4/groups/${hidden.group.id}/members`;
      const { token } = ada;
      const added = await server.request('POST', address, { token, json: { user_id: ben.user.id, access_level: 30 } });
      assert.equal(added.status, 201);
      const { created_at, ...member } = added.json() as Listed & { created_at: string };
      assert.equal(typeof created_at, 'string');
      assert.partialDeepStrictEqual(member, {
        id: ben.user.id,
        username: 'ben',
        access_level: 30,
        expires_at: null,
        membership_state: 'active',
        created_by: { username: 'ada' },
      });
      const again = await server.request('POST', address, { token, json: { user_id: ben.user.id, access_level: 30 } });
      assert.deepEqual([again.status, again.json()], [409, { message: 'Member already exists' }]);
      assert.equal(
        (await server.request('POST', address, { token: ben.token, json: { user_id: eve.user.id, access_level: 10 } })).status,
        403,
      );
      const changed = await server.request('PUT', `${address}/${ben.user.id}`, { token, json: { access_level: 40 } });
      assert.partialDeepStrictEqual(changed.json(), { access_level: 40 });
      for (const [method, path, json] of [
        ['POST', address, { user_id: eve.user.id, access_level: 10 }],
        ['PUT', `${address}/${ada.user.id}`, { access_level: 10 }],
        ['DELETE', `${address}/${ada.user.id}`, {}],
      ] as const) {
        const byMaintainer = await server.request(method, path, { token: ben.token, json });
        assert.equal(byMaintainer.status, 403, `${method} by a maintainer: ${byMaintainer.text}`);
      }
      assert.equal((await server.request('DELETE', `${address}/${ben.user.id}`, { token })).status, 204);
      const gone = await server.request('GET', `${address}/${ben.user.id}`, { token });
      assert.deepEqual([gone.status, gone.json()], [404, { message: '404 Not found' }]);
    });

    it('the list of all members of a group includes members of its ancestors once, with the highest level', async () => {
      join(open, ben, 20);
      join(deep, ben, 30);
      join(hidden, eve, 10);
      const levels = async (path: string): Promise<unknown> =>
        (await list(path, ada.token)).map(({ username, access_level }) => `${username} ${access_level}`);
      assert.deepEqual(await levels(`/groups/${deep.group.id}/members`), ['ada 50', 'ben 30']);
      assert.deepEqual(await levels(`/groups/${deep.group.id}/members/all`), ['ada 50', 'ben 30', 'eve 10']);
      assert.deepEqual(await levels(`/groups/${hidden.group.id}/members/all?query=be`), ['ben 20']);
      const { project } = projectWith(server.platform, ada, { name: 'Wreck', namespaceId: deep.group.id }, [[ben, 40]]);
      assert.deepEqual(await levels(`/projects/${project.id}/members`), ['ben 40']);
      assert.deepEqual(await levels(`/projects/${project.id}/members/all`), ['ada 50', 'ben 40', 'eve 10']);
      const one = await server.request('GET', `/api/v4/projects/${project.id}/members/all/${eve.user.id}`, { token: ada.token });
      assert.partialDeepStrictEqual(one.json(), { username: 'eve', access_level: 10 });
      const none = await server.request('GET', `/api/v4/projects/${project.id}/members/${eve.user.id}`, { token: ada.token });
      assert.equal(none.status, 404);
    });

    it('the level of a member is never lower than in the ancestors of a group', async () => {
      join(open, ben, 30);
      const text = {
        message: { access_level: ['should be greater than or equal to Developer inherited membership from group Open Sea'] },
      };
      const json = { user_id: ben.user.id, access_level: 20 };
      const { token } = ada;
      const inGroup = await server.request('POST', `/api/v4/groups/${deep.group.id}/members`, { token, json });
      assert.deepEqual([inGroup.status, inGroup.json()], [400, text]);
      const { project } = projectWith(server.platform, ada, { name: 'Wreck', namespaceId: deep.group.id });
      const inProject = await server.request('POST', `/api/v4/projects/${project.id}/members`, { token, json });
      assert.deepEqual([inProject.status, inProject.json()], [400, text]);
    });

    it('users can be excluded from the list of members of a group', async () => {
      join(open, ben, 30);
      for (const path of ['members', 'members/all']) {
        const found = await list(`/groups/${open.group.id}/${path}?skip_users[]=${ada.user.id}`, ada.token);
        assert.deepEqual(
          found.map(({ username }) => username),
          ['ben'],
        );
      }
    });

    it('removing a member of a group also removes memberships below it, unless skip_subresources is set', async () => {
      const levels = async (): Promise<number> => (await list('/groups?all_available=false', ben.token)).length;
      join(open, ben, 10);
      join(deep, ben, 30);
      const { project } = projectWith(server.platform, ada, { name: 'Wreck', namespaceId: deep.group.id }, [[ben, 40]]);
      const address = `/api/v4/groups/${open.group.id}/members/${ben.user.id}`;
      await server.request('DELETE', `${address}?skip_subresources=true`, { token: ada.token });
      assert.equal(await levels(), 1);
      join(open, ben, 10);
      assert.equal((await server.request('DELETE', address, { token: ben.token })).status, 204, 'people may leave');
      assert.equal(await levels(), 0);
      const events = (await list(`/projects/${project.id}/events`, ada.token)) as unknown as { action_name: string }[];
      assert.deepEqual(
        events.map(({ action_name }) => action_name),
        ['left', 'joined', 'created'],
      );
    });

    it('memberships in a group expire at the start of the day by the clock, without an event', async () => {
      const { platform } = server;
      const { project } = projectWith(platform, ada, { name: 'Wreck', namespaceId: deep.group.id });
      const end = (Math.floor(platform.clock.now() / DAY) + 3) * DAY;
      join(open, ben, 30, end);
      const seen = async (): Promise<number> =>
        (await server.request('GET', `/api/v4/projects/${project.id}`, { token: ben.token })).status;
      assert.equal(await seen(), 200);
      await server.request('POST', '/_local/clock', { token: admin, json: { advance_seconds: 3 * 86_400 } });
      assert.equal(await seen(), 404);
      const events = (await list(`/projects/${project.id}/events`, ada.token)) as unknown as { action_name: string }[];
      assert.deepEqual(
        events.map(({ action_name }) => action_name),
        ['created'],
      );
    });

    it('the last owner of a group can neither leave nor lose the role', async () => {
      const top = createGroup(server.platform, ben.user, { name: 'Top', path: 'top' });
      const address = `/api/v4/groups/${top.group.id}/members/${ben.user.id}`;
      assert.equal((await server.request('DELETE', address, { token: ben.token })).status, 403);
      assert.equal((await server.request('PUT', address, { token: ben.token, json: { access_level: 40 } })).status, 403);
      addGroupMember(server.platform, top.group, ada.user, { level: 50 }, { user: ben.user });
      assert.equal((await server.request('DELETE', address, { token: ben.token })).status, 204);
    });

    scenarios(
      () => server,
      [
        { name: 'the list of members requires a token', path: '/api/v4/groups/open/members', status: 401, body: UNAUTHORIZED },
        {
          name: 'the user does not exist',
          method: 'POST',
          path: '/api/v4/groups/open/members',
          token: admin,
          json: { user_id: 9999, access_level: 10 },
          status: 404,
          body: { message: '404 User Not Found' },
        },
        {
          name: 'the access level is unknown',
          method: 'POST',
          path: '/api/v4/groups/open/members',
          token: admin,
          json: { user_id: 1, access_level: 11 },
          status: 400,
          body: { message: { access_level: ['is not included in the list'] } },
        },
        {
          name: 'an unencoded full path matches no endpoint',
          path: '/api/v4/groups/open/hidden',
          token: admin,
          status: 404,
          body: MISSING,
        },
      ],
    );
  });

  describe('namespaces', () => {
    it('the list of namespaces contains those of the user and their groups, and all for administrators', async () => {
      join(hidden, ben, 30);
      assert.deepEqual(await paths('/namespaces', ben.token), ['ben', 'open/hidden', 'open/hidden/deep']);
      assert.deepEqual(await paths('/namespaces?owned_only=true', ben.token), ['ben']);
      assert.deepEqual(await paths('/namespaces?top_level_only=true', ada.token), ['ada', 'open']);
      assert.deepEqual(await paths('/namespaces?search=deep', admin), ['open/hidden/deep']);
      assert.equal((await list('/namespaces', admin)).length, 7);
      assert.equal((await server.request('GET', '/api/v4/namespaces')).status, 401);
    });

    it('a namespace is found by ID or path, with its number of members for owners', async () => {
      join(deep, ben, 10);
      const wire = {
        id: hidden.group.id,
        name: 'Hidden Bay',
        path: 'hidden',
        kind: 'group',
        full_path: 'open/hidden',
        parent_id: open.group.id,
        avatar_url: null,
        web_url: `${server.origin}/groups/open/hidden`,
      };
      const forOwner = await server.request('GET', '/api/v4/namespaces/open%2Fhidden', { token: ada.token });
      assert.deepEqual(forOwner.json(), { ...wire, members_count_with_descendants: 2 });
      const forMember = await server.request('GET', `/api/v4/namespaces/${hidden.group.id}`, { token: ben.token });
      assert.deepEqual(forMember.json(), wire);
      const own = await server.request('GET', '/api/v4/namespaces/ben', { token: ben.token });
      assert.partialDeepStrictEqual(own.json(), { kind: 'user', web_url: `${server.origin}/ben` });
      const others = await server.request('GET', '/api/v4/namespaces/ada', { token: ben.token });
      assert.deepEqual([others.status, others.json()], [404, { message: '404 Namespace Not Found' }]);
    });
  });

  describe('the page of a group', () => {
    it('the page of a group is shown at its web URL and its path, with what the viewer can see', async () => {
      projectWith(server.platform, ada, { name: 'Buoy', namespaceId: open.group.id, visibility: 'public' });
      projectWith(server.platform, ada, { name: 'Secret', namespaceId: open.group.id });
      for (const address of ['/groups/open', '/open']) {
        const page = await server.request('GET', address);
        assert.equal(page.status, 200);
        assert.match(page.text, /<h1>Open Sea<\/h1>[^]*Far out[^]*href="\/open\/buoy"/);
        assert.ok(!page.text.includes('Secret') && !page.text.includes('Hidden'), 'what is private stays so');
      }
      for (const address of ['/groups/open/hidden', '/open/hidden', '/groups/ada', '/groups/1', '/open/hidden/deep/none']) {
        assert.equal((await server.request('GET', address)).status, 404, address);
      }
    });

    it('projects and issues at any depth of a group have pages', async () => {
      await server.request('PUT', `/api/v4/groups/${hidden.group.id}`, { token: admin, json: { visibility: 'public' } });
      await server.request('PUT', `/api/v4/groups/${deep.group.id}`, { token: admin, json: { visibility: 'public' } });
      const { project } = projectWith(server.platform, ada, { name: 'Wreck', namespaceId: deep.group.id, visibility: 'public' });
      const issue = await server.request('POST', `/api/v4/projects/${project.id}/issues`, {
        token: admin,
        json: { title: 'Rust' },
      });
      const { web_url } = issue.json() as { web_url: string };
      assert.equal(web_url, `${server.origin}/open/hidden/deep/wreck/-/issues/1`);
      assert.match((await server.request('GET', web_url)).text, /<h1>Rust<\/h1>/);
      assert.match((await server.request('GET', '/open/hidden/deep/wreck')).text, /<h1>Wreck<\/h1>/);
      assert.match((await server.request('GET', '/open/hidden')).text, /<h1>Hidden Bay<\/h1>/);
      await server.request('PUT', `/api/v4/groups/${open.group.id}`, { token: admin, json: { path: 'wide' } });
      const moved = await server.request('GET', '/open/hidden/deep/wreck/-/issues/1');
      assert.deepEqual([moved.status, moved.headers.get('location')], [303, '/wide/hidden/deep/wreck/-/issues/1']);
    });
  });

  it('root is an owner of the groups that root creates', async () => {
    const mine = createGroup(server.platform, rootOf(server.platform), { name: 'Mine', path: 'mine' });
    assert.equal(mine.access.level, 50);
  });
});
