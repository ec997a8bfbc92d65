import { demandOneOf } from '../../http/combinations.ts';
import { listOf } from '../../http/responses.ts';
import { invalidRecord, recordNotFound } from '../../core/errors.ts';
import {
  keysetResponse,
  keysetSize,
  keysetUnavailable,
  offsetResponse,
  pageParameters,
  readCursor,
} from '../../http/pagination.ts';
import {
  boolean,
  fallback,
  filled,
  integer,
  oneOf,
  opaque,
  required,
  someOf,
  string,
  strings,
  time,
  type ParametersOf,
} from '../../http/params.ts';
import { RawResponse, type Route, type ApiRequest } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import type { Caller } from '../../core/caller.ts';
import { type FoundProject, openProjectRoute, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { jobResponse } from './responses.ts';
import {
  cancelJob,
  createJob,
  demandWritable,
  findJob,
  type Job,
  mustFindPipeline,
  playJob,
  retryJob,
  updateJob,
} from './managePipelines.ts';
import { presentJobs } from './present.ts';
import { failureReasons, statuses } from './rules.ts';
import { countJobs, type JobFilter, listJobs } from './store.ts';

const inProject = () => ({ id: required(string), job_id: required(integer) });

const jobValues = () => ({
  allow_failure: boolean(),
  failure_reason: oneOf(failureReasons)(),
  coverage: string(),
});

const inferred = { specRef: 'Jobs and pipelines', status: 'inferred' } as const;

const local = { specRef: 'Jobs and pipelines', status: 'local' } as const;

type Presenting = FoundProject & { readonly baseUrl: string; readonly now: number; readonly caller: Caller | undefined };

const listParameters = () => ({
  id: required(string),
  scope: someOf(statuses)(),
  order_by: string(),
  sort: string(),
  pagination: string(),
  cursor: opaque(),
  ...pageParameters(),
});

const changes = () => ({ status: oneOf(statuses)(), ...jobValues() });

const updateParameters = () => ({ ...inProject(), ...changes() });

const listOfPipelineParameters = () => ({
  id: required(string),
  pipeline_id: required(integer),
  include_retried: fallback(false, boolean),
  scope: someOf(statuses)(),
  ...pageParameters(),
});

const createParameters = () => ({
  id: required(string),
  pipeline_id: required(integer),
  name: filled(),
  stage: fallback('test', string),
  status: oneOf(statuses)(),
  tag_list: strings(),
  created_at: time(),
  ...jobValues(),
});

/** Returns the routes of jobs. */
export function jobRoutes(): Route[] {
  return [
    projectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/jobs',
        key: 'id',
        body: listOf(jobResponse),
        specRef: 'Jobs and pipelines',
        status: 'stated',
        params: listParameters,
      },
      'visible',
      list,
    ),
    projectRoute(
      { method: 'GET', path: '/api/v4/projects/:id/jobs/:job_id', key: 'id', body: jobResponse, ...inferred, params: inProject },
      'visible',
      show,
    ),
    projectRoute(
      {
        method: 'PUT',
        path: '/api/v4/projects/:id/jobs/:job_id',
        key: 'id',
        body: jobResponse,
        ...local,
        params: updateParameters,
      },
      'developer',
      update,
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/jobs/:job_id/cancel',
        key: 'id',
        body: jobResponse,
        ...inferred,
        params: inProject,
      },
      'developer',
      cancel,
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/jobs/:job_id/retry',
        key: 'id',
        body: jobResponse,
        ...inferred,
        params: inProject,
      },
      'developer',
      retry,
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/jobs/:job_id/play',
        key: 'id',
        successStatus: 200,
        body: jobResponse,
        ...inferred,
        params: inProject,
      },
      'developer',
      play,
    ),
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/pipelines/:pipeline_id/jobs',
        key: 'id',
        body: listOf(jobResponse),
        ...inferred,
        params: listOfPipelineParameters,
      },
      listOfPipeline,
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/pipelines/:pipeline_id/jobs',
        key: 'id',
        body: jobResponse,
        ...local,
        params: createParameters,
      },
      'developer',
      create,
    ),
  ];
}

