import { isoTime } from '../../core/clock.ts';
import { presentCommit } from '../code/code.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Caller } from '../../core/caller.ts';
import { accountLocks } from '../attempts/attempts.ts';
import { findUser } from '../users/users.ts';
import { peopleOf, presentUserProfile } from '../profiles/profiles.ts';
import type { Core } from '../../core/core.ts';
import type { Abilities } from '../abilities/abilities.ts';
import { jobTokenScope } from '../jobTokenScope/jobTokenScope.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { pipelinePath, presentPipelineBasic, type ProjectPath } from './basic.ts';
import type { commitStatus, jobResponse, listedPipeline, pipelineResponse, pipelineWithPerson } from './responses.ts';
import { detailsOf, tagsIn } from './rules.ts';
import { type CommitRow, commitsOf, coverageOf, type JobRow, type PipelineRow, pipelinesByIds } from './store.ts';

/** Presents pipelines with the users who started them, for packages. */
export function presentPipelinesWithPeople(
  core: Core,
  pipelines: readonly PipelineRow[],
  project: ProjectPath,
  baseUrl: string,
): ResponseOf<typeof pipelineWithPerson>[] {
  const person = peopleOf(core, baseUrl);
  return pipelines.map((pipeline) => ({
    ...presentPipelineBasic(pipeline, project, baseUrl),
    user: person(pipeline.user_id),
  }));
}

export function presentListedPipeline(
  pipeline: PipelineRow,
  project: ProjectPath,
  baseUrl: string,
): ResponseOf<typeof listedPipeline> {
  return { ...presentPipelineBasic(pipeline, project, baseUrl), name: pipeline.name };
}

export function presentPipeline(
  core: Core,
  pipeline: PipelineRow,
  project: ProjectPath,
  baseUrl: string,
): ResponseOf<typeof pipelineResponse> {
  const coverage = coverageOf(core.store, pipeline.id);
  const { text, label, icon } = detailsOf(pipeline.status);
  const { started_at: started, finished_at: ended } = pipeline;
  return {
    ...presentListedPipeline(pipeline, project, baseUrl),
    before_sha: pipeline.before_sha,
    tag: pipeline.is_tag === 1,
    yaml_errors: pipeline.yaml_errors,
    user: peopleOf(core, baseUrl)(pipeline.user_id),
    started_at: started === null ? null : isoTime(started),
    finished_at: ended === null ? null : isoTime(ended),
    committed_at: null,
    duration: ended === null || started === null ? null : Math.max(0, Math.round((ended - started) / 1000)),
    queued_duration: started === null ? null : Math.max(0, Math.round((started - pipeline.created_at) / 1000)),
    coverage: coverage === null ? null : coverage.toFixed(2),
    detailed_status: {
      icon,
      text,
      label,
      group: pipeline.status.replaceAll('_', '-'),
      tooltip: label,
      has_details: true,
      details_path: `/${pipelinePath(pipeline, project)}`,
      illustration: null,
      favicon: null,
    },
  };
}

interface JobsRequest {
  readonly project: Pick<Project, 'id' | 'full_path'>;
  /** The commit of a job belongs to the repository, so it is null for callers who cannot read the code. */
  readonly can: Pick<Abilities, 'readCode'>;
  readonly baseUrl: string;
  readonly now: number;
  readonly caller: Caller | undefined;
}

