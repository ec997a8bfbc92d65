import type { GitCore } from '../../repositories/repositories.ts';
import { requiredScans } from '../securityPolicies/securityPolicies.ts';
import { recordVariables, variablesParameter } from '../pipelineVariables/pipelineVariables.ts';
import { listOf } from '../../http/responses.ts';
import { forbidden, recordNotFound } from '../../http/failures.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, filled, integer, oneOf, required, string, time } from '../../http/params.ts';
import { RawResponse, type Route, type SignedInRequest } from '../../http/route.ts';
import { type FoundProject, openProjectRoute, projectRoute } from '../projects/projects.ts';
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
  findPipeline,
  type NewPipeline,
  type Pipeline,
  retryPipeline,
  startOf,
  updatePipeline,
} from './pipelines.ts';
import { presentListedPipeline, presentPipeline } from './present.ts';
import { finished, type Source, sources, type Status, statuses } from './rules.ts';
import { countPipelines, listPipelines, type PipelineFilter, type PipelineOrder } from './store.ts';

const scopes = ['running', 'pending', 'finished', 'branches', 'tags'] as const;
const orders = ['id', 'status', 'ref', 'updated_at', 'user_id'] as const;

const inProject = () => ({ id: required(string), pipeline_id: required(integer) });

/**
 * Pipelines and their jobs. Everyone who can see the project can see them; developers start and change them. Nothing is executed:
 * a pipeline keeps its state until it is changed through the local endpoints.
 */
