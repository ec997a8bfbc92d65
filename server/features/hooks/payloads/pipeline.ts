import type { Core } from '../../../core/core.ts';
import { isoTime } from '../../../core/clock.ts';
import {
  type CommitRow,
  commitsOf,
  countRetries,
  currentJobs,
  detailsOf,
  findPipelines,
  type Job,
  jobOfAnyProject,
  type Pipeline,
} from '../../pipelines/pipelines.ts';
import { commitOf } from '../completion.ts';
import { longRepositoryMember, type NewPayload, type Place, projectMember, userMember, utc, utcOrNull } from './parts.ts';

/** Returns the payload of a pipeline with a new status, or undefined if it no longer exists. */
export function pipelinePayload(core: Core, place: Place, id: number): NewPayload | undefined {
  const pipeline = findPipelines(core, [id]).get(id);
  if (pipeline === undefined) return undefined;
  const jobs = currentJobs(core.store, id).filter(({ external }) => external === 0);
  const commit = commitsOf(core.store, place.project.id, [pipeline.sha]).get(pipeline.sha);
  const { baseUrl, project } = place;
  return {
    payload: {
      object_kind: 'pipeline',
      object_attributes: {
        id,
        iid: pipeline.iid,
        name: pipeline.name,
        ref: pipeline.ref,
        tag: pipeline.is_tag === 1,
        sha: pipeline.sha,
        before_sha: pipeline.before_sha,
        source: pipeline.source,
        status: pipeline.status,
        detailed_status: detailsOf(pipeline.status).label,
        stages: [...new Set(jobs.map(({ stage }) => stage))],
        created_at: utc(pipeline.created_at),
        finished_at: utcOrNull(pipeline.finished_at),
        duration: wholeSeconds(pipeline.started_at, pipeline.finished_at),
        queued_duration: wholeSeconds(pipeline.created_at, pipeline.started_at),
        url: `${baseUrl}/${project.full_path}/-/pipelines/${id}`,
      },
      merge_request: null,
      user: userMember(core, pipeline.user_id),
      project: projectMember(place),
      commit: commit === undefined ? null : commitOf(commitObject(commit), project, baseUrl),
      builds: jobs.map((job) => buildMember(core, job)),
    },
  };
}

function buildMember(core: Core, job: Job) {
  return {
    id: job.id,
    stage: job.stage,
    name: job.name,
    status: job.status,
    created_at: utc(job.created_at),
    started_at: utcOrNull(job.started_at),
    finished_at: utcOrNull(job.finished_at),
    duration: seconds(job.started_at, job.finished_at),
    queued_duration: seconds(job.created_at, job.started_at),
    failure_reason: job.failure_reason,
    allow_failure: job.allow_failure === 1,
    user: userMember(core, job.user_id),
    runner: null,
    artifacts_file: { filename: null, size: null },
    environment: null,
  };
}

/** Returns the payload of a job that is new or has a new status, or undefined if it no longer exists. */
export function jobPayload(core: Core, place: Place, id: number): NewPayload | undefined {
  const job = jobOfAnyProject(core.store, id);
  const pipeline = job === undefined ? undefined : findPipelines(core, [job.pipeline_id]).get(job.pipeline_id);
  if (job === undefined || pipeline === undefined) return undefined;
  const { project } = place;
  return {
    payload: {
      object_kind: 'build',
      ref: pipeline.ref,
      tag: pipeline.is_tag === 1,
      before_sha: pipeline.before_sha,
      sha: pipeline.sha,
      retries_count: countRetries(core.store, pipeline.id, job.name),
      build_id: job.id,
      build_name: job.name,
      build_stage: job.stage,
      build_status: job.status,
      build_created_at: utc(job.created_at),
      build_started_at: utcOrNull(job.started_at),
      build_finished_at: utcOrNull(job.finished_at),
      build_created_at_iso: isoTime(job.created_at),
      build_started_at_iso: job.started_at === null ? null : isoTime(job.started_at),
      build_finished_at_iso: job.finished_at === null ? null : isoTime(job.finished_at),
      build_duration: seconds(job.started_at, job.finished_at),
      build_queued_duration: seconds(job.created_at, job.started_at),
      build_allow_failure: job.allow_failure === 1,
      build_failure_reason: job.failure_reason ?? 'unknown_failure',
      pipeline_id: pipeline.id,
      runner: null,
      project_id: project.id,
      project_name: `${project.namespace_full_name} / ${project.name}`,
      user: userMember(core, job.user_id),
      commit: commitOfJob(core, place, pipeline),
      repository: longRepositoryMember(place),
      project: projectMember(place),
      environment: null,
    },
  };
}

/** The commit in the payload of a job. Its ID is that of the pipeline. */
function commitOfJob(core: Core, { project, baseUrl }: Place, pipeline: Pipeline) {
  const commit = commitsOf(core.store, project.id, [pipeline.sha]).get(pipeline.sha);
  return {
    id: pipeline.id,
    name: pipeline.name,
    sha: pipeline.sha,
    message: commit?.message ?? null,
    author_name: commit?.author_name ?? null,
    author_email: commit?.author_email ?? null,
    status: pipeline.status,
    duration: wholeSeconds(pipeline.started_at, pipeline.finished_at),
    started_at: utcOrNull(pipeline.started_at),
    finished_at: utcOrNull(pipeline.finished_at),
    author_url: commit === undefined ? null : `mailto:${commit.author_email}`,
    url: `${baseUrl}/${project.full_path}/-/commit/${pipeline.sha}`,
  };
}

function commitObject(row: CommitRow): Parameters<typeof commitOf>[0] {
  return {
    id: row.sha,
    parents: row.parents === '' ? [] : row.parents.split(' '),
    message: row.message,
    author: { name: row.author_name, email: row.author_email, seconds: row.author_seconds, zone: row.author_zone },
    committer: { name: row.committer_name, email: row.committer_email, seconds: row.committer_seconds, zone: row.committer_zone },
  };
}

function seconds(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : Math.max(0, to - from) / 1000;
}

function wholeSeconds(from: number | null, to: number | null): number | null {
  const exact = seconds(from, to);
  return exact === null ? null : Math.round(exact);
}
