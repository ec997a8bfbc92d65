import { allow } from '../../../server/features/jobTokens/allowlists.ts';
import { createJobToken } from '../../../server/features/jobTokens/tokens.ts';
import { createJob, createPipeline, type Job } from '../../../server/features/pipelines/managePipelines.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import type { Examples } from './example.ts';
import { admin, type Fixture, freshGroup, freshProject, inGroup, inProject } from './fixture.ts';

/** Creates a running job in a project. */
function runningJob({ server, root }: Fixture, project: FoundProject): Job {
  const pipeline = createPipeline(server.platform, project, root, { ref: 'main', sha: 'a'.repeat(40) });
  return createJob(server.platform, pipeline, root, { name: 'build', status: 'running' });
}

export const jobTokenExamples: Examples = {
  'GET /api/v4/job': async (fixture) => {
    const found = freshProject(fixture);
    const { platform, origin } = fixture.server;
    const { token } = await createJobToken(platform, found.project, runningJob(fixture, found), origin);
    return { headers: { 'JOB-TOKEN': token } };
  },
  'POST /api/v4/projects/:id/jobs/:job_id/token': (fixture) => ({
    token: admin,
    path: inProject(fixture.project, { job_id: runningJob(fixture, fixture.project).id }),
  }),
  'GET /api/v4/groups/:id/job_token_format': (fixture) => ({ token: admin, path: inGroup(freshGroup(fixture)) }),
  'PUT /api/v4/groups/:id/job_token_format': (fixture) => ({
    token: admin,
    path: inGroup(freshGroup(fixture)),
    params: { jwt_ci_cd_job_token_enabled: true },
  }),
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
