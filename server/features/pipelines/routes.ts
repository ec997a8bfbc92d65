import { demandOneOf } from '../../http/combinations.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { requiredScans } from '../securityPolicies/securityPolicies.ts';
import { recordVariables, variablesParameter } from '../pipelineVariables/pipelineVariables.ts';
import { listOf } from '../../http/responses.ts';
import { forbidden } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, filled, integer, oneOf, required, string, time, type ParametersOf } from '../../http/params.ts';
import { RawResponse, type Route, type ApiRequest } from '../../http/route.ts';
import { type FoundProject, openProjectRoute, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { listedPipeline, pipelineResponse } from './responses.ts';
import { commitStatusRoutes } from './commitStatusRoutes.ts';
import { jobRoutes } from './jobRoutes.ts';
import {
  cancelPipeline,
  createJob,
  createPipeline,
  deletePipeline,
  demandRef,
  demandWritable,
  mustFindPipeline,
  type NewPipeline,
  type Pipeline,
  retryPipeline,
  startOf,
  updatePipeline,
} from './managePipelines.ts';
import { presentListedPipeline, presentPipeline } from './present.ts';
import { finished, type Source, sources, type Status, statuses } from './rules.ts';
import { countPipelines, listPipelines, type PipelineFilter, type PipelineOrder } from './store.ts';

const scopes = ['running', 'pending', 'finished', 'branches', 'tags'] as const;
const orders = ['id', 'status', 'ref', 'updated_at', 'user_id'] as const;

const inProject = () => ({ id: required(string), pipeline_id: required(integer) });

const inferred = { specRef: 'Jobs and pipelines', status: 'inferred' } as const;

const local = { specRef: 'Jobs and pipelines', status: 'local' } as const;

const listParameters = () => ({
  id: required(string),
  scope: oneOf(scopes)(),
  status: oneOf(statuses)(),
  ref: string(),
  sha: string(),
  yaml_errors: boolean(),
  username: string(),
  updated_before: time(),
  updated_after: time(),
  created_before: time(),
  created_after: time(),
  order_by: fallback<PipelineOrder>('id', oneOf(orders)),
  sort: fallback<'asc' | 'desc'>('desc', oneOf(['asc', 'desc'])),
  source: oneOf(sources)(),
  name: string(),
  ...pageParameters(),
});

const createParameters = () => ({ id: required(string), ref: filled(), variables: variablesParameter() });

const createLocallyParameters = () => ({
  id: required(string),
  ref: filled(),
  sha: string(),
  status: fallback<Status>('created', oneOf(statuses)),
  source: fallback<Source>('push', oneOf(sources)),
  name: string(),
  yaml_errors: string(),
  created_at: time(),
});

const latestParameters = () => ({ id: required(string), ref: string() });

const updateParameters = () => ({ ...inProject(), status: oneOf(statuses)(), name: string() });

const renameParameters = () => ({ ...inProject(), name: filled() });

/**
 * Pipelines and their jobs. Everyone who can see the project can see them; developers start and change them. Nothing is executed:
 * a pipeline keeps its state until it is changed through the local endpoints.
 */
export function pipelineRoutes(core: GitCore): Route[] {
  return [
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/pipelines',
        key: 'id',
        body: listOf(listedPipeline),
        ...inferred,
        params: listParameters,
      },
      (request) => list(core, request),
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/pipeline',
        key: 'id',
        body: pipelineResponse,
        ...inferred,
        params: createParameters,
      },
      'developer',
      (request) => create(core, request),
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/pipelines',
        key: 'id',
        body: pipelineResponse,
        ...local,
        params: createLocallyParameters,
      },
      'developer',
      (request) => createLocally(core, request),
    ),
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/pipelines/latest',
        key: 'id',
        body: pipelineResponse,
        ...inferred,
        params: latestParameters,
      },
      (request) => latest(core, request),
    ),
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/pipelines/:pipeline_id',
        key: 'id',
        body: pipelineResponse,
        ...inferred,
        params: inProject,
      },
      (request) => show(core, request),
    ),
    projectRoute(
      {
        method: 'PUT',
        path: '/api/v4/projects/:id/pipelines/:pipeline_id',
        key: 'id',
        body: pipelineResponse,
        ...local,
        params: updateParameters,
      },
      'developer',
      (request) => update(core, request),
    ),
    projectRoute(
      {
        method: 'PUT',
        path: '/api/v4/projects/:id/pipelines/:pipeline_id/metadata',
        key: 'id',
        addedIn: '16.6',
        body: pipelineResponse,
        ...inferred,
        params: renameParameters,
      },
      'developer',
      (request) => rename(core, request),
    ),
    projectRoute(
      { method: 'DELETE', path: '/api/v4/projects/:id/pipelines/:pipeline_id', key: 'id', ...inferred, params: inProject },
      'owner',
      (request) => remove(core, request),
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/pipelines/:pipeline_id/cancel',
        key: 'id',
        successStatus: 200,
        body: pipelineResponse,
        ...inferred,
        params: inProject,
      },
      'developer',
      (request) => cancel(core, request),
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/pipelines/:pipeline_id/retry',
        key: 'id',
        body: pipelineResponse,
        ...inferred,
        params: inProject,
      },
      'developer',
      (request) => retry(core, request),
    ),
    ...jobRoutes(),
    ...commitStatusRoutes(core),
  ];
}

