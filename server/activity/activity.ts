import { type Change, type ChangedIssue, type ChangedMergeRequest, type ChangedMilestone, isOnlyAudited } from '../changes.ts';
import { DAY } from '../clock.ts';
import type { Platform } from '../platform.ts';
import type { Caller } from '../identity/identity.ts';
import { type FoundProject, noteProjectActivity } from '../projects/projects.ts';
import { feedOfProject } from './feeds.ts';
import { actionNumbers, audienceOf, pushPayloads, snippetAudience } from './rules.ts';
import {
  deleteEventsBefore,
  eventsAfter,
  insertEvent,
  newestEventId,
  type NewEvent,
  oldestEvent,
  shownEvents,
  writeConfidentiality,
  writeMilestoneTarget,
  writeSnippetNotes,
  writeTargetTitle,
} from './store.ts';

/** Events are kept for three years. */
const RETENTION = 3 * 365 * DAY;
/** Events that are deleted in one turn of the event loop. */
const SLICE = 500;

/** Records events of what changes, in the transaction that changes it. */
export function recordActivity(platform: Platform): void {
  platform.changes.subscribe((change) => {
    const events = eventsOf(change);
    const at = platform.clock.now();
    for (const event of events) insertEvent(platform.store, { ...event, at });
    for (const projectId of new Set(events.map((event) => event.projectId))) noteProjectActivity(platform, projectId);
    if (change.kind === 'issueConfidentialityChanged') {
      writeConfidentiality(platform.store, change.issue.id, change.issue.confidential);
    }
    if (change.kind === 'milestoneRetitled') writeMilestoneTarget(platform.store, change.milestone, change.milestone);
    if (change.kind === 'milestoneDestroyed') writeMilestoneTarget(platform.store, change.milestone, undefined);
    if (change.kind === 'issueRetitled') writeTargetTitle(platform.store, 'issue_id', change.issue.id, change.issue.title);
    if (change.kind === 'mergeRequestRetitled') {
      writeTargetTitle(platform.store, 'merge_request_id', change.mergeRequest.id, change.mergeRequest.title);
    }
    if (change.kind === 'snippetChanged') {
      const { id, title, visibility } = change.snippet;
      writeSnippetNotes(platform.store, id, { title, audience: snippetAudience(visibility) });
    }
  });
}

/** The number of the newest event, for `activitySince`. */
export function lastActivity({ store }: Platform): number {
  return newestEventId(store);
}

/** Events with higher numbers than `id`, the oldest first, at most `limit`. */
export function activitySince(
  { store }: Platform,
  id: number,
  limit: number,
): readonly { readonly id: number; readonly projectId: number }[] {
  return eventsAfter(store, id, limit);
}

/** Which of some events of a project a person sees now, by the same rule as the feed of that project. */
export function visibleActivity(
  { store }: Platform,
  found: FoundProject,
  caller: Caller,
  ids: readonly number[],
): ReadonlySet<number> {
  return shownEvents(store, feedOfProject(found, caller), ids);
}

/**
 * Which events a change makes (docs/interface.md#activity-events): none for edits and system notes, and none with a target for joining and
 * the like.
 */
