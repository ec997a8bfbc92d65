import { recordVariables } from '../../../server/features/pipelineVariables/pipelineVariables.ts';
import { createVariable } from '../../../server/features/ciVariables/variables.ts';
import { createJob, createPipeline, startOf } from '../../../server/features/pipelines/managePipelines.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, freshGroup, freshProject, inGroup, inProject } from './fixture.ts';
import { pipelineIn } from './pipelines.ts';
import { codeProject } from './repositories.ts';

const KEY = 'DEPLOY_TARGET';
const value = { key: KEY, value: 'lamp-house' };

function ofProject(fixture: Fixture, params: Example['params'] = {}): Example {
  const found = freshProject(fixture);
  createVariable(fixture.server.platform, { projectId: found.project.id }, value);
  return { token: admin, path: { ...inProject(found), key: KEY }, params };
}

function ofGroup(fixture: Fixture, params: Example['params'] = {}): Example {
  const found = freshGroup(fixture);
  createVariable(fixture.server.platform, { groupId: found.group.id }, value);
  return { token: admin, path: { ...inGroup(found), key: KEY }, params };
}

const added = { ...value, protected: true, masked: true, raw: false, environment_scope: '*', description: 'Where to deploy' };

export const ciVariableExamples: Examples = {
  'GET /api/v4/projects/:id/variables': (fixture) => ofProject(fixture),
  'POST /api/v4/projects/:id/variables': (fixture) => ({ token: admin, path: inProject(freshProject(fixture)), params: added }),
  'GET /api/v4/projects/:id/variables/:key': (fixture) => ofProject(fixture, { filter: { environment_scope: '*' } }),
  'PUT /api/v4/projects/:id/variables/:key': (fixture) => ofProject(fixture, { value: 'signal-box', masked: true }),
  'DELETE /api/v4/projects/:id/variables/:key': (fixture) => ofProject(fixture),
  'GET /api/v4/groups/:id/variables': (fixture) => ofGroup(fixture),
  'POST /api/v4/groups/:id/variables': (fixture) => ({ token: admin, path: inGroup(freshGroup(fixture)), params: added }),
  'GET /api/v4/groups/:id/variables/:key': (fixture) => ofGroup(fixture, { filter: { environment_scope: '*' } }),
  'PUT /api/v4/groups/:id/variables/:key': (fixture) => ofGroup(fixture, { value: 'signal-box', masked: true }),
  'DELETE /api/v4/groups/:id/variables/:key': (fixture) => ofGroup(fixture),
  'GET /api/v4/projects/:id/pipelines/:pipeline_id/variables': (fixture) => {
    const pipeline = pipelineIn(fixture, fixture.project);
    recordVariables(fixture.server.platform, pipeline.id, [{ ...value, type: 'env_var', raw: false }]);
    return { token: admin, path: inProject(fixture.project, { pipeline_id: pipeline.id }) };
  },
  'POST /api/v4/projects/:id/jobs/:job_id/downstream_pipelines': async (fixture) => {
    const found = await codeProject(fixture);
    const { server, root } = fixture;
    const pipeline = createPipeline(server.platform, found, root, await startOf(server.platform, found, 'main'));
    const job = createJob(server.platform, pipeline, root, { name: fixture.fresh('trigger') });
    return {
      token: admin,
      path: inProject(found, { job_id: job.id }),
      params: { target_project_id: found.project.id, ref: 'main', variables: [value], forward: { pipeline_variables: true } },
    };
  },
};
