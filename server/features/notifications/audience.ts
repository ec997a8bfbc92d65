import type { NotificationLevel, SettingScope } from '../../../src/contract/notifications.ts';
import type { Core } from '../../core/core.ts';
import { accessLevels } from '../abilities/abilities.ts';
import type { Store } from '../../store/open.ts';
import { approversOf } from '../approvalRules/approvalRules.ts';
import { commentedCommitById } from '../commitComments/commitComments.ts';
import { epicById } from '../epics/epics.ts';
import { linkedLabelIds } from '../labels/labels.ts';
import { findPipelines } from '../pipelines/pipelines.ts';
import { releaseById } from '../releases/releases.ts';
import { snippetById } from '../snippets/snippets.ts';
import { subscriptionRows } from '../subscriptions/subscriptions.ts';
import {
  bodiesWithMentions,
  commenterIds,
  type ContainerRow,
  groupContainer,
  groupLevels,
  issueAssigneeIds,
  type LevelRow,
  mailedBefore,
  memberPage,
  membersInside,
  mergeRequestAssigneeIds,
  mergeRequestReviewerIds,
  noteBody,
  pageOf,
  projectContainer,
  projectLevels,
  type RecipientRow,
  recipientRows,
  subscribersPage,
  threadRow,
  type ThreadRow,
  type UserPage,
} from './audienceStore.ts';
import type { RecipientDetails, Role, TargetDetails } from './candidates.ts';
import type { RecordedEvent } from './event.ts';
import { mentionedIds } from './mentions.ts';
import { type After, settingsIn, usersWithLevel } from '../notificationSettings/notificationSettings.ts';
import { scopesAround } from './settings/scopes.ts';

/** Number of comments, the newest with an `@`, whose mentions count. */
const MAX_BODIES = 1000;
/** Number of users that one query looks at. */
const PAGE = 500;

/** A user who may have to be mailed about an event. */
export interface Candidate {
  readonly userId: number;
  /** Address that mails are sent to. */
  readonly address: string;
  readonly details: RecipientDetails;
}

/** The data that decides about recipients besides the users themselves. */
export interface Audience {
  readonly target: TargetDetails;
  /** Project or group of the target; undefined for personal snippets. */
  readonly container: ContainerRow | undefined;
  /** Users by their role, without approvers and subscribers of labels. */
  readonly roles: ReadonlyMap<Role, ReadonlySet<number>>;
  /** Labels whose subscribers are candidates. */
  readonly labelIds: readonly number[];
}

/** Returns what recipients of an event depend on, or undefined if its target no longer exists. */
export function audienceOf(core: Core, event: RecordedEvent): Audience | undefined {
  const { store } = core;
  const { projectId, groupId, targetType, targetId } = event;
  const project = projectId === null ? undefined : projectContainer(store, projectId);
  const container = project ?? (groupId === null ? undefined : groupContainer(store, groupId));
  if (container === undefined && (projectId !== null || groupId !== null)) return undefined;
  const shared = {
    type: targetType,
    container:
      container === undefined
        ? null
        : project === undefined
          ? ({ kind: 'group', visibility: container.visibility } as const)
          : ({ kind: 'project', visibility: project.visibility, issuesAccess: project.issues_access } as const),
    isConfidential: false,
    isInternal: false,
  };
  switch (targetType) {
    case 'Project':
      return { target: shared, container, roles: new Map(), labelIds: [] };
    case 'Release':
      return releaseById(store, targetId) !== undefined
        ? { target: shared, container, roles: new Map(), labelIds: [] }
        : undefined;
    case 'Pipeline': {
      const pipeline = findPipelines(core, [targetId]).get(targetId);
      if (pipeline === undefined) return undefined;
      const users = pipeline.user_id === null ? [] : [pipeline.user_id];
      return { target: shared, container, roles: new Map([['pipeline_user', new Set(users)]]), labelIds: [] };
    }
    case 'Issue':
    case 'MergeRequest':
    case 'Epic':
    case 'Snippet':
    case 'Commit':
      return threadAudience(core, event, targetType, { target: shared, container });
  }
}

function threadAudience(
  core: Core,
  { event, targetId, projectId, details }: RecordedEvent,
  type: ThreadType,
  { target, container }: Pick<Audience, 'target' | 'container'>,
): Audience | undefined {
  const { store } = core;
  const thread = findThread(store, type, targetId);
  if (thread === undefined) return undefined;
  const note = details.noteId === undefined ? undefined : noteBody(store, details.noteId);
  if (details.noteId !== undefined && note === undefined) return undefined;
  const isNew = event === 'new_issue' || event === 'new_merge_request';
  const mentioned = (texts: readonly (string | null)[]): ReadonlySet<number> => new Set(mentionedIds(core, texts, projectId));
  const roles = new Map<Role, ReadonlySet<number>>([
    ['author', new Set(thread.author_id === null ? [] : [thread.author_id])],
    ['assignee', new Set(assigneeIds(store, type, targetId))],
    ['reviewer', new Set(type === 'MergeRequest' ? mergeRequestReviewerIds(store, targetId) : [])],
    ['commenter', new Set(commenterIds(store, type, targetId))],
    ['mentioned', mentioned([thread.title, thread.description, ...bodiesWithMentions(store, type, targetId, MAX_BODIES)])],
    ['mentioned_here', mentioned(note === undefined ? (isNew ? [thread.title, thread.description] : []) : [note.body])],
    ['newly_mentioned', new Set(details.newlyMentionedIds)],
    ['previous', new Set(details.previousIds)],
  ]);
  return {
    target: {
      ...target,
      isConfidential: thread.confidential === 1,
      isInternal: note?.internal === 1,
      ...(thread.visibility === null ? {} : { visibility: thread.visibility }),
    },
    container,
    roles,
    labelIds: isNew && details.newlyMentionedIds === undefined ? linkedLabelIds(store, type, targetId) : [],
  };
}

