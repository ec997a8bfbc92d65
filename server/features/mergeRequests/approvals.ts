import { nothingFound, unauthorized } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { changed, demandHead, mayWrite, type MergeRequest, noteChange, systemNote } from './manageMergeRequests.ts';
import { approvalsOf, deleteApproval, insertApproval, writeReview } from './store.ts';

/**
 * Returns true if the user can approve. Developers can approve merge requests of others, and their own where approvals do not
 * require a paid tier.
 */
export function mayApprove(core: Core, found: FoundProject, mergeRequest: MergeRequest, user: User): boolean {
  const { id, author_id: authorId, state } = mergeRequest;
  const isOwn = authorId === user.id && core.profile.tier !== 'free';
  const hasApproved = approvalsOf(core.store, id).some((row) => row.user_id === user.id);
  return state === 'opened' && mayWrite(found) && holdsRole(found.access, 'developer') && !isOwn && !hasApproved;
}

/** Throws `Unauthorized` without permission, and `Refused` if the head is not the one that the user has seen. */
export function approve(core: Core, found: FoundProject, mergeRequest: MergeRequest, by: User, sha: string | undefined): void {
  if (!mayApprove(core, found, mergeRequest, by)) {
    throw unauthorized(
      'only developers can approve, only once, and only open merge requests that are not their own',
      'mergeRequest.approve',
    );
  }
  demandHead(mergeRequest, sha);
  const { store, clock, changes } = core;
  store.transaction(() => {
    insertApproval(store, mergeRequest.id, by.id, clock.now());
    writeReview(store, mergeRequest.id, by.id, 'approved');
    systemNote(core, mergeRequest, by.id, 'approved this merge request');
    noteChange(core, mergeRequest);
    changes.publish({ kind: 'mergeRequestApproved', mergeRequest: changed(mergeRequest), authorId: by.id });
  });
}

/** Throws `NotFound` if the user has not approved. */
export function unapprove(core: Core, mergeRequest: MergeRequest, by: User): void {
  const { store } = core;
  store.transaction(() => {
    if (mergeRequest.state === 'merged' || !deleteApproval(store, mergeRequest.id, by.id)) {
      throw nothingFound('the caller has not approved the merge request');
    }
    writeReview(store, mergeRequest.id, by.id, 'unapproved');
    systemNote(core, mergeRequest, by.id, 'unapproved this merge request');
    noteChange(core, mergeRequest);
    core.changes.publish({ kind: 'mergeRequestUnapproved', mergeRequest: changed(mergeRequest), authorId: by.id });
  });
}
