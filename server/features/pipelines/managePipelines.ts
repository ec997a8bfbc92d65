import type { Contributions } from '../../core/contributions.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { badRequest, forbidden, invalidRecord, recordNotFound, refusedChange } from '../../core/errors.ts';
import { findCommit, hasBranches, refKindOf } from '../git/git.ts';
import { mayPushTo } from '../pushes/pushes.ts';
import type { CommitObject } from '../../repositories/objects.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject, Project } from '../projectAccess/projectAccess.ts';
import {
  cancelable,
  type FailureReason,
  finished,
  retryable,
  type Source,
  type Status,
  statusOf,
  tagsIn,
  timesAfter,
} from './rules.ts';
import {
  countPipelines,
  currentJobs,
  deletePipelineRow,
  insertCommit,
  insertJob,
  insertPipeline,
  jobById,
  type JobRow,
  listPipelines,
  markRetried,
  newestResult,
  pipelineById,
  type PipelineFilter,
  type PipelineRow,
  pipelinesByIds,
  takeIid,
  writeJob,
  writePipeline,
  writeResult,
  handOverPipelines,
} from './store.ts';

export type Pipeline = PipelineRow;
export type Job = JobRow;

/** Stands for the missing previous commit. */
const NO_COMMIT = '0'.repeat(40);

export interface NewPipeline {
  /** Name of a branch or tag. */
  readonly ref: string;
  /** Full id of a commit, which may be missing from the repository. */
  readonly sha: string;
  /** The commit, if the repository has it. */
  readonly commit?: CommitObject | undefined;
  readonly isTag?: boolean | undefined;
  readonly beforeSha?: string | undefined;
  readonly status?: Status | undefined;
  readonly source?: Source | undefined;
  readonly name?: string | undefined;
  readonly yamlErrors?: string | undefined;
  readonly createdAt?: number | undefined;
}

export function findPipeline(core: Core, { project }: FoundProject, id: number): Pipeline | undefined {
  return pipelineById(core.store, project.id, id);
}

/** Finds the pipeline of a path. Throws `NotFound` if the project has none with this ID. */
export function mustFindPipeline(core: Core, found: FoundProject, id: number): Pipeline {
  const pipeline = findPipeline(core, found, id);
  if (pipeline === undefined) throw recordNotFound('no such pipeline in the project; the path requires the ID, not the IID');
  return pipeline;
}

export function findJob(core: Core, { project }: FoundProject, id: number): Job | undefined {
  const job = jobById(core.store, project.id, id);
  return job?.external === 1 ? undefined : job;
}

/** Returns pipelines by id; deleted ones are left out. */
export function findPipelines(core: Core, ids: readonly number[]): ReadonlyMap<number, Pipeline> {
  return pipelinesByIds(core.store, ids);
}

/** Returns the pipelines that pass a filter, newest first, as a list with pages. */
export function listedPipelines({ store }: Core, filter: PipelineFilter) {
  return {
    count: (cap: number) => countPipelines(store, filter, cap),
    rows: (limit: number, offset: number) => listPipelines(store, filter, { order: 'id', sort: 'desc', limit, offset }),
  };
}

/** Throws `Forbidden` if the project is archived. */
export function demandWritable(project: Pick<Project, 'archived'>): void {
  if (project.archived === 1) throw forbidden(undefined, 'the project is archived and read-only', 'project.archived');
}

/** Creates a pipeline in the given state, by default `created`. It has no jobs until they are added. */
export function createPipeline(core: Core, { project }: FoundProject, user: User, input: NewPipeline): Pipeline {
  const { store } = core;
  const now = input.createdAt ?? core.clock.now();
  const status = input.status ?? 'created';
  return store.transaction(() => {
    if (input.commit !== undefined) insertCommit(store, project.id, rowOf(input.commit));
    const id = insertPipeline(store, {
      project_id: project.id,
      iid: takeIid(store, project.id),
      name: input.name ?? null,
      status,
      source: input.source ?? 'push',
      ref: input.ref,
      is_tag: input.isTag === true ? 1 : 0,
      sha: input.sha,
      before_sha: input.beforeSha ?? input.commit?.parents[0] ?? NO_COMMIT,
      yaml_errors: input.yamlErrors ?? null,
      user_id: user.id,
      created_at: now,
      updated_at: now,
      ...timesAfter({ started_at: null, finished_at: null }, status, now),
    });
    const pipeline = pipelineOf(core, project.id, id);
    publishStatus(core, pipeline, undefined);
    return pipeline;
  });
}