function list(request: ProjectRequest<ParametersOf<typeof listParameters>>) {
  const { params, project, context } = request;
  const { core } = context;
  const filter: JobFilter = { of: { projectId: project.id }, statuses: sentStates(params.scope) };
  if (params.pagination !== 'keyset') {
    return new RawResponse(offsetResponse(request, params, listFor(core, filter, request), (item) => item));
  }
  if ((params.order_by ?? 'id') !== 'id' || (params.sort ?? 'desc') !== 'desc') {
    throw keysetUnavailable('keyset pagination of jobs requires order_by=id and sort=desc');
  }
  const before = params.cursor === undefined ? undefined : readCursor(params.cursor, 'id', 'string').id;
  const rows = listJobs(core.store, { ...filter, before }, keysetSize(params.per_page), 0);
  const items = presentJobs(core, rows, request);
  return new RawResponse(
    keysetResponse(
      request,
      'id',
      items,
      ({ id }) => ({ value: id, id }),
      (item) => item,
    ),
  );
}

function show(request: ProjectRequest<ParametersOf<typeof inProject>>) {
  const { core } = request.context;
  return presentOne(core, mustFind(core, request, request.params.job_id), request);
}

function update(request: ProjectRequest<ParametersOf<typeof updateParameters>>) {
  const { params, context } = request;
  const { core } = context;
  demandOneOf(request, Object.keys(changes()));
  demandWritable(request.project);
  const job = updateJob(core, mustFind(core, request, params.job_id), { status: params.status, ...valuesOf(params) });
  return presentOne(core, job, request);
}

function cancel(request: ProjectRequest<ParametersOf<typeof inProject>>) {
  const { core } = request.context;
  demandWritable(request.project);
  return presentOne(core, cancelJob(core, mustFind(core, request, request.params.job_id)), request);
}

function retry(request: ProjectRequest<ParametersOf<typeof inProject>>) {
  const { core } = request.context;
  demandWritable(request.project);
  return presentOne(core, retryJob(core, mustFind(core, request, request.params.job_id), request.caller.user), request);
}

function play(request: ProjectRequest<ParametersOf<typeof inProject>>) {
  const { core } = request.context;
  demandWritable(request.project);
  return presentOne(core, playJob(core, mustFind(core, request, request.params.job_id)), request);
}

function listOfPipeline(request: ApiRequest<ParametersOf<typeof listOfPipelineParameters>> & FoundProject) {
  const { params, context } = request;
  const { core } = context;
  const filter: JobFilter = {
    of: { pipelineId: mustFindPipeline(core, request, params.pipeline_id).id },
    statuses: sentStates(params.scope),
    withoutRetried: !params.include_retried,
  };
  return new RawResponse(offsetResponse(request, params, listFor(core, filter, request), (item) => item));
}

function create(request: ProjectRequest<ParametersOf<typeof createParameters>>) {
  const { params, caller, context } = request;
  const { core } = context;
  demandWritable(request.project);
  const job = createJob(core, mustFindPipeline(core, request, params.pipeline_id), caller.user, {
    name: params.name,
    stage: params.stage,
    status: params.status,
    tags: params.tag_list,
    createdAt: params.created_at,
    ...valuesOf(params),
  });
  return presentOne(core, job, request);
}

function mustFind(core: Core, found: FoundProject, id: number): Job {
  const job = findJob(core, found, id);
  if (job === undefined) throw recordNotFound('no such job in the project');
  return job;
}

function presentOne(core: Core, job: Job, request: Presenting): unknown {
  return presentJobs(core, [job], request)[0];
}

function listFor(core: Core, filter: JobFilter, request: Presenting) {
  return {
    count: (cap: number) => countJobs(core.store, filter, cap),
    rows: (limit: number, offset: number) => presentJobs(core, listJobs(core.store, filter, limit, offset), request),
  };
}

/** Treats an empty list as no filter. */
function sentStates<T>(states: readonly T[] | undefined): readonly T[] | undefined {
  return states === undefined || states.length === 0 ? undefined : states;
}

function valuesOf(params: ParametersOf<typeof jobValues>) {
  return {
    allowFailure: params.allow_failure,
    failureReason: params.failure_reason,
    coverage: params.coverage === undefined || params.coverage === '' ? undefined : percentage(params.coverage),
  };
}

/** Parses a percentage. Throws `Invalid` for anything else. */
export function percentage(text: string): number {
  if (!/^\d{1,3}(?:\.\d{1,10})?$/.test(text)) throw invalidRecord({ coverage: ['is not a number'] });
  if (Number(text) > 100) throw invalidRecord({ coverage: ['must be less than or equal to 100'] });
  return Number(text);
}
