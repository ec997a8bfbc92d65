import type { GitCore } from '../repositories/repositories.ts';
import { Unavailable } from '../core/errors.ts';
import {
  adoptHistory,
  type PreparedHistory,
  type PreparedPush,
  prepareHistory,
  pushPrepared,
} from '../features/preparedRepositories/preparedRepositories.ts';
import type { User } from '../core/caller.ts';
import {
  approve,
  createMergeRequest,
  type MergeRequest,
  mustFindMergeRequest,
  updateMergeRequest,
  mergePrepared,
  commentableMergeRequest,
} from '../features/mergeRequests/mergeRequests.ts';
import { comment } from '../features/notes/notes.ts';
import { createJob, createPipeline, type Pipeline } from '../features/pipelines/pipelines.ts';
import type { Core } from '../core/core.ts';
import type { FoundProject } from '../features/projectAccess/projectAccess.ts';
import { releaseTag } from '../features/releases/releases.ts';
import type { ContainerRepository } from '../features/registry/registry.ts';
import { codeOf, type DemoCode } from './demoCode.ts';
import { deliver, releaseLinks } from './demoDeliveries.ts';
import { projects } from './demoPeople.ts';
import type { Trade } from './demoTexts.ts';

/** Milestone of every project. */
export const SEASON_OPENING = 'Season opening';

/** Prepared repository of a project, with the authors of its pushes. */
export interface DemoRepository extends DemoCode {
  readonly project: string;
  readonly history: PreparedHistory;
  readonly trade: Trade;
  /** Open merge requests by branch. */
  readonly opened: Map<string, MergeRequest>;
  /** IDs of the pipelines of the default branch since the latest release. */
  readonly unreleased: number[];
  /** Container repositories by name. */
  readonly images: Map<string, ContainerRepository>;
}

/** Without git the demo data has no repositories, but everything else. */
export async function prepareRepositories(core: GitCore, start: number, days: number): Promise<DemoRepository[]> {
  try {
    await core.repositories.git.demand();
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    core.log.info(`the demo data has no repositories: ${error.reason}`);
    return [];
  }
  return Promise.all(
    projects.map(async (project, index) => {
      const code = codeOf(project, openingDay(index), start, days);
      const plans = code.pushes.map(({ plan }) => plan);
      const history = await prepareHistory(core, 'main', plans);
      if ('impossible' in history) throw new Error(`${project.name}: ${history.impossible[0]?.refusal ?? ''}`);
      const { name, trade } = project;
      return { project: name, trade, history, ...code, opened: new Map(), unreleased: [], images: new Map() };
    }),
  );
}

/** Returns the day of the span on which a project is created, by index. */
export function openingDay(index: number): number {
  return Math.floor(index * 1.5);
}

/** Performs a push by its index. The user must be able to see the project. Commits get a pipeline, tags a release. */
export function pushNext(core: Core, repository: DemoRepository, index: number, found: FoundProject, user: User): void {
  const { history, pushes } = repository;
  const [prepared, plan] = [history.pushes[index], pushes[index]?.plan];
  if (prepared === undefined) throw new Error(`nothing is left to push to ${found.project.name}`);
  if (index === 0) adoptHistory(core, found, history);
  if (plan?.kind === 'merge') mergePrepared(core, found, openedFrom(core, repository, plan.source), user, prepared);
  else pushPrepared(core, found, user, prepared);
  if (prepared.kind === 'branch') {
    const pipeline = pipelineOfPush(core, found, user, { push: prepared, history, index });
    if (prepared.ref.name === 'main') repository.unreleased.push(pipeline.id);
    return;
  }
  const { name: tag } = prepared.ref;
  releaseTag(core, found, user, {
    tag,
    name: `${found.project.name} ${tag.slice(1)}`,
    description: 'What we wrote since the last one.',
    links: releaseLinks(found, tag),
    milestones: { titles: [SEASON_OPENING] },
  });
  const pipelineIds = repository.unreleased.splice(0);
  deliver(core, found, { trade: repository.trade, tag, pipelineIds }, repository.images);
}

/** Creates the pipeline of a push with its jobs. Every seventh fails; always the same ones. */
export function pipelineOfPush(
  core: Core,
  found: FoundProject,
  user: User,
  { push, history, index }: { readonly push: PreparedPush; readonly history: PreparedHistory; readonly index: number },
): Pipeline {
  const { name: ref, commit_id: sha } = push.ref;
  const pipeline = createPipeline(core, found, user, { ref, sha, commit: history.commits.get(sha), source: 'push' });
  const isBad = index % 7 === 5;
  createJob(core, pipeline, user, { name: 'lint', stage: 'check', status: 'success' });
  createJob(core, pipeline, user, {
    name: 'test',
    stage: 'test',
    status: isBad ? 'failed' : 'success',
    coverage: 70 + (index % 20),
  });
  createJob(core, pipeline, user, { name: 'pages', stage: 'deploy', status: isBad ? 'skipped' : 'success' });
  return pipeline;
}

function openedFrom(core: Core, { project, opened }: DemoRepository, branch: string): MergeRequest {
  const mergeRequest = opened.get(branch);
  if (mergeRequest === undefined) throw new Error(`${project} has no merge request of ${branch}`);
  return mustFindMergeRequest(core, mergeRequest.id);
}

/** An action on a merge request. */
export interface DemoReview {
  readonly time: number;
  readonly username: string;
  happens(found: FoundProject, user: User): void;
}

/** Returns the actions on the merge requests of a repository. Merges are also pushes. `personOf` returns the user with a username. */
export function reviewsOf(core: GitCore, repository: DemoRepository, personOf: (username: string) => User): DemoReview[] {
  return repository.mergeRequests.flatMap(({ source, title, description, username, time, reviewer, notes, approvedAt, end }) => {
    const opens: DemoReview = {
      time,
      username,
      happens: (found, user) => {
        const ends = { source: found, target: found };
        const reviewerIds = [personOf(reviewer).id];
        const input = { title, description, sourceBranch: source, targetBranch: 'main', reviewerIds, assigneeIds: [user.id] };
        repository.opened.set(source, createMergeRequest(core, ends, user, input));
      },
    };
    const comments = notes.map(
      ({ body, ...by }): DemoReview => ({
        ...by,
        happens: (found, user) => {
          const mergeRequest = openedFrom(core, repository, source);
          comment(core, commentableMergeRequest(core, found, mergeRequest, user), user, { body });
        },
      }),
    );
    const approves: DemoReview = {
      time: approvedAt ?? 0,
      username: reviewer,
      happens: (found, user) => approve(core, found, openedFrom(core, repository, source), user, undefined),
    };
    const closes: DemoReview = {
      time: end?.time ?? 0,
      username: end?.username ?? '',
      happens: (found, user) => {
        updateMergeRequest(core, found, openedFrom(core, repository, source), user, { stateEvent: 'close' });
      },
    };
    return [opens, ...comments, ...(approvedAt === undefined ? [] : [approves]), ...(end?.kind === 'close' ? [closes] : [])];
  });
}
