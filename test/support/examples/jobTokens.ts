import { allow } from '../../../server/features/jobTokens/allowlists.ts';
import type { Examples } from './example.ts';
import { admin, freshGroup, freshProject, inProject } from './fixture.ts';

export const jobTokenExamples: Examples = {
  'GET /api/v4/projects/:id/job_token_scope': (fixture) => ({ token: admin, path: inProject(freshProject(fixture)) }),
  'PATCH /api/v4/projects/:id/job_token_scope': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { enabled: false },
  }),
  'GET /api/v4/projects/:id/job_token_scope/allowlist': (fixture) => {
    const found = freshProject(fixture);
    allow(fixture.server.platform, found.project.id, 'inbound', { projectId: freshProject(fixture).project.id });
    return { token: admin, path: inProject(found) };
  },
  'POST /api/v4/projects/:id/job_token_scope/allowlist': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { target_project_id: fixture.project.project.id },
  }),
  'DELETE /api/v4/projects/:id/job_token_scope/allowlist/:target_project_id': (fixture) => {
    const found = freshProject(fixture);
    const { id } = freshProject(fixture).project;
    allow(fixture.server.platform, found.project.id, 'inbound', { projectId: id });
    return { token: admin, path: inProject(found, { target_project_id: id }) };
  },
  'GET /api/v4/projects/:id/job_token_scope/groups_allowlist': (fixture) => {
    const found = freshProject(fixture);
    allow(fixture.server.platform, found.project.id, 'inbound', { groupId: freshGroup(fixture).group.id });
    return { token: admin, path: inProject(found) };
  },
  'POST /api/v4/projects/:id/job_token_scope/groups_allowlist': (fixture) => ({
    token: admin,
    path: inProject(freshProject(fixture)),
    params: { target_group_id: fixture.group.group.id },
  }),
  'DELETE /api/v4/projects/:id/job_token_scope/groups_allowlist/:target_group_id': (fixture) => {
    const found = freshProject(fixture);
    const { id } = freshGroup(fixture).group;
    allow(fixture.server.platform, found.project.id, 'inbound', { groupId: id });
    return { token: admin, path: inProject(found, { target_group_id: id }) };
  },
};