/** Publishes the new status of a pipeline, and its result if it has just succeeded or failed. `before` is its status before, undefined for a new one. */
function publishStatus(core: Core, pipeline: Pipeline, before: Status | undefined): void {
  const { id, project_id: projectId, status } = pipeline;
  if (status !== (before ?? 'created')) core.changes.publish({ kind: 'pipelineStatusChanged', pipelineId: id, projectId });
  if (status === before || (status !== 'success' && status !== 'failed')) return;
  const newest = newestResult(core.store, pipeline);
  writeResult(core.store, id, status);
  // An older pipeline that is retried says nothing about the current state of the ref.
  const fixes = newest !== undefined && newest.id <= id && newest.last_result === 'failed';
  const kind = status === 'failed' ? 'pipelineFailed' : fixes ? 'pipelineFixed' : 'pipelineSucceeded';
  core.changes.publish({ kind, pipelineId: id, projectId });
}

function rowOf(commit: CommitObject): Parameters<typeof insertCommit>[2] {
  const { author, committer } = commit;
  return {
    sha: commit.id,
    parents: commit.parents.join(' '),
    message: commit.message,
    author_name: author.name,
    author_email: author.email,
    author_seconds: author.seconds,
    author_zone: author.zone,
    committer_name: committer.name,
    committer_email: committer.email,
    committer_seconds: committer.seconds,
    committer_zone: committer.zone,
  };
}

function pipelineOf(core: Core, projectId: number, id: number): Pipeline {
  const pipeline = pipelineById(core.store, projectId, id);
  if (pipeline === undefined) throw new Error(`pipeline ${id} does not exist`);
  return pipeline;
}

/**
 * Returns the start of a pipeline of a ref: the commit of the ref, or the one sent. Throws `Invalid` if the ref is neither a branch nor
 * a tag, unless a commit was sent with it.
 */
export async function startOf(
  core: GitCore,
  { project }: FoundProject,
  ref: string,
  sha?: string,
): Promise<Pick<NewPipeline, 'ref' | 'sha' | 'commit' | 'isTag'>> {
  const kind = refKindOf(core, project, ref);
  if (kind === undefined && sha === undefined) throw invalidRecord({ base: ['Reference not found'] });
  if (sha !== undefined && !/^[0-9a-f]{40}$/.test(sha)) throw invalidRecord({ sha: ['is invalid'] });
  // Empty repositories must not require git.
  const commit =
    sha === undefined || hasBranches(core.store, project.id) ? await findCommit(core, project, sha ?? ref) : undefined;
  const id = sha ?? commit?.id;
  if (id === undefined) throw invalidRecord({ base: ['Reference not found'] });
  return { ref, sha: id, commit, isTag: kind === 'tag' };
}

/** Returns true if the user can run pipelines of a ref, which for a protected branch requires permission to push to it. */
export function mayRunOn(core: Core, found: FoundProject, ref: string): boolean {
  return mayPushTo(core, found, ref);
}

/** Throws `Invalid` if the user cannot run pipelines of a ref, which for a protected branch requires permission to push to it. */
export function demandRef(core: Core, found: FoundProject, ref: string): void {
  if (mayRunOn(core, found, ref)) return;
  const text = `You do not have sufficient permission to run a pipeline on '${ref}'. Please select a different branch or contact your administrator for assistance.`;
  throw invalidRecord({ base: [text] });
}

