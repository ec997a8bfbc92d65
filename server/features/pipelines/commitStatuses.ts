import type { CommitObject } from '../../repositories/objects.ts';
import { stateIn } from '../../../src/contract/deprecations.ts';
import { DAY } from '../../core/clock.ts';
import { notFound, refusedChange, unprocessable } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import { isLimitReached } from '../settings/settings.ts';
import { createJob, createPipeline, type Job, type Pipeline, updateJob } from './managePipelines.ts';
import { type ReportedState, transitionRefusal } from './rules.ts';
import {
  countJobsOfActivePipelines,
  countJobsOfPipeline,
  listPipelines,
  pipelineById,
  replaceOlder,
  unfinishedStatus,
  writeStatusDetails,
} from './store.ts';

/** Stage of commit statuses. */
const STAGE = 'external';

export interface NewStatus {
  readonly commit: CommitObject;
  /** Name of a branch or tag. */
  readonly ref: string;
  readonly isTag: boolean;
  /** True if the request names the ref; otherwise any pipeline of the commit takes the status. */
  readonly isRefNamed: boolean;
  readonly pipelineId?: number | undefined;
  readonly name: string;
  readonly state: ReportedState;
  readonly targetUrl?: string | undefined;
  readonly description?: string | undefined;
  readonly coverage?: number | undefined;
  /** Called if the status exceeds a limit that the emulated release does not apply to statuses yet. */
  readonly noteExcess: () => void;
}

/** Maximum age of pipelines that count as active, in milliseconds. */
const ACTIVE_FOR = DAY;

/**
 * Stores the state that another system reports about a commit, in the newest pipeline of the commit and ref or a new one. An
 * unfinished status with the same name is updated; a finished one is replaced.
 *
 * @throws {NotFound} for a pipeline of another commit.
 * @throws {Refused} if the project has too many jobs, and for a state that cannot follow the current one.
 */
export function reportStatus(core: Core, found: FoundProject, user: User, input: NewStatus): Job {
  const { store } = core;
  return store.transaction(() => {
    const pipeline = pipelineFor(core, found, user, input);
    const current = unfinishedStatus(store, pipeline.id, input.name, user.id);
    const refusal = current === undefined ? undefined : transitionRefusal(current.status, input.state);
    if (refusal !== undefined) throw refusedChange(refusal, `the status is ${current?.status ?? 'new'} already`);
    const values = {
      status: input.state,
      failureReason: input.state === 'failed' ? ('api_failure' as const) : undefined,
      coverage: input.coverage,
    };
    if (current === undefined) {
      const activeJobs = countJobsOfActivePipelines(store, found.project.id, core.clock.now() - ACTIVE_FOR);
      if (isLimitReached(core, 'ci_active_jobs', activeJobs)) {
        applyLimit(core, input, 'Project exceeded the allowed number of jobs in active pipelines. Retry later.');
      }
      const external = { targetUrl: input.targetUrl ?? null, description: input.description ?? null };
      replaceOlder(store, pipeline.id, input.name);
      return createJob(core, pipeline, user, { ...values, name: input.name, stage: STAGE, external });
    }
    writeStatusDetails(store, current.id, {
      target_url: input.targetUrl ?? current.target_url,
      description: input.description ?? current.description,
    });
    return updateJob(core, current, values);
  });
}

function pipelineFor(core: Core, found: FoundProject, user: User, input: NewStatus): Pipeline {
  const { commit, ref, pipelineId } = input;
  const { project } = found;
  if (pipelineId !== undefined) {
    const named = pipelineById(core.store, project.id, pipelineId);
    if (named?.sha === commit.id && (!input.isRefNamed || named.ref === ref)) {
      if (isFull(core, named, user, input)) applyLimit(core, input, 'The number of jobs has exceeded the limit');
      return named;
    }
    throw notFound('Pipeline for pipeline_id, sha and ref', 'the pipeline belongs to another commit or ref, or does not exist');
  }
  const filter = { projectId: project.id, sha: commit.id, ref: input.isRefNamed ? ref : undefined };
  const [newest] = listPipelines(core.store, filter, { order: 'id', sort: 'desc', limit: 1, offset: 0 });
  if (newest !== undefined && !isFull(core, newest, user, input)) return newest;
  if (newest !== undefined && !areStatusesLimited(core)) {
    input.noteExcess();
    return newest;
  }
  return createPipeline(core, found, user, { ref, sha: commit.id, commit, isTag: input.isTag, source: 'external' });
}

/** Returns true if a pipeline has too many jobs for a new status. */
function isFull(core: Core, pipeline: Pipeline, user: User, { name }: NewStatus): boolean {
  const { store } = core;
  if (!isLimitReached(core, 'ci_pipeline_size', countJobsOfPipeline(store, pipeline.id))) return false;
  return unfinishedStatus(store, pipeline.id, name, user.id) === undefined;
}

function areStatusesLimited({ profile }: Core): boolean {
  return stateIn('commit-status-job-limit', profile.release) === 'removed';
}

/** @throws {Refused} if the emulated release applies the limits of jobs to statuses. */
function applyLimit(core: Core, { noteExcess }: NewStatus, text: string): void {
  if (areStatusesLimited(core)) throw unprocessable(text, 'a limit of jobs in the plan limits is reached');
  noteExcess();
}
