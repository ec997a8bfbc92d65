import type { NotificationEvent } from '../../../src/contract/notifications.ts';

export const targetTypes = ['Issue', 'MergeRequest', 'Epic', 'Snippet', 'Commit', 'Pipeline', 'Release', 'Project'] as const;

export type TargetType = (typeof targetTypes)[number];

/** The data besides the target that decides about recipients and mails, as it was when the event happened. */
export interface EventDetails {
  /** The comment of `new_note`. */
  readonly noteId?: number;
  /** Assignees or reviewers before a change. */
  readonly previousIds?: readonly number[];
  /** Users whom an edit of the description mentions for the first time. Only they are candidates then. */
  readonly newlyMentionedIds?: readonly number[];
  /** True if auto-merge merged, so that the user who enabled it is mailed as well. */
  readonly wasAutoMerged?: boolean;
  /** Commits of a push to a merge request: their number, and ID and title of at most 20, newest first. */
  readonly commitCount?: number;
  readonly commits?: readonly { readonly id: string; readonly title: string }[];
  /** Full path of a project before it was moved. */
  readonly formerPath?: string;
}

/** Something that happened and that users may have to be mailed about. */
export interface NewNotificationEvent {
  readonly event: NotificationEvent;
  /** The user who caused it. Null for due issues and pipelines, and if no request caused it. */
  readonly actorId: number | null;
  readonly projectId: number | null;
  /** Set for epics, which belong to a group. */
  readonly groupId: number | null;
  readonly targetType: TargetType;
  readonly targetId: number;
  readonly details: EventDetails;
}

export interface RecordedEvent extends NewNotificationEvent {
  readonly id: number;
  /** In milliseconds since the epoch. */
  readonly createdAt: number;
}
