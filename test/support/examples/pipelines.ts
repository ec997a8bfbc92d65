import {
  createJob,
  createPipeline,
  type Job,
  type Pipeline,
  startOf,
} from '../../../server/features/pipelines/managePipelines.ts';
import type { FoundProject } from '../../../server/features/projectAccess/access.ts';
import type { Example, Examples } from './example.ts';
import { admin, type Fixture, inProject } from './fixture.ts';
import { codeProject, codeRequest } from './repositories.ts';

/** Creates a pipeline in a project with an empty repository. */
export function pipelineIn({ server, root }: Fixture, project: FoundProject): Pipeline {
  return createPipeline(server.platform, project, root, { ref: 'main', sha: SOME_COMMIT, status: 'running' });
}

/** Creates a job in a new pipeline. */
function jobIn(fixture: Fixture, project: FoundProject, input: Partial<Parameters<typeof createJob>[3]> = {}): Job {
  const { server, root } = fixture;
  return createJob(server.platform, pipelineIn(fixture, project), root, { name: 'lint', status: 'failed', ...input });
}

/** Returns a request for a pipeline or one of its jobs. */
function pipelineRequest(fixture: Fixture, params: Example['params'] = {}): Example {
  const { project } = fixture;
  return { token: admin, path: inProject(project, { pipeline_id: pipelineIn(fixture, project).id }), params };
}

function ofJob(fixture: Fixture, input?: Parameters<typeof jobIn>[2], params: Example['params'] = {}): Example {
  const { project } = fixture;
  return { token: admin, path: inProject(project, { job_id: jobIn(fixture, project, input).id }), params };
}

/** Id of a commit that no repository has. */
const SOME_COMMIT = 'c0ffee'.padEnd(40, '0');

export const pipelineExamples: Examples = {
  'GET /api/v4/projects/:id/pipelines': (fixture) => {
    pipelineIn(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project), params: { ref: 'main', order_by: 'updated_at' } };
  },
  'POST /api/v4/projects/:id/pipeline': (fixture) => codeRequest(fixture, {}, { ref: 'main' }),
  'POST /api/v4/projects/:id/pipelines': ({ project }) => ({
    token: admin,
    path: inProject(project),
    params: { ref: 'main', sha: SOME_COMMIT, status: 'running' },
  }),
  'GET /api/v4/projects/:id/pipelines/latest': (fixture) => {
    pipelineIn(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project), params: { ref: 'main' } };
  },
  'GET /api/v4/projects/:id/pipelines/:pipeline_id': (fixture) => {
    const { pipeline_id: id } = jobIn(fixture, fixture.project, { status: 'success', coverage: 91.5 });
    return { token: admin, path: inProject(fixture.project, { pipeline_id: id }) };
  },
  'PUT /api/v4/projects/:id/pipelines/:pipeline_id': (fixture) => pipelineRequest(fixture, { status: 'failed', name: 'Nightly' }),
  'PUT /api/v4/projects/:id/pipelines/:pipeline_id/metadata': (fixture) => pipelineRequest(fixture, { name: 'Nightly' }),
  'DELETE /api/v4/projects/:id/pipelines/:pipeline_id': (fixture) => pipelineRequest(fixture),
  'POST /api/v4/projects/:id/pipelines/:pipeline_id/cancel': (fixture) => pipelineRequest(fixture),
  'POST /api/v4/projects/:id/pipelines/:pipeline_id/retry': (fixture) => pipelineRequest(fixture),
  'GET /api/v4/projects/:id/jobs': async (fixture) => {
    const project = await codeProject(fixture);
    const { server, root } = fixture;
    const start = await startOf(server.platform, project, 'main');
    const pipeline = createPipeline(server.platform, project, root, start);
    createJob(server.platform, pipeline, root, { name: 'test', status: 'failed', coverage: 91.5, tags: ['linux'] });
    createJob(server.platform, pipeline, root, { name: 'lint', status: 'running' });
    return { token: admin, path: inProject(project), params: { scope: ['failed', 'running'] } };
  },
  'GET /api/v4/projects/:id/jobs/:job_id': (fixture) => ofJob(fixture),
  'PUT /api/v4/projects/:id/jobs/:job_id': (fixture) => ofJob(fixture, { status: 'running' }, { status: 'failed' }),
  'POST /api/v4/projects/:id/jobs/:job_id/cancel': (fixture) => ofJob(fixture, { status: 'running' }),
  'POST /api/v4/projects/:id/jobs/:job_id/retry': (fixture) => {
    const { project } = fixture;
    return { token: admin, path: inProject(project, { job_id: jobIn(fixture, project).id }) };
  },
  'POST /api/v4/projects/:id/jobs/:job_id/play': (fixture) => ofJob(fixture, { status: 'manual' }),
  'GET /api/v4/projects/:id/pipelines/:pipeline_id/jobs': (fixture) => {
    const { pipeline_id: id } = jobIn(fixture, fixture.project);
    return { token: admin, path: inProject(fixture.project, { pipeline_id: id }), params: { include_retried: true } };
  },
  'POST /api/v4/projects/:id/pipelines/:pipeline_id/jobs': (fixture) =>
    pipelineRequest(fixture, { name: 'test', status: 'failed', failure_reason: 'script_failure', coverage: '12.5' }),
  'POST /api/v4/projects/:id/statuses/:sha': (fixture) =>
    codeRequest(
      fixture,
      { sha: 'topic' },
      { state: 'running', ref: 'topic', context: fixture.fresh('check'), target_url: 'https://ci.example/1', coverage: '12.5' },
    ),
  'GET /api/v4/projects/:id/repository/commits/:sha/statuses': async (fixture) => {
    const found = await codeProject(fixture);
    const { server, root } = fixture;
    const pipeline = createPipeline(server.platform, found, root, await startOf(server.platform, found, 'main'));
    createJob(server.platform, pipeline, root, { name: fixture.fresh('job') });
    return codeRequest(fixture, { sha: 'main' });
  },
  'GET /*full_path/-/pipelines/:pipeline_id': (fixture) => ({
    path: { full_path: 'root/lamps', pipeline_id: String(pipelineIn(fixture, fixture.project).id) },
  }),
  'GET /*full_path/-/jobs/:job_id': (fixture) => ({
    path: { full_path: 'root/lamps', job_id: String(jobIn(fixture, fixture.project).id) },
  }),
};