/** Updates a pipeline. Throws `Refused` for a state that contradicts its jobs. */
export function updatePipeline(
  core: Core,
  pipeline: Pipeline,
  input: { readonly status?: Status | undefined; readonly name?: string | undefined },
): Pipeline {
  const { store } = core;
  const now = core.clock.now();
  return store.transaction(() => {
    const { status = pipeline.status, name = pipeline.name } = input;
    if (status !== pipeline.status && currentJobs(store, pipeline.id).length > 0) {
      throw refusedChange('The status of a pipeline follows from its jobs. Change these.', 'the pipeline has jobs');
    }
    const times = status === pipeline.status ? timesOf(pipeline) : timesAfter(pipeline, status, now);
    writePipeline(store, pipeline.id, { name, status, updated_at: now, ...times });
    const after = pipelineOf(core, pipeline.project_id, pipeline.id);
    publishStatus(core, after, pipeline.status);
    return after;
  });
}

function timesOf({ started_at, finished_at }: Pick<Pipeline, 'started_at' | 'finished_at'>): ReturnType<typeof timesAfter> {
  return { started_at, finished_at };
}

/** Deletes a pipeline with its jobs. */
export function deletePipeline(core: Core, pipeline: Pipeline): void {
  deletePipelineRow(core.store, pipeline.id);
}

/** Updates the state of a pipeline from its jobs. */
function follow(core: Core, { project_id, id }: Pick<Pipeline, 'project_id' | 'id'>): void {
  const { store } = core;
  const pipeline = pipelineOf(core, project_id, id);
  const jobs = currentJobs(store, id);
  const status = statusOf(jobs.map((job) => ({ status: job.status, allowFailure: job.allow_failure === 1 }))) ?? pipeline.status;
  const now = core.clock.now();
  const starts = jobs.map((job) => job.started_at).filter((at) => at !== null);
  const started_at = starts.length === 0 ? timesAfter(pipeline, status, now).started_at : Math.min(...starts);
  const { finished_at } = status === pipeline.status ? pipeline : timesAfter(pipeline, status, now);
  writePipeline(store, id, {
    name: pipeline.name,
    status,
    updated_at: now,
    started_at,
    finished_at: finished.includes(status) ? finished_at : null,
  });
  publishStatus(core, { ...pipeline, status }, pipeline.status);
}

export interface JobInput {
  readonly status?: Status | undefined;
  readonly allowFailure?: boolean | undefined;
  readonly failureReason?: FailureReason | undefined;
  readonly coverage?: number | undefined;
}

export interface NewJob extends JobInput {
  readonly name: string;
  readonly stage?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly createdAt?: number | undefined;
  /** Set for a commit status, which another system reports. */
  readonly external?: { readonly targetUrl: string | null; readonly description: string | null } | undefined;
}

/** Adds a job, by default `pending`, and updates the state of its pipeline. */
export function createJob(core: Core, pipeline: Pipeline, user: User, input: NewJob): Job {
  const { store } = core;
  const now = input.createdAt ?? core.clock.now();
  const status = input.status ?? 'pending';
  return store.transaction(() => {
    const id = insertJob(store, {
      project_id: pipeline.project_id,
      pipeline_id: pipeline.id,
      name: input.name,
      stage: input.stage ?? 'test',
      status,
      allow_failure: input.allowFailure === true ? 1 : 0,
      failure_reason: reasonOf(status, input.failureReason),
      coverage: input.coverage ?? null,
      tag_list: JSON.stringify(input.tags ?? []),
      external: input.external === undefined ? 0 : 1,
      target_url: input.external?.targetUrl ?? null,
      description: input.external?.description ?? null,
      user_id: user.id,
      created_at: now,
      ...timesAfter({ started_at: null, finished_at: null }, status, now),
    });
    publishJob(core, mustFindJob(core, pipeline.project_id, id));
    follow(core, pipeline);
    return mustFindJob(core, pipeline.project_id, id);
  });
}

/** Publishes the new status of a job. */
function publishJob({ changes }: Core, { id: jobId, project_id: projectId, external }: Job): void {
  if (external === 0) changes.publish({ kind: 'jobStatusChanged', jobId, projectId });
}