function eventsOf(change: Change): Omit<NewEvent, 'at'>[] {
  if (isOnlyAudited(change)) return [];
  switch (change.kind) {
    case 'projectCreated':
      return [ofProject(change.projectId, change.authorId, actionNumbers.created)];
    case 'memberJoined':
      return [ofProject(change.projectId, change.userId, actionNumbers.joined)];
    case 'memberLeft':
      return [ofProject(change.projectId, change.userId, actionNumbers.left)];
    case 'memberExpired':
      return [ofProject(change.projectId, change.userId, actionNumbers.expired)];
    case 'issueOpened':
      return [ofIssue(change.issue, change.authorId, actionNumbers.created)];
    case 'issueClosed':
      return [ofIssue(change.issue, change.authorId, actionNumbers.closed)];
    case 'issueReopened':
      return [ofIssue(change.issue, change.authorId, actionNumbers.reopened)];
    case 'mergeRequestOpened':
      return [ofMergeRequest(change.mergeRequest, change.authorId, actionNumbers.created)];
    case 'mergeRequestClosed':
      return [ofMergeRequest(change.mergeRequest, change.authorId, actionNumbers.closed)];
    case 'mergeRequestReopened':
      return [ofMergeRequest(change.mergeRequest, change.authorId, actionNumbers.reopened)];
    case 'mergeRequestMerged':
      return [ofMergeRequest(change.mergeRequest, change.authorId, actionNumbers.merged)];
    case 'mergeRequestApproved':
      return [ofMergeRequest(change.mergeRequest, change.authorId, actionNumbers.approved)];
    case 'noteCreated':
      return change.note.system ? [] : [ofNote(change)];
    case 'milestoneOpened':
      return [ofMilestone(change.milestone, change.authorId, actionNumbers.created)];
    case 'milestoneClosed':
      return [ofMilestone(change.milestone, change.authorId, actionNumbers.closed)];
    case 'milestoneReopened':
      return [ofMilestone(change.milestone, change.authorId, actionNumbers.reopened)];
    case 'milestoneDestroyed':
      return [ofMilestone(change.milestone, change.authorId, actionNumbers.destroyed)];
    case 'refsPushed':
      return pushPayloads(change.refs).map((payload) => ({
        projectId: change.projectId,
        authorId: change.authorId,
        action: actionNumbers.pushed,
        audience: audienceOf('code', {}),
        push: payload,
      }));
    case 'issueConfidentialityChanged':
    case 'issueRetitled':
    case 'milestoneRetitled':
    case 'mergeRequestRetitled':
    case 'commitsReached':
    case 'snippetChanged':
    case 'errorAppeared':
    case 'errorRegressed':
    case 'errorEscalated':
    case 'forkUnlinked':
      return [];
  }
}

function ofProject(projectId: number, authorId: number, action: number): Omit<NewEvent, 'at'> {
  return { projectId, authorId, action, audience: audienceOf('project', {}) };
}

type NoteChange = Extract<Change, { readonly kind: 'noteCreated' }>;

function ofIssue(issue: ChangedIssue, authorId: number, action: number): Omit<NewEvent, 'at'> {
  return {
    projectId: issue.projectId,
    authorId,
    action,
    targetType: 'Issue',
    targetId: issue.id,
    targetIid: issue.iid,
    targetTitle: issue.title,
    issueId: issue.id,
    audience: audienceOf('issues', issue),
  };
}

function ofMilestone(milestone: ChangedMilestone, authorId: number, action: number): Omit<NewEvent, 'at'> {
  return {
    projectId: milestone.projectId,
    authorId,
    action,
    targetType: 'Milestone',
    targetId: milestone.id,
    targetIid: milestone.iid,
    targetTitle: milestone.title,
    audience: audienceOf('milestones', {}),
  };
}

function ofMergeRequest(mergeRequest: ChangedMergeRequest, authorId: number, action: number): Omit<NewEvent, 'at'> {
  return {
    projectId: mergeRequest.projectId,
    authorId,
    action,
    targetType: 'MergeRequest',
    targetId: mergeRequest.id,
    targetIid: mergeRequest.iid,
    targetTitle: mergeRequest.title,
    mergeRequestId: mergeRequest.id,
    audience: audienceOf('mergeRequests', {}),
  };
}

/** The target of a comment is the comment, its number stands for both, its class is the type, and the title is that of what it is on. */
function ofNote({ note, on, authorId }: NoteChange): Omit<NewEvent, 'at'> {
  const event = (about: { readonly projectId: number; readonly title: string }) => ({
    projectId: about.projectId,
    authorId,
    action: actionNumbers.commented,
    targetType: note.type,
    targetId: note.id,
    targetIid: note.id,
    targetTitle: about.title,
    noteId: note.id,
  });
  switch (on.type) {
    case 'Issue': {
      const audience = audienceOf('issues', { confidential: on.issue.confidential, internal: note.internal });
      return { ...event(on.issue), issueId: on.issue.id, audience };
    }
    case 'MergeRequest': {
      const audience = audienceOf('mergeRequests', { internal: note.internal });
      return { ...event(on.mergeRequest), mergeRequestId: on.mergeRequest.id, audience };
    }
    case 'Snippet':
      return { ...event(on.snippet), audience: snippetAudience(on.snippet.visibility) };
  }
}

/** Deletes events that have become too old. */
export function scheduleEventRetention(platform: Platform): void {
  const { store, schedule } = platform;
  schedule.add({
    name: 'events past their retention',
    next: () => {
      const oldest = oldestEvent(store);
      return oldest === null ? null : oldest + RETENTION;
    },
    run: (now) => deleteEventsBefore(store, now - RETENTION, SLICE) === SLICE,
  });
}
