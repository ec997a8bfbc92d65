import { currentActor } from '../../core/actor.ts';
import type { ChangeOf } from '../../core/changes.ts';
import { WireFailure } from '../../http/failures.ts';
import { findUser, type User } from '../identity/identity.ts';
import { findIssue, updateIssue } from '../issues/issues.ts';
import type { Platform } from '../../platform.ts';
import { findProject, type FoundProject } from '../projects/projects.ts';
import { changed, type MergeRequest, noAutoMerge, noteChange, systemNote, writeValues } from './mergeRequests.ts';
import { closeIssues } from './merging.ts';
import { issuesNamed } from './rules.ts';
import { insertVersion, openOfBranch, openOfFork } from './store.ts';

/** Updates merge requests after pushes, branch deletions and removed fork relations. */
export function followRepositories(platform: Platform): void {
  platform.changes.subscribe((change) => {
    if (change.kind === 'refsPushed') followPush(platform, change);
    if (change.kind === 'commitsReached') {
      followCommits(platform, change);
      followMessages(platform, change);
    }
    if (change.kind === 'forkUnlinked') {
      for (const mergeRequest of openOfFork(platform.store, change.projectId)) close(platform, mergeRequest, change.authorId);
    }
    // The rows of a removed project are already deleted, and no others refer to it.
    if (change.kind === 'projectRemoved') {
      for (const mergeRequest of openOfFork(platform.store, null)) {
        close(platform, mergeRequest, currentActor()?.userId ?? mergeRequest.author_id);
      }
    }
  });
}

function followPush(platform: Platform, { projectId, authorId, refs }: ChangeOf<'refsPushed'>): void {
  const { store, clock } = platform;
  for (const { ref, refType, commitTo, commitCount, commits = [] } of refs) {
    if (refType !== 'branch') continue;
    for (const mergeRequest of openOfBranch(store, 'source', projectId, ref)) {
      // A merge request cannot be merged without its source branch.
      if (commitTo === null) close(platform, mergeRequest, authorId);
      else {
        const start = mergeRequest.target_head ?? mergeRequest.start_sha;
        insertVersion(store, mergeRequest.id, { head: commitTo, start }, clock.now());
        noteChange(platform, mergeRequest);
        systemNote(platform, mergeRequest, authorId, `added ${commitCount} commit${commitCount === 1 ? '' : 's'}`);
        if (commitCount > 0) {
          platform.changes.publish({
            kind: 'mergeRequestPushed',
            mergeRequest: changed(mergeRequest),
            commitCount,
            commits,
            authorId,
          });
        }
        if (mergeRequest.auto_merge === 1) stopAutoMerge(platform, mergeRequest, authorId);
      }
    }
  }
}

/** Cancels auto-merge after a push, because the user who enabled it has not seen the new commits. */
function stopAutoMerge(platform: Platform, mergeRequest: MergeRequest, authorId: number): void {
  writeValues(platform, mergeRequest, noAutoMerge);
  systemNote(platform, mergeRequest, authorId, 'aborted the automatic merge because source branch was updated');
}

/** Closes a merge request that can no longer be merged. */
function close(platform: Platform, mergeRequest: MergeRequest, authorId: number): void {
  const closing = { state: 'closed', closed_at: platform.clock.now(), closed_by: authorId, auto_merge: 0 } as const;
  writeValues(platform, mergeRequest, closing);
  systemNote(platform, mergeRequest, authorId, 'closed');
  platform.changes.publish({ kind: 'mergeRequestClosed', mergeRequest: changed(mergeRequest), authorId });
}

/** Marks merge requests as merged whose newest commit has reached the target branch by other means. */
function followCommits(platform: Platform, { projectId, branch, commits, authorId }: ChangeOf<'commitsReached'>): void {
  const by = findUser(platform, authorId);
  const waiting = openOfBranch(platform.store, 'target', projectId, branch);
  if (by === undefined || waiting.length === 0) return;
  const reached = new Set(commits);
  const isDefault = findProject(platform, projectId, { user: by })?.project.default_branch === branch;
  for (const mergeRequest of waiting) {
    if (!reached.has(mergeRequest.head_sha)) continue;
    writeValues(platform, mergeRequest, {
      state: 'merged',
      merged_at: platform.clock.now(),
      merged_by: by.id,
      merge_commit_sha: commits[0] ?? null,
      auto_merge: 0,
    });
    systemNote(platform, mergeRequest, by.id, 'merged');
    platform.changes.publish({
      kind: 'mergeRequestMerged',
      mergeRequest: changed(mergeRequest),
      wasAutoMerged: mergeRequest.auto_merge === 1,
      authorId,
    });
    if (isDefault) closeIssues(platform, mergeRequest, by);
  }
}

/** Closes the issues that commit messages on the default branch close, as far as the author of the push has permission. */
function followMessages(platform: Platform, { projectId, described, authorId }: ChangeOf<'commitsReached'>): void {
  const by = described.length === 0 ? undefined : findUser(platform, authorId);
  const found = by === undefined ? undefined : findProject(platform, projectId, { user: by });
  if (by === undefined || found === undefined) return;
  for (const { id, message } of described.toReversed()) {
    for (const { project, iid, closes } of issuesNamed([message])) {
      if (closes) closeIssue(platform, found, by, { project, iid, commit: id });
    }
  }
}

function closeIssue(
  platform: Platform,
  found: FoundProject,
  by: User,
  { project, iid, commit }: { readonly project: string | undefined; readonly iid: number; readonly commit: string },
): void {
  const place = project === undefined ? found : findProject(platform, project, { user: by });
  const issue = place === undefined ? undefined : findIssue(platform, place, iid, by);
  if (place === undefined || issue === undefined || issue.state === 'closed') return;
  const isOwn = place.project.id === found.project.id;
  const closedVia = `commit ${isOwn ? commit : `${found.project.full_path}@${commit}`}`;
  try {
    updateIssue(platform, place, issue, by, { stateEvent: 'close', closedVia });
  } catch (error) {
    // The user may have fewer permissions in another project.
    if (!(error instanceof WireFailure)) throw error;
  }
}
