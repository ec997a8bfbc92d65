import {
  effectiveSetting,
  type NotificationEvent,
  type RecipientType,
  relationWithoutThread,
  type ScopedSetting,
} from '../../../src/contract/notifications.ts';
import { abilitiesOf, type Access, accessLevels, type FeatureAccess, isOpenTo, type Visibility } from '../abilities/abilities.ts';
import type { TargetType } from './event.ts';

// Who may have to be mailed about an event, and who can read it: docs/interface.md#notification-mail. Everything here is pure.

/** Why somebody is mailed (`X-GitLab-NotificationReason`), the most important first. */
export const notificationReasons = ['own_activity', 'assigned', 'review_requested', 'mentioned', 'subscribed'] as const;

export type NotificationReason = (typeof notificationReasons)[number];

/** One relation of a user to an event. */
export interface Candidacy {
  readonly type: RecipientType;
  readonly reason: NotificationReason | null;
}

/** Roles of a user in the target of an event, or in the event itself. */
export const roles = [
  'author',
  'assignee',
  'reviewer',
  'commenter',
  /** Mentioned in the description or in a comment. */
  'mentioned',
  /** Mentioned in the new comment, or in the description of a new issue or merge request. */
  'mentioned_here',
  /** Mentioned by an edit of the description for the first time. */
  'newly_mentioned',
  /** Assignee or reviewer until this event. */
  'previous',
  'label_subscriber',
  'pipeline_user',
  'approver',
] as const;

export type Role = (typeof roles)[number];

/** The attributes that determine who can read the target of an event. */
export interface TargetDetails {
  readonly type: TargetType;
  /** Null for personal snippets. */
  readonly container:
    | { readonly kind: 'project'; readonly visibility: Visibility; readonly issuesAccess: FeatureAccess }
    | { readonly kind: 'group'; readonly visibility: Visibility }
    | null;
  /** Confidential issues and epics. */
  readonly isConfidential: boolean;
  /** True if the new comment is an internal note. */
  readonly isInternal: boolean;
  /** Snippets only. */
  readonly visibility?: Visibility;
}

/** Everything that decides whether a user is mailed about an event. Stored with the decision. */
export interface RecipientDetails {
  readonly event: NotificationEvent;
  readonly target: TargetDetails;
  /** True if the event is an edit, which concerns only those whom it mentions for the first time. */
  readonly isEdit: boolean;
  /** True if auto-merge merged. */
  readonly wasAutoMerged: boolean;
  readonly isActor: boolean;
  /** True if the user wants to be notified of what they do themselves. */
  readonly ownActivity: boolean;
  readonly isActive: boolean;
  readonly roles: readonly Role[];
  /** True or false if the user subscribed to the thread or unsubscribed from it explicitly. */
  readonly subscribed: boolean | null;
  /** True if the user was already mailed about the creation of the same merge request. */
  readonly wasMailed: boolean;
  readonly access: Omit<Access, 'isSignedIn'> & {
    /** True if the user belongs to something inside a private group or around it, and therefore sees the group. */
    readonly isRelated: boolean;
  };
  readonly settings: readonly [...ScopedSetting[], ScopedSetting];
}

const participantRoles: readonly Role[] = ['author', 'assignee', 'reviewer', 'commenter', 'mentioned', 'mentioned_here'];

/** Returns how a user is related to an event; empty for users who are no candidates. */
export function candidaciesOf(details: RecipientDetails): readonly Candidacy[] {
  const type = relationWithoutThread[details.event];
  if (type !== undefined) return isConcerned(details) ? [{ type, reason: null }] : [];
  if (details.isEdit && !details.roles.includes('newly_mentioned')) return [];
  return [...ofThread(details), ...ofEvent(details), ...ofSubscription(details)];
}

/** Returns true if the user is a candidate of an event without a thread. */
function isConcerned({ event, roles, access }: RecipientDetails): boolean {
  if (event === 'new_release') return access.level >= accessLevels.guest;
  if (event === 'moved_project') return access.level >= accessLevels.maintainer;
  return roles.includes(event === 'approver' ? 'approver' : 'pipeline_user');
}