function list(core: GitCore, request: ApiRequest<ParametersOf<typeof listParameters>> & FoundProject) {
  const { params, project, baseUrl } = request;
  const filter: PipelineFilter = {
    projectId: project.id,
    statuses: requestedStatuses(params.scope, params.status),
    newestOf: params.scope === 'branches' || params.scope === 'tags' ? params.scope : undefined,
    ref: params.ref,
    sha: params.sha,
    source: params.source,
    name: params.name,
    username: params.username,
    withErrors: params.yaml_errors,
    createdAfter: params.created_after,
    createdBefore: params.created_before,
    updatedAfter: params.updated_after,
    updatedBefore: params.updated_before,
  };
  const pages = {
    count: (cap: number) => countPipelines(core.store, filter, cap),
    rows: (limit: number, offset: number) =>
      listPipelines(core.store, filter, { order: params.order_by, sort: params.sort, limit, offset }),
  };
  return new RawResponse(offsetResponse(request, params, pages, (row) => presentListedPipeline(row, project, baseUrl)));
}

async function create(core: GitCore, request: ProjectRequest<ParametersOf<typeof createParameters>>) {
  demandWritable(request.project);
  const start = await startOf(core, request, request.params.ref);
  demandRef(core, request, start.ref);
  const scans = await scansFor(core, request, start.ref, start.isTag === true);
  const { params } = request;
  const pipeline = core.store.transaction(() => {
    const made = createWithScans(core, request, { ...start, source: 'api' }, scans);
    recordVariables(core, made.id, params.variables ?? []);
    return made;
  });
  return present(core, pipeline, request, request.baseUrl);
}

async function createLocally(core: GitCore, request: ProjectRequest<ParametersOf<typeof createLocallyParameters>>) {
  const { params } = request;
  demandWritable(request.project);
  const start = await startOf(core, request, params.ref, params.sha);
  // A pipeline that is created in another state has no jobs until they are added.
  const scans = params.status === 'created' ? await scansFor(core, request, start.ref, start.isTag === true) : [];
  const input: NewPipeline = {
    ...start,
    status: params.status,
    source: params.source,
    name: params.name,
    yamlErrors: params.yaml_errors,
    createdAt: params.created_at,
  };
  return present(core, createWithScans(core, request, input, scans), request, request.baseUrl);
}

function latest(core: GitCore, request: ApiRequest<ParametersOf<typeof latestParameters>> & FoundProject) {
  const { project, params } = request;
  const filter = { projectId: project.id, ref: params.ref ?? project.default_branch };
  const [newest] = listPipelines(core.store, filter, { order: 'id', sort: 'desc', limit: 1, offset: 0 });
  if (newest === undefined) throw forbidden(undefined, 'the ref has no pipeline', 'pipeline.latest');
  return present(core, newest, request, request.baseUrl);
}

function show(core: GitCore, request: ApiRequest<ParametersOf<typeof inProject>> & FoundProject) {
  return present(core, mustFindPipeline(core, request, request.params.pipeline_id), request, request.baseUrl);
}

function update(core: GitCore, request: ProjectRequest<ParametersOf<typeof updateParameters>>) {
  const { status, name, pipeline_id: id } = request.params;
  demandOneOf(request, ['status', 'name']);
  demandWritable(request.project);
  const pipeline = updatePipeline(core, mustFindPipeline(core, request, id), { status, name });
  return present(core, pipeline, request, request.baseUrl);
}

function rename(core: GitCore, request: ProjectRequest<ParametersOf<typeof renameParameters>>) {
  demandWritable(request.project);
  const pipeline = updatePipeline(core, mustFindPipeline(core, request, request.params.pipeline_id), {
    name: request.params.name,
  });
  return present(core, pipeline, request, request.baseUrl);
}

function remove(core: GitCore, request: ProjectRequest<ParametersOf<typeof inProject>>) {
  demandWritable(request.project);
  deletePipeline(core, mustFindPipeline(core, request, request.params.pipeline_id));
}

function cancel(core: GitCore, request: ProjectRequest<ParametersOf<typeof inProject>>) {
  demandWritable(request.project);
  const pipeline = cancelPipeline(core, mustFindPipeline(core, request, request.params.pipeline_id));
  return present(core, pipeline, request, request.baseUrl);
}

function retry(core: GitCore, request: ProjectRequest<ParametersOf<typeof inProject>>) {
  demandWritable(request.project);
  const pipeline = retryPipeline(core, mustFindPipeline(core, request, request.params.pipeline_id), request.caller.user);
  return present(core, pipeline, request, request.baseUrl);
}

function present(core: GitCore, pipeline: Pipeline, { project }: FoundProject, baseUrl: string): unknown {
  return presentPipeline(core, pipeline, project, baseUrl);
}

/** Returns the names of the jobs that security policies add to the pipelines of a branch. */
async function scansFor(core: GitCore, request: ProjectRequest<unknown>, ref: string, isTag: boolean) {
  if (isTag) return [];
  const { jobs, exceedsLimits } = await requiredScans(core, request.project, ref);
  if (exceedsLimits) request.context.noteDeprecated('scan-execution-policy-limits');
  return jobs;
}

/** Creates a pipeline with the jobs of security policies, whose failures it allows. */
function createWithScans(
  core: GitCore,
  request: ProjectRequest<unknown>,
  input: NewPipeline,
  scans: readonly string[],
): Pipeline {
  return core.store.transaction(() => {
    const pipeline = createPipeline(core, request, request.caller.user, input);
    for (const name of scans) createJob(core, pipeline, request.caller.user, { name, allowFailure: true });
    return scans.length === 0 ? pipeline : mustFindPipeline(core, request, pipeline.id);
  });
}

/** Returns the states that pass both filters; undefined without a filter. */
function requestedStatuses(
  scope: (typeof scopes)[number] | undefined,
  status: Status | undefined,
): readonly Status[] | undefined {
  const ofScope: readonly Status[] =
    scope === 'running' || scope === 'pending' ? [scope] : scope === 'finished' ? finished : statuses;
  if (status !== undefined) return ofScope.filter((known) => known === status);
  return ofScope === statuses ? undefined : ofScope;
}
