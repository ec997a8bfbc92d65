import { isDomainError } from '../../core/errors.ts';
import { currentActor } from '../../core/actor.ts';
import type { ChangeOf } from '../../core/changes.ts';
import type { User } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import { findIssue, updateIssue } from '../issues/issues.ts';
import type { Core } from '../../core/core.ts';
import { findProject, type FoundProject } from '../projectAccess/projectAccess.ts';
import { changed, type MergeRequest, noAutoMerge, noteChange, systemNote, writeValues } from './manageMergeRequests.ts';
import { closeIssues } from './merging.ts';
import { issuesNamed } from './rules.ts';
import { insertVersion, openOfBranch, openOfFork } from './store.ts';

/** Updates merge requests after pushes, branch deletions and removed fork relations. */
export function followRepositories(core: Core): void {
  core.changes.subscribe((change) => {
    if (change.kind === 'refsPushed') followPush(core, change);
    if (change.kind === 'commitsReached') {
      followCommits(core, change);
      followMessages(core, change);
    }
    if (change.kind === 'forkUnlinked') {
      for (const mergeRequest of openOfFork(core.store, change.projectId)) close(core, mergeRequest, change.authorId);
    }
    // The rows of a removed project are already deleted, and no others refer to it.
    if (change.kind === 'projectRemoved') {
      for (const mergeRequest of openOfFork(core.store, null)) {
        close(core, mergeRequest, currentActor()?.userId ?? mergeRequest.author_id);
      }
    }
  });
}

function followPush(core: Core, { projectId, authorId, refs }: ChangeOf<'refsPushed'>): void {
  const { store, clock } = core;
  for (const { ref, refType, commitTo, commitCount, commits = [] } of refs) {
    if (refType !== 'branch') continue;
    for (const mergeRequest of openOfBranch(store, 'source', projectId, ref)) {
      // A merge request cannot be merged without its source branch.
      if (commitTo === null) close(core, mergeRequest, authorId);
      else {
        const start = mergeRequest.target_head ?? mergeRequest.start_sha;
        insertVersion(store, mergeRequest.id, { head: commitTo, start }, clock.now());
        noteChange(core, mergeRequest);
        systemNote(core, mergeRequest, authorId, `added ${commitCount} commit${commitCount === 1 ? '' : 's'}`);
        if (commitCount > 0) {
          core.changes.publish({
            kind: 'mergeRequestPushed',
            mergeRequest: changed(mergeRequest),
            formerHead: mergeRequest.head_sha,
            commitCount,
            commits,
            authorId,
          });
        }
        if (mergeRequest.auto_merge === 1) stopAutoMerge(core, mergeRequest, authorId);
      }
    }
  }
}

/** Cancels auto-merge after a push, because the user who enabled it has not seen the new commits. */
function stopAutoMerge(core: Core, mergeRequest: MergeRequest, authorId: number): void {
  writeValues(core, mergeRequest, noAutoMerge);
  systemNote(core, mergeRequest, authorId, 'aborted the automatic merge because source branch was updated');
}

/** Closes a merge request that can no longer be merged. */
function close(core: Core, mergeRequest: MergeRequest, authorId: number): void {
  const closing = { state: 'closed', closed_at: core.clock.now(), closed_by: authorId, auto_merge: 0 } as const;
  writeValues(core, mergeRequest, closing);
  systemNote(core, mergeRequest, authorId, 'closed');
  core.changes.publish({ kind: 'mergeRequestClosed', mergeRequest: changed(mergeRequest), authorId });
}

/** Marks merge requests as merged whose newest commit has reached the target branch by other means. */
function followCommits(core: Core, { projectId, branch, commits, authorId }: ChangeOf<'commitsReached'>): void {
  const by = findUser(core, authorId);
  const waiting = openOfBranch(core.store, 'target', projectId, branch);
  if (by === undefined || waiting.length === 0) return;
  const reached = new Set(commits);
  const isDefault = findProject(core, projectId, { user: by })?.project.default_branch === branch;
  for (const mergeRequest of waiting) {
    if (!reached.has(mergeRequest.head_sha)) continue;
    writeValues(core, mergeRequest, {
      state: 'merged',
      merged_at: core.clock.now(),
      merged_by: by.id,
      merge_commit_sha: commits[0] ?? null,
      auto_merge: 0,
    });
    systemNote(core, mergeRequest, by.id, 'merged');
    core.changes.publish({
      kind: 'mergeRequestMerged',
      mergeRequest: changed(mergeRequest),
      wasAutoMerged: mergeRequest.auto_merge === 1,
      authorId,
    });
    if (isDefault) closeIssues(core, mergeRequest, by);
  }
}

/** Closes the issues that commit messages on the default branch close, as far as the author of the push has permission. */
function followMessages(core: Core, { projectId, described, authorId }: ChangeOf<'commitsReached'>): void {
  const by = described.length === 0 ? undefined : findUser(core, authorId);
  const found = by === undefined ? undefined : findProject(core, projectId, { user: by });
  if (by === undefined || found === undefined) return;
  for (const { id, message } of described.toReversed()) {
    for (const { project, iid, closes } of issuesNamed([message])) {
      if (closes) closeIssue(core, found, by, { project, iid, commit: id });
    }
  }
}

function closeIssue(
  core: Core,
  found: FoundProject,
  by: User,
  { project, iid, commit }: { readonly project: string | undefined; readonly iid: number; readonly commit: string },
): void {
  const place = project === undefined ? found : findProject(core, project, { user: by });
  const issue = place === undefined ? undefined : findIssue(core, place, iid, by);
  if (place === undefined || issue === undefined || issue.state === 'closed') return;
  const isOwn = place.project.id === found.project.id;
  const closedVia = `commit ${isOwn ? commit : `${found.project.full_path}@${commit}`}`;
  try {
    updateIssue(core, place, issue, by, { stateEvent: 'close', closedVia });
  } catch (error) {
    // The user may have fewer permissions in another project.
    if (!isDomainError(error)) throw error;
  }
}
