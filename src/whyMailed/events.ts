import * as l10n from '@vscode/l10n';
import type { ActivityEvent } from '../contract/activity.ts';
import { type NotificationEvent, notificationEvents } from '../contract/notifications.ts';
import type { Thread } from './question.ts';

/** The kind of target of an event in a project, which also groups the events in lists. */
type EventTarget = 'thread' | 'issue' | 'mergeRequest' | 'pipeline' | 'project';

/** Returns what an event is about; undefined for events of groups. */
function targetOf(event: NotificationEvent): EventTarget | undefined {
  switch (event) {
    case 'new_note':
      return 'thread';
    case 'new_issue':
    case 'reopen_issue':
    case 'close_issue':
    case 'reassign_issue':
    case 'issue_due':
      return 'issue';
    case 'new_merge_request':
    case 'push_to_merge_request':
    case 'reopen_merge_request':
    case 'close_merge_request':
    case 'reassign_merge_request':
    case 'change_reviewer_merge_request':
    case 'merge_merge_request':
    case 'merge_when_pipeline_succeeds':
    case 'approver':
      return 'mergeRequest';
    case 'failed_pipeline':
    case 'fixed_pipeline':
    case 'success_pipeline':
      return 'pipeline';
    case 'new_release':
    case 'moved_project':
      return 'project';
    case 'new_epic':
      return undefined;
  }
}

/** Events with a heading. */
export interface EventGroup {
  readonly heading: string;
  readonly events: readonly NotificationEvent[];
}

/** Returns the events that can happen to a thread, or to a project and everything in it. */
export function eventGroups(thread: Thread | undefined): readonly EventGroup[] {
  const headings: readonly (readonly [EventTarget, string])[] = [
    ['thread', l10n.t('Comments')],
    ['issue', l10n.t('Issues')],
    ['mergeRequest', l10n.t('Merge requests')],
    ['pipeline', l10n.t('Pipelines')],
    ['project', l10n.t('Project')],
  ];
  const kind = thread === undefined ? undefined : thread.type === 'Issue' ? 'issue' : 'mergeRequest';
  return headings
    .filter(([target]) => kind === undefined || target === 'thread' || target === kind)
    .map(([target, heading]) => ({ heading, events: notificationEvents.filter((event) => targetOf(event) === target) }));
}

/** Returns the types of threads that an event may be about; empty for new threads and for events without one. */
export function threadTypesOf(event: NotificationEvent): readonly Thread['type'][] {
  const target = targetOf(event);
  if (event === 'new_issue' || event === 'new_merge_request' || target === undefined) return [];
  return threadTypes[target] ?? [];
}

const threadTypes: Readonly<Partial<Record<EventTarget, readonly Thread['type'][]>>> = {
  thread: ['Issue', 'MergeRequest'],
  issue: ['Issue'],
  mergeRequest: ['MergeRequest'],
};

/** Returns the notification event of an activity event; undefined if it has none. */
export function eventOfActivity({ note, action_name: action, target_type: type }: ActivityEvent): NotificationEvent | undefined {
  if (note !== null) return 'new_note';
  const isIssue = type === 'Issue' || type === 'WorkItem';
  if (!isIssue && type !== 'MergeRequest') return undefined;
  switch (action) {
    case 'opened':
      return isIssue ? 'new_issue' : 'new_merge_request';
    case 'closed':
      return isIssue ? 'close_issue' : 'close_merge_request';
    case 'reopened':
      return isIssue ? 'reopen_issue' : 'reopen_merge_request';
    case 'accepted':
      return 'merge_merge_request';
    default:
      return undefined;
  }
}
