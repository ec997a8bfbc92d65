import type { After } from '../notificationSettings/notificationSettings.ts';
import type { FeatureAccess, Visibility } from '../abilities/abilities.ts';
import type { Store } from '../../store/open.ts';
import { subscriptionsAfter } from '../subscriptions/subscriptions.ts';

// Who may have to be mailed about an event, read a page of users at a time, each page in the order of their IDs.

/** Users that were found, and how far all users are known: up to this ID, or null if there are no more. */
export interface UserPage {
  readonly ids: readonly number[];
  readonly knownTo: number | null;
}

interface IdRow {
  readonly id: number;
}

const idsOf = (rows: readonly IdRow[]): number[] => rows.map(({ id }) => id);

/** Returns a page of a list that has no others than the wanted users. */
export function pageOf(ids: readonly number[], limit: number): UserPage {
  return { ids, knownTo: ids.length < limit ? null : (ids.at(-1) ?? null) };
}

/** Returns a page of a list with users who are not wanted: all rows count for how far it is known. */
function filteredPage(rows: readonly (IdRow & { readonly wanted: 0 | 1 })[], limit: number): UserPage {
  return { ...pageOf(idsOf(rows), limit), ids: idsOf(rows.filter(({ wanted }) => wanted === 1)) };
}

/** Returns users who subscribed to a resource explicitly. */
export function subscribersPage(store: Store, type: string, targetId: number, page: After): UserPage {
  const rows = subscriptionsAfter(store, type, targetId, page);
  return filteredPage(
    rows.map(({ user_id: id, subscribed: wanted }) => ({ id, wanted })),
    page.limit,
  );
}

/** Returns members of a project with an access level, direct or inherited. */
export function memberPage(store: Store, projectId: number, minLevel: number, { after, limit }: After): UserPage {
  const rows = store.all<IdRow & { readonly wanted: 0 | 1 }>(
    `SELECT user_id AS id, access_level >= $minLevel AS wanted FROM project_access_view
     WHERE project_id = $projectId AND user_id > $after ORDER BY user_id LIMIT $limit`,
    { projectId, minLevel, after, limit },
  );
  return filteredPage(rows, limit);
}

export interface ContainerRow {
  readonly id: number;
  readonly visibility: Visibility;
  readonly full_path: string;
  readonly namespace_id: number;
  /** Enabled for groups. */
  readonly issues_access: FeatureAccess;
}

export function projectContainer(store: Store, id: number): ContainerRow | undefined {
  return store.get('SELECT id, visibility, full_path, namespace_id, issues_access FROM projects_view WHERE id = $id', { id });
}

export function groupContainer(store: Store, id: number): ContainerRow | undefined {
  return store.get(
    `SELECT id, visibility, full_path, id AS namespace_id, 'enabled' AS issues_access FROM namespaces_view
     WHERE id = $id AND kind = 'group'`,
    { id },
  );
}

/** The columns of an issue, merge request, epic, snippet or commit that determine roles. */
export interface ThreadRow {
  /** Null for a commit whose author has no account. */
  readonly author_id: number | null;
  readonly title: string;
  readonly description: string | null;
  readonly confidential: 0 | 1;
  /** Null except for snippets. */
  readonly visibility: Visibility | null;
}

const threads = {
  Issue: 'SELECT author_id, title, description, confidential, NULL AS visibility FROM issues_view WHERE id = $id',
  MergeRequest:
    'SELECT author_id, title, description, 0 AS confidential, NULL AS visibility FROM merge_requests_view WHERE id = $id',
} as const;

/** Returns an issue or merge request. */
export function threadRow(store: Store, type: keyof typeof threads, id: number): ThreadRow | undefined {
  return store.get<ThreadRow>(threads[type], { id });
}

export function issueAssigneeIds(store: Store, id: number): number[] {
  return idsOf(store.all<IdRow>('SELECT user_id AS id FROM issue_assignees_view WHERE issue_id = $id', { id }));
}

export function mergeRequestAssigneeIds(store: Store, id: number): number[] {
  return idsOf(store.all<IdRow>('SELECT user_id AS id FROM merge_request_assignees_view WHERE merge_request_id = $id', { id }));
}

export function mergeRequestReviewerIds(store: Store, id: number): number[] {
  return idsOf(store.all<IdRow>('SELECT user_id AS id FROM merge_request_reviewers_view WHERE merge_request_id = $id', { id }));
}

export function commenterIds(store: Store, type: string, id: number): number[] {
  return idsOf(
    store.all<IdRow>(
      // Jumps from author to author in the index, because a thread has many more comments than authors.
      `WITH RECURSIVE commenters (id) AS (
         SELECT min(author_id) FROM notes_view WHERE noteable_type = $type AND noteable_id = $id AND system = 0
         UNION ALL
         SELECT (SELECT min(author_id) FROM notes_view
             WHERE noteable_type = $type AND noteable_id = $id AND system = 0 AND author_id > commenters.id)
           FROM commenters WHERE commenters.id IS NOT NULL)
       SELECT id FROM commenters WHERE id IS NOT NULL`,
      { type, id },
    ),
  );
}

