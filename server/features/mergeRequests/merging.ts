import { isDomainError, type Refused, unauthorized, unprocessable, wrongState } from '../../core/errors.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { branchHead } from '../git/git.ts';
import { isProtected, mayPush, type Merged, mergeIntoBranch, removeRef } from '../pushes/pushes.ts';
import { type PreparedPush, pushPrepared } from '../preparedRepositories/preparedRepositories.ts';
import type { User } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import { findIssue, updateIssue } from '../issues/issues.ts';
import type { Core } from '../../core/core.ts';
import { findProject, type FoundProject } from '../projectAccess/projectAccess.ts';
import {
  changed,
  demandHead,
  findMergeRequest,
  mayMerge,
  type MergeRequest,
  mustFindMergeRequest,
  noAutoMerge,
  systemNote,
  writeValues,
} from './manageMergeRequests.ts';
import { detailedStatus } from './rules.ts';
import { closedIssues, insertVersion, type MergeRequestValues, openOfBranch } from './store.ts';
import { examined, mergeMetadata } from './versions.ts';

export interface MergeInput {
  readonly message?: string | undefined;
  readonly squashMessage?: string | undefined;
  readonly squash?: boolean | undefined;
  readonly removeSourceBranch?: boolean | undefined;
  /** Waits for all checks to pass instead of refusing the merge. */
  readonly auto?: boolean | undefined;
  /** Head that the user has seen. */
  readonly sha?: string | undefined;
}

/** Maximum number of merge requests retargeted when their target branch is deleted after a merge. */
const MAX_RETARGETED = 4;

/**
 * Merges the branches with a merge commit, after squashing with `squash`. Throws `Unauthorized` without permission, and `Refused` if it
 * is not open, is a draft, has nothing to merge or has conflicts, and if the head is not the one that the user has seen.
 */
export async function merge(
  core: GitCore,
  found: FoundProject,
  given: MergeRequest,
  by: User,
  input: MergeInput,
): Promise<MergeRequest> {
  if (!mayMerge(core, found, given)) {
    throw unauthorized('merging requires permission to push to the target branch', 'mergeRequest.merge');
  }
  const mergeRequest = await examined(core, found, given);
  const status = detailedStatus(mergeMetadata(mergeRequest));
  const isWaiting = status === 'draft_status';
  if (status !== 'mergeable' && status !== 'conflict' && !(input.auto === true && isWaiting)) {
    throw wrongState('405 Method Not Allowed', `the merge request cannot be merged now: ${status}`);
  }
  demandHead(mergeRequest, input.sha);
  if (input.auto === true && isWaiting) return setAutoMerge(core, mergeRequest, by, input);
  if (status === 'conflict') throw notMergeable();
  await mergeNow(core, found, mergeRequest, by, input);
  return mustFindMergeRequest(core, mergeRequest.id);
}

function notMergeable(): Refused {
  const reason = 'the branches have conflicts; merge the target branch into the source branch or rebase it first';
  return unprocessable('Branch cannot be merged', reason, 'mergeRequest.mergeable');
}

async function mergeNow(
  core: GitCore,
  found: FoundProject,
  mergeRequest: MergeRequest,
  by: User,
  input: MergeInput,
): Promise<void> {
  const squashes = input.squash ?? mergeRequest.squash === 1;
  const author = findUser(core, mergeRequest.author_id) ?? by;
  const removes = input.removeSourceBranch ?? mergeRequest.force_remove_source_branch === 1;
  const merged = await mergeIntoBranch(core, found, by, {
    branch: mergeRequest.target_branch,
    commit: mergeRequest.head_sha,
    message: filled(input.message) ?? mergeMessage(mergeRequest),
    squash: squashes ? { message: filled(input.squashMessage) ?? mergeRequest.title, author } : undefined,
    inTransaction: (commits) => {
      finishMerge(core, found, mergeRequest, by, commits, {
        squash: squashes ? 1 : 0,
        should_remove_source_branch: input.removeSourceBranch === undefined ? null : input.removeSourceBranch ? 1 : 0,
      });
    },
  });
  if (merged === undefined) throw notMergeable();
  if (removes) await removeSource(core, mergeRequest, by);
}

