import type { Change, ChangeOf, TextEdit } from '../../core/changes.ts';
import { isAvailable } from '../../core/profile.ts';
import type { NotificationEvent } from '../../../src/contract/notifications.ts';
import type { Core } from '../../core/core.ts';
import { approversOf } from '../approvalRules/approvalRules.ts';
import type { ChangedEpic } from '../epics/epics.ts';
import type { ChangedIssue } from '../issues/issues.ts';
import type { ChangedMergeRequest } from '../mergeRequests/mergeRequests.ts';
import type { EventDetails, NewNotificationEvent } from './event.ts';
import { mentionedIds } from './mentions.ts';
import { recordEvent } from './work.ts';

/** Records the events that follow from changes, in the transaction of the change (docs/interface.md#notification-mail). */
export function recordNotifications(core: Core): void {
  core.changes.subscribe((change) => {
    for (const event of eventsOf(core, change)) recordEvent(core, event);
  });
}

type Target = Pick<NewNotificationEvent, 'projectId' | 'groupId' | 'targetType' | 'targetId'>;

function eventsOf(core: Core, change: Change): readonly NewNotificationEvent[] {
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- nobody is mailed about most changes
  switch (change.kind) {
    case 'issueOpened':
      return [eventAt('new_issue', change.authorId, issueTarget(change.issue))];
    case 'issueClosed':
      return [eventAt('close_issue', change.authorId, issueTarget(change.issue))];
    case 'issueReopened':
      return [eventAt('reopen_issue', change.authorId, issueTarget(change.issue))];
    case 'issueReassigned':
      return [eventAt('reassign_issue', change.authorId, issueTarget(change.issue), { previousIds: change.previousIds })];
    case 'issueEdited':
      return mentionsOf(core, 'new_issue', change, issueTarget(change.issue));
    case 'issueDue':
      return [eventAt('issue_due', null, issueTarget(change.issue))];
    case 'mergeRequestOpened': {
      const target = mergeRequestTarget(change.mergeRequest);
      const opened = eventAt('new_merge_request', change.authorId, target);
      return hasApprovers(core, change) ? [opened, eventAt('approver', change.authorId, target)] : [opened];
    }
    case 'mergeRequestClosed':
      return [eventAt('close_merge_request', change.authorId, mergeRequestTarget(change.mergeRequest))];
    case 'mergeRequestReopened':
      return [eventAt('reopen_merge_request', change.authorId, mergeRequestTarget(change.mergeRequest))];
    case 'mergeRequestMerged': {
      const details = change.wasAutoMerged ? { wasAutoMerged: true } : {};
      return [eventAt('merge_merge_request', change.authorId, mergeRequestTarget(change.mergeRequest), details)];
    }
    case 'mergeRequestReassigned':
    case 'mergeRequestReviewersChanged': {
      const event = change.kind === 'mergeRequestReassigned' ? 'reassign_merge_request' : 'change_reviewer_merge_request';
      const { previousIds } = change;
      return [eventAt(event, change.authorId, mergeRequestTarget(change.mergeRequest), { previousIds })];
    }
    case 'mergeRequestEdited':
      return mentionsOf(core, 'new_merge_request', change, mergeRequestTarget(change.mergeRequest));
    case 'mergeRequestPushed': {
      const { commitCount, commits } = change;
      return [
        eventAt('push_to_merge_request', change.authorId, mergeRequestTarget(change.mergeRequest), { commitCount, commits }),
      ];
    }
    case 'autoMergeEnabled':
      return [eventAt('merge_when_pipeline_succeeds', change.authorId, mergeRequestTarget(change.mergeRequest))];
    case 'noteCreated':
      if (change.note.system) return [];
      return [eventAt('new_note', change.authorId, commentedTarget(change.on), { noteId: change.note.id })];
    case 'epicOpened':
      return hasEpics(core) ? [eventAt('new_epic', change.authorId, epicTarget(change.epic))] : [];
    case 'epicEdited':
      return !hasEpics(core) ? [] : mentionsOf(core, 'new_epic', change, epicTarget(change.epic));
    case 'pipelineFailed':
      return [eventAt('failed_pipeline', null, projectTarget(change.projectId, 'Pipeline', change.pipelineId))];
    case 'pipelineFixed':
      return [eventAt('fixed_pipeline', null, projectTarget(change.projectId, 'Pipeline', change.pipelineId))];
    case 'pipelineSucceeded':
      return [eventAt('success_pipeline', null, projectTarget(change.projectId, 'Pipeline', change.pipelineId))];
    case 'releasePublished':
      return [eventAt('new_release', change.authorId, projectTarget(change.projectId, 'Release', change.releaseId))];
    case 'projectMoved': {
      const { projectId, formerPath } = change;
      return [eventAt('moved_project', change.authorId, projectTarget(projectId, 'Project', projectId), { formerPath })];
    }
    default:
      return [];
  }
}

/** Returns true if somebody besides the author can approve the new merge request by a rule. */
function hasApprovers(
  core: Core,
  { mergeRequest, authorId }: { readonly mergeRequest: ChangedMergeRequest; readonly authorId: number },
): boolean {
  if (!isAvailable({ addedIn: '16.7' }, core.profile)) return false;
  return approversOf(core, mergeRequest.projectId, 0, 2).some((id) => id !== authorId);
}

function hasEpics({ profile }: Core): boolean {
  return isAvailable({ tiers: ['premium', 'ultimate'] }, profile);
}

function eventAt(
  event: NotificationEvent,
  actorId: number | null,
  target: Target,
  details: EventDetails = {},
): NewNotificationEvent {
  return { event, actorId, ...target, details };
}

/** Returns the event of an edit that mentions users who were not mentioned before. */
function mentionsOf(
  core: Core,
  event: NotificationEvent,
  { edit: { before, after }, authorId }: { readonly edit: TextEdit; readonly authorId: number },
  target: Target,
): readonly NewNotificationEvent[] {
  const idsOf = ({ title, description }: TextEdit['before']): readonly number[] =>
    mentionedIds(core, [title, description], target.projectId);
  const known = new Set(idsOf(before));
  const newlyMentionedIds = idsOf(after).filter((id) => !known.has(id));
  return newlyMentionedIds.length === 0 ? [] : [eventAt(event, authorId, target, { newlyMentionedIds })];
}

function projectTarget(projectId: number, targetType: Target['targetType'], targetId: number): Target {
  return { projectId, groupId: null, targetType, targetId };
}

function issueTarget({ id, projectId }: ChangedIssue): Target {
  return projectTarget(projectId, 'Issue', id);
}

function mergeRequestTarget({ id, projectId }: ChangedMergeRequest): Target {
  return projectTarget(projectId, 'MergeRequest', id);
}

function epicTarget({ id, groupId }: ChangedEpic): Target {
  return { projectId: null, groupId, targetType: 'Epic', targetId: id };
}

function commentedTarget(on: ChangeOf<'noteCreated'>['on']): Target {
  switch (on.type) {
    case 'Issue':
      return issueTarget(on.issue);
    case 'MergeRequest':
      return mergeRequestTarget(on.mergeRequest);
    case 'Epic':
      return epicTarget(on.epic);
    case 'Snippet':
      return projectTarget(on.snippet.projectId, 'Snippet', on.snippet.id);
    case 'Commit':
      return projectTarget(on.commit.projectId, 'Commit', on.commit.id);
  }
}
