import { listOf } from '../../http/responses.ts';
import { invalidRecord, keysetUnavailable, recordNotFound } from '../../http/failures.ts';
import { keysetResponse, keysetSize, offsetResponse, pageParameters, readCursor } from '../../http/pagination.ts';
import { boolean, fallback, filled, integer, oneOf, opaque, required, someOf, string, strings, time } from '../../http/params.ts';
import { RawResponse, type Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import type { Caller } from '../../core/caller.ts';
import { type FoundProject, openProjectRoute, projectRoute } from '../projects/projects.ts';
import { jobResponse } from './responses.ts';
import {
  cancelJob,
  createJob,
  demandWritable,
  findJob,
  type Job,
  type Pipeline,
  playJob,
  retryJob,
  updateJob,
} from './pipelines.ts';
import { presentJobs } from './present.ts';
import { failureReasons, statuses } from './rules.ts';
import { countJobs, type JobFilter, listJobs } from './store.ts';

const inProject = () => ({ id: required(string), job_id: required(integer) });

const jobValues = () => ({
  allow_failure: boolean(),
  failure_reason: oneOf(failureReasons)(),
  coverage: string(),
});

export function jobRoutes(core: Core, findPipeline: (found: FoundProject, id: number) => Pipeline): Route[] {
  const { store } = core;
  const inferred = { specRef: 'Jobs and pipelines', status: 'inferred' } as const;
  const local = { specRef: 'Jobs and pipelines', status: 'local' } as const;

  const mustFind = (found: FoundProject, id: number): Job => {
    const job = findJob(core, found, id);
    if (job === undefined) throw recordNotFound('no such job in the project');
    return job;
  };

  type Presenting = FoundProject & { readonly baseUrl: string; readonly now: number; readonly caller: Caller | undefined };
  const presentOne = (job: Job, request: Presenting): unknown => presentJobs(core, [job], request)[0];

  const listFor = (filter: JobFilter, request: Presenting) => ({
    count: (cap: number) => countJobs(store, filter, cap),
    rows: (limit: number, offset: number) => presentJobs(core, listJobs(store, filter, limit, offset), request),
  });

  return [
    projectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/jobs',
        key: 'id',
        body: listOf(jobResponse),
        specRef: 'Jobs and pipelines',
        status: 'stated',
        params: () => ({
          id: required(string),
          scope: someOf(statuses)(),
          order_by: string(),
          sort: string(),
          pagination: string(),
          cursor: opaque(),
          ...pageParameters(),
        }),
      },
      'visible',
      (request) => {
        const { params, project } = request;
        const filter: JobFilter = { of: { projectId: project.id }, statuses: sentStates(params.scope) };
        if (params.pagination !== 'keyset') {
          return new RawResponse(offsetResponse(request, params, listFor(filter, request), (item) => item));
        }
        if ((params.order_by ?? 'id') !== 'id' || (params.sort ?? 'desc') !== 'desc') {
          throw keysetUnavailable('keyset pagination of jobs requires order_by=id and sort=desc');
        }
        const before = params.cursor === undefined ? undefined : readCursor(params.cursor, 'id', 'string').id;
        const rows = listJobs(store, { ...filter, before }, keysetSize(params.per_page), 0);
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
      },
    ),
    projectRoute(
      { method: 'GET', path: '/api/v4/projects/:id/jobs/:job_id', key: 'id', body: jobResponse, ...inferred, params: inProject },
      'visible',
      (request) => presentOne(mustFind(request, request.params.job_id), request),
    ),
    projectRoute(
      {
        method: 'PUT',
        path: '/api/v4/projects/:id/jobs/:job_id',
        key: 'id',
        body: jobResponse,
        ...local,
        params: () => ({ ...inProject(), status: oneOf(statuses)(), ...jobValues() }),
      },
      'developer',
      (request) => {
        const { params } = request;
        demandWritable(request.project);
        const job = updateJob(core, mustFind(request, params.job_id), { status: params.status, ...valuesOf(params) });
        return presentOne(job, request);
      },
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
      (request) => {
        demandWritable(request.project);
        return presentOne(cancelJob(core, mustFind(request, request.params.job_id)), request);
      },
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
      (request) => {
        demandWritable(request.project);
        return presentOne(retryJob(core, mustFind(request, request.params.job_id), request.caller.user), request);
      },
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
      (request) => {
        demandWritable(request.project);
        return presentOne(playJob(core, mustFind(request, request.params.job_id)), request);
      },
    ),
    openProjectRoute(
      {
        method: 'GET',
        path: '/api/v4/projects/:id/pipelines/:pipeline_id/jobs',
        key: 'id',
        body: listOf(jobResponse),
        ...inferred,
        params: () => ({
          id: required(string),
          pipeline_id: required(integer),
          include_retried: fallback(false, boolean),
          scope: someOf(statuses)(),
          ...pageParameters(),
        }),
      },
      (request) => {
        const { params } = request;
        const filter: JobFilter = {
          of: { pipelineId: findPipeline(request, params.pipeline_id).id },
          statuses: sentStates(params.scope),
          withoutRetried: !params.include_retried,
        };
        return new RawResponse(offsetResponse(request, params, listFor(filter, request), (item) => item));
      },
    ),
    projectRoute(
      {
        method: 'POST',
        path: '/api/v4/projects/:id/pipelines/:pipeline_id/jobs',
        key: 'id',
        body: jobResponse,
        ...local,
        params: () => ({
          id: required(string),
          pipeline_id: required(integer),
          name: filled(),
          stage: fallback('test', string),
          status: oneOf(statuses)(),
          tag_list: strings(),
          created_at: time(),
          ...jobValues(),
        }),
      },
      'developer',
      (request) => {
        const { params, caller } = request;
        demandWritable(request.project);
        const job = createJob(core, findPipeline(request, params.pipeline_id), caller.user, {
          name: params.name,
          stage: params.stage,
          status: params.status,
          tags: params.tag_list,
          createdAt: params.created_at,
          ...valuesOf(params),
        });
        return presentOne(job, request);
      },
    ),
  ];
}

/** Treats an empty list as no filter. */
function sentStates<T>(states: readonly T[] | undefined): readonly T[] | undefined {
  return states === undefined || states.length === 0 ? undefined : states;
}

function valuesOf(params: {
  readonly allow_failure: boolean | undefined;
  readonly failure_reason: (typeof failureReasons)[number] | undefined;
  readonly coverage: string | undefined;
}) {
  return {
    allowFailure: params.allow_failure,
    failureReason: params.failure_reason,
    coverage: params.coverage === undefined || params.coverage === '' ? undefined : percentage(params.coverage),
  };
}

/** Parses a percentage. Throws 400 for anything else. */
export function percentage(text: string): number {
  if (!/^\d{1,3}(?:\.\d{1,10})?$/.test(text)) throw invalidRecord({ coverage: ['is not a number'] });
  if (Number(text) > 100) throw invalidRecord({ coverage: ['must be less than or equal to 100'] });
  return Number(text);
}