/** Returns the candidacies that all events of threads have: participants, and those who watch the project or group or selected events. */
function ofThread({ roles, settings, access }: RecipientDetails): Candidacy[] {
  const candidacies: Candidacy[] = [];
  if (roles.some((role) => participantRoles.includes(role))) candidacies.push({ type: 'participating', reason: null });
  const { level, scope } = effectiveSetting(settings);
  // A global level applies to the projects and groups of a member only.
  const applies = scope.kind !== 'global' || access.level >= accessLevels.guest;
  if (applies && (level === 'watch' || level === 'custom')) candidacies.push({ type: level, reason: null });
  return candidacies;
}

/** Returns the candidacies that only some events of threads have. */
function ofEvent({ event, roles }: RecipientDetails): Candidacy[] {
  const is = (role: Role, type: RecipientType, reason: NotificationReason | null): Candidacy[] =>
    roles.includes(role) ? [{ type, reason }] : [];
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- most events have none
  switch (event) {
    case 'new_issue':
    case 'new_merge_request':
      return [
        ...is(roles.includes('newly_mentioned') ? 'newly_mentioned' : 'mentioned_here', 'mention', 'mentioned'),
        ...is('assignee', 'participating', 'assigned'),
        ...is('label_subscriber', 'subscription', 'subscribed'),
      ];
    case 'new_note':
      return is('mentioned_here', 'mention', 'mentioned');
    case 'reassign_issue':
    case 'reassign_merge_request':
      return [...is('previous', 'mention', null), ...is('assignee', 'mention', 'assigned')];
    case 'change_reviewer_merge_request':
      return [...is('previous', 'mention', null), ...is('reviewer', 'mention', 'review_requested')];
    default:
      return [];
  }
}

function ofSubscription({ subscribed }: RecipientDetails): Candidacy[] {
  return subscribed === true ? [{ type: 'subscription', reason: 'subscribed' }] : [];
}

/** Events that are mailed to the user who caused them, too. */
const mailedToActor: ReadonlySet<NotificationEvent> = new Set([
  'issue_due',
  'failed_pipeline',
  'fixed_pipeline',
  'success_pipeline',
  'moved_project',
]);

/** Returns true if the event is mailed to the user who caused it, too. A merge is if auto-merge did it. */
export function isMailedToActor({ event, wasAutoMerged }: Pick<RecipientDetails, 'event' | 'wasAutoMerged'>): boolean {
  return mailedToActor.has(event) || (event === 'merge_merge_request' && wasAutoMerged);
}

/** The part that a user cannot read. */
export type Obstacle = 'project' | 'group' | 'issues' | 'merge_requests' | 'code' | 'confidential' | 'internal' | 'snippet';

/** Returns what keeps a user from reading the target of an event, or undefined if they can read it. */
export function obstacleOf({ target, access, roles }: RecipientDetails): Obstacle | undefined {
  const { container } = target;
  const viewer: Access = { ...access, isSignedIn: true };
  const isReporter = access.isAdministrator || access.level >= accessLevels.reporter;
  const isAuthor = roles.includes('author');
  if (container === null) return isAuthor || access.isAdministrator || isSnippetOpen(target, viewer) ? undefined : 'snippet';
  if (container.kind === 'group') {
    if (!access.isAdministrator && !access.isRelated && access.level === 0 && !isOpenTo(container, viewer)) return 'group';
    if (target.isConfidential && !isReporter) return 'confidential';
    return target.isInternal && !isReporter ? 'internal' : undefined;
  }
  const can = abilitiesOf({ visibility: container.visibility, issues_access: container.issuesAccess, archived: 0 }, viewer);
  if (!can.readProject) return 'project';
  if (target.type === 'Issue') {
    if (!can.readIssues) return 'issues';
    if (target.isConfidential && !isReporter && !isAuthor && !roles.includes('assignee')) return 'confidential';
  }
  if (target.type === 'MergeRequest' && !can.readMergeRequests) return 'merge_requests';
  if (target.type === 'Commit' && !can.readCode) return 'code';
  if (target.type === 'Snippet' && !isAuthor && !can.readPrivateSnippets && !isSnippetOpen(target, viewer)) return 'snippet';
  return target.isInternal && !isReporter ? 'internal' : undefined;
}

function isSnippetOpen({ visibility = 'private' }: TargetDetails, viewer: Access): boolean {
  return isOpenTo({ visibility }, viewer);
}