/** Returns the newest comments of a thread that may mention somebody. */
export function bodiesWithMentions(store: Store, type: string, id: number, limit: number): string[] {
  return store
    .all<{ readonly body: string }>(
      `SELECT body FROM notes_view WHERE noteable_type = $type AND noteable_id = $id AND system = 0 AND instr(body, '@') > 0
       ORDER BY id DESC LIMIT $limit`,
      { type, id, limit },
    )
    .map(({ body }) => body);
}

export function noteBody(store: Store, id: number): { readonly body: string; readonly internal: 0 | 1 } | undefined {
  return store.get('SELECT body, internal FROM notes_view WHERE id = $id', { id });
}

export interface RecipientRow {
  readonly id: number;
  readonly email: string;
  readonly state: string;
  readonly admin: 0 | 1;
  readonly external: 0 | 1;
  readonly is_ghost: 0 | 1;
}

export function recipientRows(store: Store, ids: readonly number[]): RecipientRow[] {
  return store.all(
    'SELECT id, email, state, admin, external, is_ghost FROM users_view WHERE id IN (SELECT value FROM json_each($ids)) ORDER BY id',
    {
      ids: JSON.stringify(ids),
    },
  );
}

export interface LevelRow {
  readonly user_id: number;
  readonly level: number;
}

export function projectLevels(store: Store, projectId: number, ids: readonly number[]): LevelRow[] {
  return store.all(
    `SELECT user_id, access_level AS level FROM project_access_view
     WHERE project_id = $projectId AND user_id IN (SELECT value FROM json_each($ids))`,
    { projectId, ids: JSON.stringify(ids) },
  );
}

export function groupLevels(store: Store, groupId: number, ids: readonly number[]): LevelRow[] {
  return store.all(
    `SELECT m.user_id, max(m.access_level) AS level FROM namespace_ancestors_view a CROSS JOIN group_members_view m ON m.group_id = a.ancestor_id
     WHERE a.namespace_id = $groupId AND m.user_id IN (SELECT value FROM json_each($ids)) GROUP BY m.user_id`,
    { groupId, ids: JSON.stringify(ids) },
  );
}

/** Returns those users who are members of a group or project inside a group, and therefore see the group. */
export function membersInside(store: Store, groupId: number, ids: readonly number[]): number[] {
  return idsOf(
    store.all<IdRow>(
      `SELECT m.user_id AS id FROM group_members_view m JOIN namespace_ancestors_view a ON a.namespace_id = m.group_id AND a.ancestor_id = $groupId
       WHERE m.user_id IN (SELECT value FROM json_each($ids))
       UNION
       SELECT m.user_id FROM project_access_view m JOIN projects_view p ON p.id = m.project_id
         JOIN namespace_ancestors_view a ON a.namespace_id = p.namespace_id AND a.ancestor_id = $groupId
       WHERE m.user_id IN (SELECT value FROM json_each($ids))`,
      { groupId, ids: JSON.stringify(ids) },
    ),
  );
}

/** Returns those users who were mailed about an earlier event of the same target. */
export function mailedBefore(
  store: Store,
  earlier: { readonly event: string; readonly targetType: string; readonly targetId: number; readonly beforeId: number },
  ids: readonly number[],
): number[] {
  return idsOf(
    store.all<IdRow>(
      `SELECT DISTINCT d.user_id AS id FROM notification_events e CROSS JOIN notification_decisions d ON d.event_id = e.id
       WHERE e.target_type = $targetType AND e.target_id = $targetId AND e.event = $event AND e.id < $beforeId
         AND d.mailed = 1 AND d.user_id IN (SELECT value FROM json_each($ids))`,
      { ...earlier, ids: JSON.stringify(ids) },
    ),
  );
}

export function userIdsByName(store: Store, names: readonly string[]): number[] {
  return idsOf(
    store.all<IdRow>('SELECT id FROM users_view WHERE username IN (SELECT value FROM json_each($names))', {
      names: JSON.stringify(names),
    }),
  );
}

/** Returns the direct members of groups, by their full paths, and the members of a project (0 for none). */
export function groupMemberIds(store: Store, paths: readonly string[], projectId: number): number[] {
  return idsOf(
    store.all<IdRow>(
      `SELECT m.user_id AS id FROM namespaces_view n JOIN group_members_view m ON m.group_id = n.id
       WHERE n.kind = 'group' AND n.full_path IN (SELECT value FROM json_each($paths))
       UNION SELECT user_id FROM project_access_view WHERE project_id = $projectId`,
      { paths: JSON.stringify(paths), projectId },
    ),
  );
}