/** Presents jobs of one project as visible to the caller. */
export function presentJobs(
  core: Core,
  jobs: readonly JobRow[],
  { project, can, baseUrl, now, caller }: JobsRequest,
): ResponseOf<typeof jobResponse>[] {
  const pipelines = pipelinesByIds(core.store, [...new Set(jobs.map((job) => job.pipeline_id))]);
  const shas = can.readCode ? new Set([...pipelines.values()].map(({ sha }) => sha)) : [];
  // Jobs of one pipeline contain the same commit and the same pipeline.
  const commits = new Map(
    [...commitsOf(core.store, project.id, [...shas])].map(([sha, row]) => [sha, presentCommit(commitOf(row), project, baseUrl)]),
  );
  const basics = new Map([...pipelines].map(([id, row]) => [id, presentPipelineBasic(row, project, baseUrl)]));
  const isTokenLimited = jobTokenScope(core, project.id).outbound;
  const people = new Map<number, ReturnType<typeof presentUserProfile>>();
  const isLocked = accountLocks(core);
  for (const { user_id: userId } of jobs) {
    const user = userId === null || people.has(userId) ? undefined : findUser(core, userId);
    if (user !== undefined) people.set(user.id, presentUserProfile(core, user, baseUrl, caller?.user.id ?? 0, isLocked));
  }
  return jobs.map((job) => {
    const pipeline = pipelines.get(job.pipeline_id);
    const basic = basics.get(job.pipeline_id);
    if (pipeline === undefined || basic === undefined) throw new Error(`job ${job.id} has no pipeline`);
    return {
      id: job.id,
      status: job.status,
      stage: job.stage,
      name: job.name,
      ref: pipeline.ref,
      tag: pipeline.is_tag === 1,
      coverage: job.coverage,
      allow_failure: job.allow_failure === 1,
      created_at: isoTime(job.created_at),
      started_at: job.started_at === null ? null : isoTime(job.started_at),
      finished_at: job.finished_at === null ? null : isoTime(job.finished_at),
      erased_at: null,
      duration: job.started_at === null ? null : seconds(job.started_at, job.finished_at ?? now),
      queued_duration: job.started_at === null ? null : seconds(job.created_at, job.started_at),
      user: (job.user_id === null ? undefined : people.get(job.user_id)) ?? null,
      commit: commits.get(pipeline.sha) ?? null,
      pipeline: basic,
      ...(job.failure_reason === null ? {} : { failure_reason: job.failure_reason }),
      web_url: `${baseUrl}/${project.full_path}/-/jobs/${job.id}`,
      project: { ci_job_token_scope_enabled: isTokenLimited },
      artifacts: [],
      runner: null,
      runner_manager: null,
      artifacts_expire_at: null,
      archived: false,
      tag_list: tagsIn(job.tag_list),
    };
  });
}

/** Presents jobs and commit statuses as statuses of their commits. */
export function presentCommitStatuses(
  core: Core,
  jobs: readonly JobRow[],
  project: ProjectPath,
  baseUrl: string,
): ResponseOf<typeof commitStatus>[] {
  const pipelines = pipelinesByIds(core.store, [...new Set(jobs.map((job) => job.pipeline_id))]);
  const person = peopleOf(core, baseUrl);
  return jobs.map((job) => {
    const pipeline = pipelines.get(job.pipeline_id);
    if (pipeline === undefined) throw new Error(`job ${job.id} has no pipeline`);
    return {
      id: job.id,
      sha: pipeline.sha,
      ref: pipeline.ref,
      status: job.status,
      name: job.name,
      target_url: job.external === 1 ? job.target_url : `${baseUrl}/${project.full_path}/-/jobs/${job.id}`,
      description: job.description,
      created_at: isoTime(job.created_at),
      started_at: job.started_at === null ? null : isoTime(job.started_at),
      finished_at: job.finished_at === null ? null : isoTime(job.finished_at),
      allow_failure: job.allow_failure === 1,
      coverage: job.coverage,
      pipeline_id: job.pipeline_id,
      author: person(job.user_id),
    };
  });
}

/** Returns the seconds between two times. Never negative, even if the clock was set back. */
function seconds(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}

function commitOf(row: CommitRow): Parameters<typeof presentCommit>[0] {
  return {
    id: row.sha,
    parents: row.parents === '' ? [] : row.parents.split(' '),
    message: row.message,
    author: { name: row.author_name, email: row.author_email, seconds: row.author_seconds, zone: row.author_zone },
    committer: { name: row.committer_name, email: row.committer_email, seconds: row.committer_seconds, zone: row.committer_zone },
  };
}