export function pipelineRoutes(core: GitCore): Route[] {
  const { store } = core;
  const inferred = { specRef: 'Jobs and pipelines', status: 'inferred' } as const;
  const local = { specRef: 'Jobs and pipelines', status: 'local' } as const;

  const mustFind = (found: FoundProject, id: number): Pipeline => {
    const pipeline = findPipeline(core, found, id);
    if (pipeline === undefined) throw recordNotFound('no such pipeline in the project; the path requires the ID, not the IID');
    return pipeline;
  };

  const present = (pipeline: Pipeline, { project }: FoundProject, baseUrl: string): unknown =>
    presentPipeline(core, pipeline, project, baseUrl);

  /** Returns the names of the jobs that security policies add to the pipelines of a branch. */
  const scansFor = async (request: SignedInRequest<unknown> & FoundProject, ref: string, isTag: boolean) => {
    if (isTag) return [];
    const { jobs, exceedsLimits } = await requiredScans(core, request.project, ref);
    if (exceedsLimits) request.context.noteDeprecated('scan-execution-policy-limits');
    return jobs;
  };
  /** Creates a pipeline with the jobs of security policies, whose failures it allows. */
  const create = (request: SignedInRequest<unknown> & FoundProject, input: NewPipeline, scans: readonly string[]): Pipeline =>
    store.transaction(() => {
      const pipeline = createPipeline(core, request, request.caller.user, input);
      for (const name of scans) createJob(core, pipeline, request.caller.user, { name, allowFailure: true });
      return scans.length === 0 ? pipeline : mustFind(request, pipeline.id);
    });

  return [
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/pipelines',
        key: 'id',
        body: listOf(listedPipeline),
        ...inferred,
        params: () => ({
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
        }),
      },
      (request) => {
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
        const list = {
          count: (cap: number) => countPipelines(store, filter, cap),
          rows: (limit: number, offset: number) =>
            listPipelines(store, filter, { order: params.order_by, sort: params.sort, limit, offset }),
        };
        return new RawResponse(offsetResponse(request, params, list, (row) => presentListedPipeline(row, project, baseUrl)));
      },
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/pipeline',
        key: 'id',
        body: pipelineResponse,
        ...inferred,
        params: () => ({ id: required(string), ref: filled(), variables: variablesParameter() }),
      },
      'developer',
      async (request) => {
        demandWritable(request.project);
        const start = await startOf(core, request, request.params.ref);
        demandRef(core, request, start.ref);
        const scans = await scansFor(request, start.ref, start.isTag === true);
        const { params } = request;
        const pipeline = store.transaction(() => {
          const made = create(request, { ...start, source: 'api' }, scans);
          recordVariables(core, made.id, params.variables ?? []);
          return made;
        });
        return present(pipeline, request, request.baseUrl);
      },
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/pipelines',
        key: 'id',
        body: pipelineResponse,
        ...local,
        params: () => ({
          id: required(string),
          ref: filled(),
          sha: string(),
          status: fallback<Status>('created', oneOf(statuses)),
          source: fallback<Source>('push', oneOf(sources)),
          name: string(),
          yaml_errors: string(),
          created_at: time(),
        }),
      },
      'developer',
      async (request) => {
        const { params } = request;
        demandWritable(request.project);
        const start = await startOf(core, request, params.ref, params.sha);
        // A pipeline that is created in another state has no jobs until they are added.
        const scans = params.status === 'created' ? await scansFor(request, start.ref, start.isTag === true) : [];
        const input: NewPipeline = {
          ...start,
          status: params.status,
          source: params.source,
          name: params.name,
          yamlErrors: params.yaml_errors,
          createdAt: params.created_at,
        };
        return present(create(request, input, scans), request, request.baseUrl);
      },
    ),
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/pipelines/latest',
        key: 'id',
        body: pipelineResponse,
        ...inferred,
        params: () => ({ id: required(string), ref: string() }),
      },
      (request) => {
        const { project, params } = request;
        const filter = { projectId: project.id, ref: params.ref ?? project.default_branch };
        const [newest] = listPipelines(store, filter, { order: 'id', sort: 'desc', limit: 1, offset: 0 });
        if (newest === undefined) throw forbidden(undefined, 'the ref has no pipeline', 'pipeline.latest');
        return present(newest, request, request.baseUrl);
      },
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
      (request) => present(mustFind(request, request.params.pipeline_id), request, request.baseUrl),
    ),
    projectRoute(
      {
        method: 'PUT',
        path: '/api/v4/projects/:id/pipelines/:pipeline_id',
        key: 'id',
        body: pipelineResponse,
        ...local,
        params: () => ({ ...inProject(), status: oneOf(statuses)(), name: string() }),
      },
      'developer',
      (request) => {
        const { status, name, pipeline_id: id } = request.params;
        demandWritable(request.project);
        const pipeline = updatePipeline(core, mustFind(request, id), { status, name });
        return present(pipeline, request, request.baseUrl);
      },
    ),
    projectRoute(
      {
        method: 'PUT',
        path: '/api/v4/projects/:id/pipelines/:pipeline_id/metadata',
        key: 'id',
        addedIn: '16.6',
        body: pipelineResponse,
        ...inferred,
        params: () => ({ ...inProject(), name: filled() }),
      },
      'developer',
      (request) => {
        demandWritable(request.project);
        const pipeline = updatePipeline(core, mustFind(request, request.params.pipeline_id), { name: request.params.name });
        return present(pipeline, request, request.baseUrl);
      },
    ),
    projectRoute(
      { method: 'DELETE', path: '/api/v4/projects/:id/pipelines/:pipeline_id', key: 'id', ...inferred, params: inProject },
      'owner',
      (request) => {
        demandWritable(request.project);
        deletePipeline(core, mustFind(request, request.params.pipeline_id));
      },
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
      (request) => {
        demandWritable(request.project);
        const pipeline = cancelPipeline(core, mustFind(request, request.params.pipeline_id));
        return present(pipeline, request, request.baseUrl);
      },
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
      (request) => {
        demandWritable(request.project);
        const pipeline = retryPipeline(core, mustFind(request, request.params.pipeline_id), request.caller.user);
        return present(pipeline, request, request.baseUrl);
      },
    ),
    ...jobRoutes(core, mustFind),
    ...commitStatusRoutes(core),
  ];
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
