import type { Feature } from '../../http/feature.ts';
import { activityRoutes } from './routes.ts';
import { personPages } from './pages.ts';
import type { Change, ChangeOf } from '../../core/changes.ts';
import { DAY } from '../../core/clock.ts';
import { retentionWork } from '../../core/retention.ts';
import type { Core } from '../../core/core.ts';
import type { Caller } from '../../core/caller.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import { noteProjectActivity } from '../projects/projects.ts';
import { settingNumber } from '../settings/settings.ts';
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

export { activityAround } from './pages.ts';
export { activityRoutes } from './routes.ts';

/** Time that events are stored: three years. */
const STORED_FOR = 3 * 365 * DAY;
/** Maximum number of events deleted in one turn of the event loop. */
const SLICE = 500;

/** Records events of changes, in the transaction of the change. */
export function recordActivity(core: Core): void {
  core.changes.subscribe((change) => {
    const events = eventsOf(core, change);
    const at = core.clock.now();
    for (const event of events) insertEvent(core.store, { ...event, at });
    for (const projectId of new Set(events.map((event) => event.projectId))) noteProjectActivity(core, projectId);
    if (change.kind === 'issueConfidentialityChanged') {
      writeConfidentiality(core.store, change.issue.id, change.issue.confidential);
    }
    if (change.kind === 'milestoneRetitled') writeMilestoneTarget(core.store, change.milestone, change.milestone);
    if (change.kind === 'milestoneDestroyed') writeMilestoneTarget(core.store, change.milestone, undefined);
    if (change.kind === 'issueRetitled') writeTargetTitle(core.store, 'issue_id', change.issue.id, change.issue.title);
    if (change.kind === 'mergeRequestRetitled') {
      writeTargetTitle(core.store, 'merge_request_id', change.mergeRequest.id, change.mergeRequest.title);
    }
    if (change.kind === 'snippetChanged') {
      const { id, title, visibility } = change.snippet;
      writeSnippetNotes(core.store, id, { title, audience: snippetAudience(visibility) });
    }
  });
}

/** Returns the ID of the newest event, for {@link activitySince}. */
export function lastActivity({ store }: Core): number {
  return newestEventId(store);
}

/** Returns at most `limit` events with higher IDs than `id`, oldest first. */
export function activitySince(
  { store }: Core,
  id: number,
  limit: number,
): readonly { readonly id: number; readonly projectId: number }[] {
  return eventsAfter(store, id, limit);
}

/** Returns those of the given events of a project that the caller can see now, by the same rules as the project feed. */
export function visibleActivity(
  { store }: Core,
  found: FoundProject,
  caller: Caller,
  ids: readonly number[],
): ReadonlySet<number> {
  return shownEvents(store, feedOfProject(found, caller), ids);
}

/**
 * Returns the events of a change (docs/interface.md#activity-events). Edits and system notes have none. Events of the project itself, such as
 * joining it, have no target.
 */
