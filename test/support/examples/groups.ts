import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { type FoundGroup } from '../../../server/features/groups/access.ts';
import { setEnterpriseGroup } from '../../../server/features/users/enterprise.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { browser } from './browser.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, freshGroup, freshProject, groupWithAda, inGroup } from './fixture.ts';

/** Returns a group that contains a group and a project. */
function groupWithBoth(fixture: Fixture): FoundGroup {
  const { server, root, fresh } = fixture;
  const parent = freshGroup(fixture);
  const path = fresh('below');
  createGroup(server.platform, root, { name: path, path, parent });
  createProject(server.platform, root, { name: fresh('project'), namespaceId: parent.group.id });
  return parent;
}

export const groupExamples: Examples = {
  'GET /api/v4/groups': () => ({ token: admin, params: { search: 'signal', order_by: 'path', sort: 'desc' } }),
  'POST /api/v4/groups': ({ fresh }) => {
    const path = fresh('new');
    return { token: admin, params: { name: path, path } };
  },
  'GET /api/v4/groups/:id': () => ({ token: admin, path: { id: 'signals' } }),
  'PUT /api/v4/groups/:id': (fixture) => ({
    token: admin,
    path: inGroup(freshGroup(fixture)),
    params: { description: 'Signals and lamps' },
  }),
  'DELETE /api/v4/groups/:id': (fixture) => ({ token: admin, path: inGroup(freshGroup(fixture)) }),
  'GET /api/v4/groups/:id/subgroups': (fixture) => ({ token: admin, path: inGroup(groupWithBoth(fixture)) }),
  'GET /api/v4/groups/:id/descendant_groups': (fixture) => ({ token: admin, path: inGroup(groupWithBoth(fixture)) }),
  'GET /api/v4/groups/:id/projects': (fixture) => ({
    token: admin,
    path: inGroup(groupWithBoth(fixture)),
    params: { include_subgroups: true },
  }),
  'POST /api/v4/groups/:id/transfer': (fixture) => ({
    token: admin,
    path: inGroup(freshGroup(fixture)),
    params: { group_id: fixture.group.group.id },
  }),
  'GET /api/v4/groups/:id/transfer_locations': (fixture) => {
    freshGroup(fixture);
    return { token: admin, path: inGroup(fixture.group) };
  },
  'POST /api/v4/groups/:id/projects/:project_id': (fixture) => ({
    token: admin,
    path: inGroup(fixture.group, { project_id: freshProject(fixture).project.id }),
  }),
  'GET /api/v4/groups/:id/members': ({ group }) => ({ token: admin, path: inGroup(group) }),
  'GET /api/v4/groups/:id/members/all': ({ group }) => ({ token: admin, path: inGroup(group) }),
  'GET /api/v4/groups/:id/members/:user_id': ({ group }) => ({ token: admin, path: inGroup(group, { user_id: 1 }) }),
  'GET /api/v4/groups/:id/members/all/:user_id': ({ group }) => ({ token: admin, path: inGroup(group, { user_id: 1 }) }),
  'POST /api/v4/groups/:id/members': (fixture) => ({
    token: admin,
    path: inGroup(freshGroup(fixture)),
    params: { user_id: fixture.ada.id, access_level: 30 },
  }),
  'PUT /api/v4/groups/:id/members/:user_id': (fixture) => ({
    token: admin,
    path: inGroup(groupWithAda(fixture), { user_id: fixture.ada.id }),
    params: { access_level: 40 },
  }),
  'DELETE /api/v4/groups/:id/members/:user_id': (fixture) => ({
    token: admin,
    path: inGroup(groupWithAda(fixture), { user_id: fixture.ada.id }),
  }),
  'GET /api/v4/groups/:id/enterprise_users': ({ server, group, ada }) => {
    setEnterpriseGroup(server.platform, ada, group.group.id);
    return { token: admin, path: inGroup(group), params: { active: true } };
  },
  'GET /api/v4/groups/:id/enterprise_users/:user_id': ({ server, group, ada }) => {
    setEnterpriseGroup(server.platform, ada, group.group.id);
    return { token: admin, path: inGroup(group, { user_id: ada.id }) };
  },
  'GET /api/v4/namespaces': () => ({ token: admin, params: { search: 'signal' } }),
  'GET /api/v4/namespaces/:id': () => ({ token: admin, path: { id: 'signals' } }),
  'GET /groups/*full_path/-/group_members': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
    path: { full_path: 'signals' },
  }),
  'GET /groups/*full_path': ({ group }) => ({ path: { full_path: group.group.full_path } }),
};