/** Updates the merge request after the merge, in the transaction that moves the branch. */
function finishMerge(
  core: Core,
  found: FoundProject,
  mergeRequest: MergeRequest,
  by: User,
  commits: Merged,
  chosen: Pick<MergeRequestValues, 'squash' | 'should_remove_source_branch'>,
): void {
  const now = mustFindMergeRequest(core, mergeRequest.id);
  if (now.state !== 'opened' || now.head_sha !== mergeRequest.head_sha || now.target_branch !== mergeRequest.target_branch) {
    throw wrongState('405 Method Not Allowed', 'the merge request changed during the merge');
  }
  writeValues(core, mergeRequest, {
    state: 'merged',
    merged_at: core.clock.now(),
    merged_by: by.id,
    merge_commit_sha: commits.mergeCommit,
    squash_commit_sha: commits.squashCommit,
    ...chosen,
    auto_merge: 0,
  });
  systemNote(core, mergeRequest, by.id, 'merged');
  core.changes.publish({
    kind: 'mergeRequestMerged',
    mergeRequest: changed(mergeRequest),
    wasAutoMerged: now.auto_merge === 1,
    authorId: by.id,
  });
  if (mergeRequest.target_branch === found.project.default_branch) closeIssues(core, mergeRequest, by);
}

/**
 * Merges with a prepared commit, for seeds. Call in a transaction. Throws `Unauthorized` without permission, and `Refused` if it is not
 * open, is a draft, or the prepared commit merges an outdated head.
 */
export function mergePrepared(core: Core, found: FoundProject, mergeRequest: MergeRequest, by: User, push: PreparedPush): void {
  if (!mayMerge(core, found, mergeRequest)) {
    throw unauthorized('merging requires permission to push to the target branch', 'mergeRequest.merge');
  }
  const isReady = mergeRequest.state === 'opened' && mergeRequest.draft === 0 && push.merges === mergeRequest.head_sha;
  if (!isReady)
    throw wrongState(
      '405 Method Not Allowed',
      'only an open merge request that is not a draft and whose head was checked can be merged',
    );
  pushPrepared(core, found, by, push);
  const commits = { mergeCommit: push.ref.commit_id, squashCommit: null };
  finishMerge(core, found, mergeRequest, by, commits, { squash: 0, should_remove_source_branch: null });
}