function eventsOf(core: Core, change: Change): Omit<NewEvent, 'at'>[] {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- most changes are not in feeds
  switch (change.kind) {
    case 'projectCreated':
      return [projectEvent(change.projectId, change.authorId, actionNumbers.created)];
    case 'memberJoined':
      return [projectEvent(change.projectId, change.userId, actionNumbers.joined)];
    case 'memberLeft':
      return [projectEvent(change.projectId, change.userId, actionNumbers.left)];
    case 'memberExpired':
      return [projectEvent(change.projectId, change.userId, actionNumbers.expired)];
    case 'issueOpened':
      return [issueEvent(change.issue, change.authorId, actionNumbers.created)];
    case 'issueClosed':
      return [issueEvent(change.issue, change.authorId, actionNumbers.closed)];
    case 'issueReopened':
      return [issueEvent(change.issue, change.authorId, actionNumbers.reopened)];
    case 'mergeRequestOpened':
      return [mergeRequestEvent(change.mergeRequest, change.authorId, actionNumbers.created)];
    case 'mergeRequestClosed':
      return [mergeRequestEvent(change.mergeRequest, change.authorId, actionNumbers.closed)];
    case 'mergeRequestReopened':
      return [mergeRequestEvent(change.mergeRequest, change.authorId, actionNumbers.reopened)];
    case 'mergeRequestMerged':
      return [mergeRequestEvent(change.mergeRequest, change.authorId, actionNumbers.merged)];
    case 'mergeRequestApproved':
      return [mergeRequestEvent(change.mergeRequest, change.authorId, actionNumbers.approved)];
    case 'noteCreated':
      return change.note.system ? [] : noteEvents(change);
    case 'milestoneOpened':
      return [milestoneEvent(change.milestone, change.authorId, actionNumbers.created)];
    case 'milestoneClosed':
      return [milestoneEvent(change.milestone, change.authorId, actionNumbers.closed)];
    case 'milestoneReopened':
      return [milestoneEvent(change.milestone, change.authorId, actionNumbers.reopened)];
    case 'milestoneDestroyed':
      return [milestoneEvent(change.milestone, change.authorId, actionNumbers.destroyed)];
    case 'refsPushed':
      return pushPayloads(change.refs, settingNumber(core, 'push_event_activities_limit')).map((payload) => ({
        projectId: change.projectId,
        authorId: change.authorId,
        action: actionNumbers.pushed,
        audience: audienceOf('code', {}),
        push: payload,
      }));
    default:
      return [];
  }
}

function projectEvent(projectId: number, authorId: number, action: number): Omit<NewEvent, 'at'> {
  return { projectId, authorId, action, audience: audienceOf('project', {}) };
}

function issueEvent(issue: ChangeOf<'issueOpened'>['issue'], authorId: number, action: number): Omit<NewEvent, 'at'> {
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

function milestoneEvent(
  milestone: ChangeOf<'milestoneOpened'>['milestone'],
  authorId: number,
  action: number,
): Omit<NewEvent, 'at'> {
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

function mergeRequestEvent(
  mergeRequest: ChangeOf<'mergeRequestOpened'>['mergeRequest'],
  authorId: number,
  action: number,
): Omit<NewEvent, 'at'> {
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

/** Returns the event of a comment, except on epics. Its target is the comment, whose ID is also used as number; the title is that of the commented resource. */
function noteEvents({ note, on, authorId }: ChangeOf<'noteCreated'>): Omit<NewEvent, 'at'>[] {
  const event = (commented: { readonly projectId: number; readonly title: string }) => ({
    projectId: commented.projectId,
    authorId,
    action: actionNumbers.commented,
    targetType: note.type,
    targetId: note.id,
    targetIid: note.id,
    targetTitle: commented.title,
    noteId: note.id,
  });
  switch (on.type) {
    case 'Issue': {
      const audience = audienceOf('issues', { confidential: on.issue.confidential, internal: note.internal });
      return [{ ...event(on.issue), issueId: on.issue.id, audience }];
    }
    case 'MergeRequest': {
      const audience = audienceOf('mergeRequests', { internal: note.internal });
      return [{ ...event(on.mergeRequest), mergeRequestId: on.mergeRequest.id, audience }];
    }
    case 'Snippet':
      return [{ ...event(on.snippet), audience: snippetAudience(on.snippet.visibility) }];
    case 'Commit':
      return [{ ...event(on.commit), audience: audienceOf('code', {}) }];
    case 'Epic':
      return [];
  }
}

/** Schedules the deletion of events past their retention period. */
export function scheduleEventRetention(core: Core): void {
  const { store, schedule } = core;
  schedule.add(
    retentionWork({
      name: 'events past their retention',
      period: STORED_FOR,
      oldest: () => oldestEvent(store),
      deleteUntil: (time) => deleteEventsBefore(store, time, SLICE) === SLICE,
    }),
  );
}

/** Activity feeds, and the pages of users and of the activity of projects. */
export const activity: Feature = {
  routes: activityRoutes,
  pages: personPages,
  subscribe: recordActivity,
  start: scheduleEventRetention,
};