type ThreadType = 'Issue' | 'MergeRequest' | 'Epic' | 'Snippet' | 'Commit';

function findThread(store: Store, type: ThreadType, id: number): ThreadRow | undefined {
  switch (type) {
    case 'Issue':
    case 'MergeRequest':
      return threadRow(store, type, id);
    case 'Epic': {
      const epic = epicById(store, id);
      return epic && { ...epic, visibility: null };
    }
    case 'Snippet': {
      const snippet = snippetById(store, id);
      return snippet && { ...snippet, confidential: 0 };
    }
    case 'Commit': {
      const commit = commentedCommitById(store, id);
      return commit && { ...commit, description: commit.message, confidential: 0, visibility: null };
    }
  }
}

function assigneeIds(store: Store, type: ThreadType, id: number): readonly number[] {
  if (type === 'Issue') return issueAssigneeIds(store, id);
  return type === 'MergeRequest' ? mergeRequestAssigneeIds(store, id) : [];
}

export interface CandidatePage {
  readonly candidates: readonly Candidate[];
  /** All candidates up to this ID have been returned. Null if there are no more. */
  readonly knownTo: number | null;
}

/** Returns the next users who may be candidates, in the order of their IDs after a given ID: about `limit` of them, or fewer. */
export function candidatesAfter(core: Core, event: RecordedEvent, audience: Audience, { after, limit }: After): CandidatePage {
  const pages = pagesAfter(core, event, audience, { after, limit: PAGE });
  const ends = pages.flatMap(({ knownTo }) => (knownTo === null ? [] : [knownTo]));
  const end = ends.length === 0 ? null : Math.min(...ends);
  const ids = [...new Set(pages.flatMap((page) => page.ids))].filter((id) => end === null || id <= end).sort((a, b) => a - b);
  const taken = ids.slice(0, limit);
  const last = taken.at(-1);
  return {
    candidates: candidatesAmong(core, event, audience, taken),
    knownTo: taken.length < ids.length && last !== undefined ? last : end,
  };
}

/** Levels at which users are candidates without taking part. */
const watchfulLevels: readonly NotificationLevel[] = ['watch', 'custom'];

/** Returns a page of each kind of users who may be candidates. */
function pagesAfter(core: Core, event: RecordedEvent, audience: Audience, at: After): UserPage[] {
  const { store } = core;
  const { projectId, details } = event;
  const { roles, container } = audience;
  // oxlint-disable-next-line typescript/switch-exhaustiveness-check -- all others have threads
  switch (event.event) {
    case 'failed_pipeline':
    case 'fixed_pipeline':
    case 'success_pipeline':
      return [rolePage(roles, ['pipeline_user'], at)];
    case 'new_release':
      return projectId === null ? [] : [memberPage(store, projectId, accessLevels.guest, at)];
    case 'moved_project':
      return projectId === null ? [] : [memberPage(store, projectId, accessLevels.maintainer, at)];
    case 'approver':
      return projectId === null ? [] : [approverPage(core, projectId, at)];
    default:
      if (details.newlyMentionedIds !== undefined) return [rolePage(roles, ['newly_mentioned'], at)];
      return [
        rolePage(roles, [...roles.keys()], at),
        subscribersPage(store, event.targetType, event.targetId, at),
        ...audience.labelIds.map((id) => subscribersPage(store, 'Label', id, at)),
        ...levelPages(core, event, container, at),
      ];
  }
}

function approverPage(core: Core, projectId: number, { after, limit }: After): UserPage {
  return pageOf(approversOf(core, projectId, after, limit), limit);
}

/** Returns those users who can approve merge requests of others. */
function approversAmong(core: Core, projectId: number, ids: readonly number[]): ReadonlySet<number> {
  const approvers = new Set<number>();
  const last = Math.max(...ids);
  let at: number | null = Math.min(...ids) - 1;
  while (at !== null && at < last) {
    const page = approverPage(core, projectId, { after: at, limit: ids.length });
    for (const id of page.ids) approvers.add(id);
    at = page.knownTo;
  }
  return approvers;
}