function filled(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** Returns the default message of a merge commit. */
export function mergeMessage(
  mergeRequest: Pick<MergeRequest, 'source_branch' | 'target_branch' | 'title' | 'project_path' | 'iid'>,
): string {
  const { source_branch: source, target_branch: target, title, project_path: path, iid } = mergeRequest;
  return `Merge branch '${source}' into '${target}'\n\n${title}\n\nSee merge request ${path}!${iid}`;
}

/** Closes the issues that the merge request closes, as far as the user has permission. */
export function closeIssues(core: Core, mergeRequest: MergeRequest, by: User): void {
  for (const { project_id, iid } of closedIssues(core.store, mergeRequest.id)) {
    const repository = findProject(core, project_id, { user: by });
    const issue = repository === undefined ? undefined : findIssue(core, repository, iid, by);
    if (repository === undefined || issue === undefined || issue.state === 'closed') continue;
    try {
      const isOwn = project_id === mergeRequest.project_id;
      const closedVia = `merge request ${isOwn ? '' : mergeRequest.project_path}!${mergeRequest.iid}`;
      updateIssue(core, repository, issue, by, { stateEvent: 'close', closedVia });
    } catch (error) {
      // The user may have fewer permissions in another project.
      if (!isDomainError(error)) throw error;
    }
  }
}

/** Deletes the source branch if the user has permission, and retargets the merge requests into it. */
async function removeSource(core: GitCore, mergeRequest: MergeRequest, by: User): Promise<void> {
  const { source_project_id: projectId, source_branch: branch, target_branch: target, head_sha: head } = mergeRequest;
  const source = projectId === null ? undefined : findProject(core, projectId, { user: by });
  if (source === undefined || !mayPush(source) || isProtected(core, source.project, branch)) return;
  if (branchHead(core, source.project.id, branch) !== head) return;
  if (source.project.id === mergeRequest.project_id) retarget(core, mergeRequest, branch, target, by);
  await removeRef(core, source, by, 'branch', branch);
}

function retarget(core: Core, mergeRequest: MergeRequest, from: string, to: string, by: User): void {
  const { store, clock } = core;
  const start = branchHead(core, mergeRequest.project_id, to);
  if (start === undefined) return;
  store.transaction(() => {
    for (const other of openOfBranch(store, 'target', mergeRequest.project_id, from).slice(0, MAX_RETARGETED)) {
      writeValues(core, other, { target_branch: to });
      insertVersion(store, other.id, { head: other.head_sha, start }, clock.now());
      systemNote(core, other, by.id, `changed target branch from \`${from}\` to \`${to}\``);
    }
  });
}

function setAutoMerge(core: Core, mergeRequest: MergeRequest, by: User, input: MergeInput): MergeRequest {
  return core.store.transaction(() => {
    writeValues(core, mergeRequest, {
      auto_merge: 1,
      auto_merge_user_id: by.id,
      auto_merge_message: filled(input.message) ?? null,
      auto_merge_squash_message: filled(input.squashMessage) ?? null,
      squash: input.squash === undefined ? mergeRequest.squash : input.squash ? 1 : 0,
      should_remove_source_branch: input.removeSourceBranch === undefined ? null : input.removeSourceBranch ? 1 : 0,
    });
    const head = mergeRequest.head_sha.slice(0, 8);
    systemNote(core, mergeRequest, by.id, `enabled an automatic merge when all merge checks for ${head} pass`);
    core.changes.publish({ kind: 'autoMergeEnabled', mergeRequest: changed(mergeRequest), authorId: by.id });
    return mustFindMergeRequest(core, mergeRequest.id);
  });
}

/** Cancels auto-merge. Throws `Refused` if it is not enabled, and `Unauthorized` without permission. */
export function cancelAutoMerge(core: Core, found: FoundProject, mergeRequest: MergeRequest, by: User): MergeRequest {
  const isAble = mayMerge(core, found, mergeRequest) || mergeRequest.author_id === by.id;
  if (!isAble) throw unauthorized('only the author and users who can merge may cancel auto-merge', 'mergeRequest.merge');
  if (mergeRequest.state !== 'opened' || mergeRequest.auto_merge === 0) {
    throw wrongState('405 Method Not Allowed', 'auto-merge is not enabled');
  }
  return core.store.transaction(() => {
    writeValues(core, mergeRequest, { ...noAutoMerge });
    systemNote(core, mergeRequest, by.id, 'canceled the automatic merge');
    return mustFindMergeRequest(core, mergeRequest.id);
  });
}

/** Merges a merge request with auto-merge if all checks pass. Called after every relevant change. */
export async function mergeIfDue(core: GitCore, mergeRequest: MergeRequest): Promise<void> {
  const { auto_merge_user_id: userId } = mergeRequest;
  if (mergeRequest.auto_merge === 0 || mergeRequest.state !== 'opened' || userId === null) return;
  const by = findUser(core, userId);
  const found = by === undefined ? undefined : findProject(core, mergeRequest.project_id, { user: by });
  const now = found === undefined ? undefined : findMergeRequest(core, found, mergeRequest.iid);
  if (by === undefined || found === undefined || now === undefined || !mayMerge(core, found, now)) return;
  const known = await examined(core, found, now);
  if (detailedStatus(mergeMetadata(known)) !== 'mergeable') return;
  const removes = known.should_remove_source_branch;
  await mergeNow(core, found, known, by, {
    message: known.auto_merge_message ?? undefined,
    squashMessage: known.auto_merge_squash_message ?? undefined,
    removeSourceBranch: removes === null ? undefined : removes === 1,
  });
}