function mustFindJob(core: Core, projectId: number, id: number): Job {
  const job = jobById(core.store, projectId, id);
  if (job === undefined) throw new Error(`job ${id} does not exist`);
  return job;
}

function reasonOf(status: Status, reason: FailureReason | null | undefined): FailureReason | null {
  return status === 'failed' ? (reason ?? 'unknown_failure') : null;
}

/** Updates the state of a job and of its pipeline. */
export function updateJob(core: Core, job: Job, input: JobInput): Job {
  const { store } = core;
  return store.transaction(() => {
    const { status = job.status } = input;
    const times = status === job.status ? timesOf(job) : timesAfter(job, status, core.clock.now());
    writeJob(store, job.id, {
      status,
      allow_failure: input.allowFailure === undefined ? job.allow_failure : input.allowFailure ? 1 : 0,
      failure_reason: reasonOf(status, input.failureReason ?? job.failure_reason),
      coverage: input.coverage ?? job.coverage,
      ...times,
    });
    if (status !== job.status) publishJob(core, job);
    follow(core, { project_id: job.project_id, id: job.pipeline_id });
    return mustFindJob(core, job.project_id, job.id);
  });
}

/** Cancels a job; a finished job is returned unchanged. */
export function cancelJob(core: Core, job: Job): Job {
  return cancelable.includes(job.status) ? updateJob(core, job, { status: 'canceled' }) : job;
}

/** Starts a manual job. Throws `Refused` for any other job. */
export function playJob(core: Core, job: Job): Job {
  if (job.status !== 'manual' && job.status !== 'scheduled') throw badRequest('Unplayable Job', `the job is ${job.status}`);
  return updateJob(core, job, { status: 'pending' });
}

/** Creates a job that replaces a finished one. Throws `Forbidden` if the job cannot be retried. */
export function retryJob(core: Core, job: Job, user: User): Job {
  const { store } = core;
  if (job.retried === 1 || !retryable.includes(job.status)) {
    throw forbidden('Job is not retryable', `the job is ${job.status}, or it has already been retried`, 'job.retryable');
  }
  return store.transaction(() => {
    markRetried(store, job.id);
    const pipeline = pipelineOf(core, job.project_id, job.pipeline_id);
    return createJob(core, pipeline, user, {
      name: job.name,
      stage: job.stage,
      allowFailure: job.allow_failure === 1,
      tags: tagsIn(job.tag_list),
    });
  });
}

/** Cancels all unfinished jobs of a pipeline. */
export function cancelPipeline(core: Core, pipeline: Pipeline): Pipeline {
  const { store } = core;
  return store.transaction(() => {
    const jobs = currentJobs(store, pipeline.id);
    for (const job of jobs) cancelJob(core, job);
    if (jobs.length > 0 || !cancelable.includes(pipeline.status)) {
      return pipelineOf(core, pipeline.project_id, pipeline.id);
    }
    return updatePipeline(core, pipeline, { status: 'canceled' });
  });
}

/** Retries the failed and canceled jobs of a pipeline. */
export function retryPipeline(core: Core, pipeline: Pipeline, user: User): Pipeline {
  const { store } = core;
  return store.transaction(() => {
    const jobs = currentJobs(store, pipeline.id);
    for (const job of jobs) {
      // Other systems repeat their own work.
      if (job.external === 0 && (job.status === 'failed' || job.status === 'canceled')) retryJob(core, job, user);
    }
    if (jobs.length === 0 && (pipeline.status === 'failed' || pipeline.status === 'canceled')) {
      return updatePipeline(core, pipeline, { status: 'pending' });
    }
    return pipelineOf(core, pipeline.project_id, pipeline.id);
  });
}

/** Pipelines and jobs of deleted accounts. */
export const pipelineContributions: Contributions = {
  handOver: ({ store }, fromUserId, toUserId) => handOverPipelines(store, fromUserId, toUserId),
  // They stay without a person.
  remove: () => undefined,
};