function rolePage(roles: Audience['roles'], wanted: readonly Role[], { after }: After): UserPage {
  const ids = wanted.flatMap((role) => [...(roles.get(role) ?? [])]).filter((id) => id > after);
  return { ids, knownTo: null };
}

/** Returns users with one of the watchful levels: in the project, in a group around it, or globally as members. */
function levelPages(core: Core, event: RecordedEvent, container: ContainerRow | undefined, at: After): UserPage[] {
  if (container === undefined) return [];
  const scopes = scopesOf(core, event, container);
  return watchfulLevels.flatMap((level) => {
    const everywhere = usersWithLevel(core, { kind: 'global' }, level, at);
    const members = new Set(memberLevels(core.store, event, container, everywhere).map((row) => row.user_id));
    return [
      { ...pageOf(everywhere, at.limit), ids: everywhere.filter((id) => members.has(id)) },
      ...scopes.map((scope) => pageOf(usersWithLevel(core, scope, level, at), at.limit)),
    ];
  });
}

/** Returns what of the project or group of an event, and of the groups around it, users can set levels for. */
function scopesOf(core: Core, { projectId }: RecordedEvent, container: ContainerRow | undefined): readonly SettingScope[] {
  return scopesAround(core, {
    kind: projectId === null ? 'group' : 'project',
    id: container?.id ?? 0,
    path: container?.full_path ?? '',
    // Personal snippets are in no group.
    namespaceId: container?.namespace_id ?? 0,
  });
}

/** Returns the access levels of members, direct or inherited, of the project or group of an event among some users. */
function memberLevels(store: Store, { projectId }: RecordedEvent, { id }: ContainerRow, userIds: readonly number[]): LevelRow[] {
  return projectId === null ? groupLevels(store, id, userIds) : projectLevels(store, projectId, userIds);
}

/** Returns the users with these IDs, whether they are candidates or not, in the order of their IDs. */
export function candidatesAmong(
  core: Core,
  event: RecordedEvent,
  audience: Audience,
  ids: readonly number[],
): readonly Candidate[] {
  if (ids.length === 0) return [];
  const { store } = core;
  const { target, container } = audience;
  const settings = settingsIn(core, scopesOf(core, event, container), ids);
  const access = accessOf(store, event, audience, ids);
  const subscribed = new Map(
    subscriptionRows(store, event.targetType, [event.targetId], ids).map((row) => [row.user_id, row.subscribed]),
  );
  const labelRows = audience.labelIds.length === 0 ? [] : subscriptionRows(store, 'Label', audience.labelIds, ids);
  const labelSubscribers = new Set(labelRows.filter((row) => row.subscribed === 1).map((row) => row.user_id));
  const mailed = new Set(event.event === 'approver' ? mailedBefore(store, openingOf(event), ids) : []);
  const approvers =
    event.event === 'approver' && event.projectId !== null ? approversAmong(core, event.projectId, ids) : new Set<number>();
  return recipientRows(store, ids).flatMap((user): Candidate[] => {
    const own = settings.get(user.id);
    if (own === undefined) return [];
    const userAccess = access(user);
    const roles = [
      ...[...audience.roles].filter(([, users]) => users.has(user.id)).map(([role]) => role),
      ...(labelSubscribers.has(user.id) ? (['label_subscriber'] as const) : []),
      ...(approvers.has(user.id) && audience.roles.get('author')?.has(user.id) !== true ? (['approver'] as const) : []),
    ];
    const subscription = subscribed.get(user.id);
    return [
      {
        userId: user.id,
        address: own.email ?? user.email,
        details: {
          event: event.event,
          target,
          isEdit: event.details.newlyMentionedIds !== undefined,
          wasAutoMerged: event.details.wasAutoMerged === true,
          isActor: event.actorId === user.id,
          ownActivity: own.ownActivity,
          isActive: user.state === 'active' && user.is_ghost === 0,
          roles,
          subscribed: subscription === undefined ? null : subscription === 1,
          wasMailed: mailed.has(user.id),
          access: userAccess,
          settings: own.chain,
        },
      },
    ];
  });
}

function openingOf({ id, targetType, targetId }: RecordedEvent) {
  // An event that has not happened yet comes after all others.
  return { event: 'new_merge_request', targetType, targetId, beforeId: id === 0 ? Number.MAX_SAFE_INTEGER : id };
}

function accessOf(
  store: Store,
  event: RecordedEvent,
  { container }: Audience,
  ids: readonly number[],
): (user: RecipientRow) => RecipientDetails['access'] {
  const isProject = event.projectId !== null;
  const rows = container === undefined ? [] : memberLevels(store, event, container, ids);
  const levels = new Map(rows.map((row) => [row.user_id, row.level]));
  const related = new Set(
    container === undefined || isProject || container.visibility === 'public' ? [] : membersInside(store, container.id, ids),
  );
  return ({ id, admin, external }) => ({
    isAdministrator: admin === 1,
    isExternal: external === 1,
    level: levels.get(id) ?? 0,
    isRelated: related.has(id),
  });
}
