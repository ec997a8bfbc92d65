import type { CommitObject } from '../git/git.ts';
import { notFound, refusedChange } from '../http/failures.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import type { FoundProject } from '../projects/projects.ts';
import { createJob, createPipeline, type Job, type Pipeline, updateJob } from './pipelines.ts';
import { type ReportedState, transitionRefusal } from './rules.ts';
import { listPipelines, pipelineById, replaceOlder, unfinishedStatus, writeStatusDetails } from './store.ts';

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
}

/**
 * Stores the state that another system reports about a commit, in the newest pipeline of the commit and ref or a new one. An
 * unfinished status with the same name is updated; a finished one is replaced.
 *
 * @throws 404 for a pipeline of another commit, 400 for a state that cannot follow the current one.
 */
export function reportStatus(platform: Platform, found: FoundProject, user: User, input: NewStatus): Job {
  const { store } = platform;
  return store.transaction(() => {
    const pipeline = pipelineFor(platform, found, user, input);
    const current = unfinishedStatus(store, pipeline.id, input.name, user.id);
    const refusal = current === undefined ? undefined : transitionRefusal(current.status, input.state);
    if (refusal !== undefined) throw refusedChange(refusal, `the status is ${current?.status ?? 'new'} already`);
    const values = {
      status: input.state,
      failureReason: input.state === 'failed' ? ('api_failure' as const) : undefined,
      coverage: input.coverage,
    };
    if (current === undefined) {
      const external = { targetUrl: input.targetUrl ?? null, description: input.description ?? null };
      replaceOlder(store, pipeline.id, input.name);
      return createJob(platform, pipeline, user, { ...values, name: input.name, stage: STAGE, external });
    }
    writeStatusDetails(store, current.id, {
      target_url: input.targetUrl ?? current.target_url,
      description: input.description ?? current.description,
    });
    return updateJob(platform, current, values);
  });
}

function pipelineFor(platform: Platform, found: FoundProject, user: User, input: NewStatus): Pipeline {
  const { commit, ref, pipelineId } = input;
  const { project } = found;
  if (pipelineId !== undefined) {
    const named = pipelineById(platform.store, project.id, pipelineId);
    if (named?.sha === commit.id && (!input.isRefNamed || named.ref === ref)) return named;
    throw notFound('Pipeline for pipeline_id, sha and ref', 'the pipeline belongs to another commit or ref, or does not exist');
  }
  const filter = { projectId: project.id, sha: commit.id, ref: input.isRefNamed ? ref : undefined };
  const [newest] = listPipelines(platform.store, filter, { order: 'id', sort: 'desc', limit: 1, offset: 0 });
  if (newest !== undefined) return newest;
  return createPipeline(platform, found, user, { ref, sha: commit.id, commit, isTag: input.isTag, source: 'external' });
}
