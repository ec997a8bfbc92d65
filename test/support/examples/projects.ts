import { createGroup } from '../../../server/features/groups/manageGroups.ts';
import { createProject } from '../../../server/features/projects/manageProjects.ts';
import { type FoundProject } from '../../../server/features/projectAccess/access.ts';
import { insertStar } from '../../../server/features/stars/store.ts';
import { browser } from './browser.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, freshProject, inProject, projectWithAda } from './fixture.ts';
import { codeProject } from './repositories.ts';

/** Returns a project in a subgroup. */
function deepProject(fixture: Fixture): FoundProject {
  const { server, root, fresh, group: parent } = fixture;
  const path = fresh('around');
  const { group } = createGroup(server.platform, root, { name: path, path, parent });
  return createProject(server.platform, root, { name: fresh('project'), namespaceId: group.id });
}

/** Returns a project that root has starred. */
function starredProject(fixture: Fixture): FoundProject {
  const found = freshProject(fixture);
  insertStar(fixture.server.platform.store, found.project.id, fixture.root.id, 0);
  return found;
}

/** Returns a project with a fork. */
function forkedProject(fixture: Fixture): FoundProject {
  const { server, root, fresh } = fixture;
  const found = freshProject(fixture);
  createProject(server.platform, root, { name: fresh('fork'), forkedFromId: found.project.id });
  return found;
}

export const projectExamples: Examples = {
  'GET /api/v4/projects': () => ({ token: admin, params: { search: 'lamp', order_by: 'name', sort: 'asc' } }),
  'GET /api/v4/users/:user_id/projects': () => ({ token: admin, path: { user_id: 'root' } }),
  'POST /api/v4/projects': ({ fresh }) => ({ token: admin, params: { name: fresh('new') } }),
  'GET /api/v4/projects/:id': () => ({ token: admin, path: { id: 'root/lamps' } }),
  'PUT /api/v4/projects/:id': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { description: 'Signal lamps' },
  }),
  'DELETE /api/v4/projects/:id': (fixture) => ({ token: admin, path: inProject(freshProject(fixture)) }),
  'POST /api/v4/projects/:id/archive': (fixture) => ({ token: admin, path: inProject(freshProject(fixture)) }),
  'POST /api/v4/projects/:id/unarchive': (fixture) => ({ token: admin, path: inProject(freshProject(fixture)) }),
  'PUT /api/v4/projects/:id/transfer': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { namespace: fixture.group.group.full_path },
  }),
  'GET /api/v4/projects/:id/transfer_locations': ({ project }) => ({ token: admin, path: inProject(project) }),
  'GET /api/v4/projects/:id/users': ({ project }) => ({ token: admin, path: inProject(project) }),
  'GET /api/v4/projects/:id/groups': (fixture) => ({ token: admin, path: inProject(deepProject(fixture)) }),
  'POST /api/v4/projects/:id/star': (fixture) => ({ token: admin, path: inProject(freshProject(fixture)) }),
  'POST /api/v4/projects/:id/unstar': (fixture) => ({ token: admin, path: inProject(starredProject(fixture)) }),
  'GET /api/v4/projects/:id/starrers': (fixture) => ({ token: admin, path: inProject(starredProject(fixture)) }),
  'GET /api/v4/users/:user_id/starred_projects': (fixture) => {
    starredProject(fixture);
    return { token: admin, path: { user_id: 'root' } };
  },
  'POST /api/v4/projects/:id/fork': async (fixture) => ({
    token: admin,
    path: inProject(await codeProject(fixture)),
    params: { name: fixture.fresh('fork'), path: fixture.fresh('fork'), namespace_path: 'signals', branches: 'topic' },
  }),
  'GET /api/v4/projects/:id/forks': (fixture) => ({ token: admin, path: inProject(forkedProject(fixture)) }),
  'POST /api/v4/projects/:id/fork/:forked_from_id': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture), { forked_from_id: fixture.project.project.id }),
  }),
  'DELETE /api/v4/projects/:id/fork': (fixture) => {
    const { server, root, fresh, project } = fixture;
    const fork = createProject(server.platform, root, { name: fresh('fork'), forkedFromId: project.project.id });
    return { token: admin, path: inProject(fork) };
  },
  'GET /api/v4/projects/:id/members': ({ project }) => ({ token: admin, path: inProject(project) }),
  'GET /api/v4/projects/:id/members/all': ({ project }) => ({ token: admin, path: inProject(project) }),
  'GET /api/v4/projects/:id/members/:user_id': ({ project }) => ({ token: admin, path: inProject(project, { user_id: 1 }) }),
  'GET /api/v4/projects/:id/members/all/:user_id': ({ project }) => ({ token: admin, path: inProject(project, { user_id: 1 }) }),
  'POST /api/v4/projects/:id/members': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { user_id: fixture.ada.id, access_level: 30 },
  }),
  'PUT /api/v4/projects/:id/members/:user_id': (fixture) => ({
    token: admin,
    path: inProject(projectWithAda(fixture), { user_id: fixture.ada.id }),
    params: { access_level: 40 },
  }),
  'DELETE /api/v4/projects/:id/members/:user_id': (fixture) => ({
    token: admin,
    path: inProject(projectWithAda(fixture), { user_id: fixture.ada.id }),
  }),
  'GET /*full_path': () => ({ path: { full_path: 'root/lamps' } }),
  'GET /*full_path/-/activity': () => ({ path: { full_path: 'root/lamps' } }),
  'GET /*full_path/-/project_members': async (fixture) => ({
    headers: { Cookie: (await browser(fixture)).cookieHeader() },
    path: { full_path: 'root/lamps' },
  }),
};
