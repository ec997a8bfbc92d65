import type { Store } from '../../../store/open.ts';
import { likePattern, likeSql } from '../../../store/sql.ts';

/** A group or project whose notifications somebody set, or the global settings. */
export type SettingKey =
  | { readonly kind: 'global' }
  | { readonly kind: 'group'; readonly id: number }
  | { readonly kind: 'project'; readonly id: number };

export interface SettingRow {
  readonly user_id: number;
  readonly group_id: number | null;
  readonly project_id: number | null;
  readonly level: number;
  /** JSON object of the switches that were set. */
  readonly switches: string;
  /** Global settings only; null stands for the primary address. */
  readonly email: string | null;
  readonly own_activity: 0 | 1;
}

const COLUMNS = 'user_id, group_id, project_id, level, switches, email, own_activity';

function idsOf(key: SettingKey): { readonly groupId: number | null; readonly projectId: number | null } {
  return { groupId: key.kind === 'group' ? key.id : null, projectId: key.kind === 'project' ? key.id : null };
}

export function settingRow(store: Store, userId: number, key: SettingKey): SettingRow | undefined {
  return store.get<SettingRow>(
    `SELECT ${COLUMNS} FROM notification_settings
     WHERE user_id = $userId AND ifnull(project_id, 0) = ifnull($projectId, 0) AND ifnull(group_id, 0) = ifnull($groupId, 0)`,
    { userId, ...idsOf(key) },
  );
}

export function writeSetting(
  store: Store,
  userId: number,
  key: SettingKey,
  values: Pick<SettingRow, 'level' | 'switches' | 'email' | 'own_activity'> & { readonly now: number },
): void {
  store.run(
    `INSERT INTO notification_settings (user_id, group_id, project_id, level, switches, email, own_activity, updated_at)
     VALUES ($userId, $groupId, $projectId, $level, $switches, $email, $own_activity, $now)
     ON CONFLICT (user_id, ifnull(project_id, 0), ifnull(group_id, 0)) DO UPDATE SET
       level = $level, switches = $switches, email = $email, own_activity = $own_activity, updated_at = $now`,
    { userId, ...idsOf(key), ...values },
  );
}

export function clearEmail(store: Store, userId: number, email: string): void {
  store.run('UPDATE notification_settings SET email = NULL WHERE user_id = $userId AND email = $email', { userId, email });
}

/** Returns the settings of users for a project or group, for its ancestor groups, and their global ones. */
export function settingRowsOf(
  store: Store,
  userIds: readonly number[],
  { projectId, groupIds }: { readonly projectId: number | null; readonly groupIds: readonly number[] },
): SettingRow[] {
  return store.all<SettingRow>(
    `SELECT ${COLUMNS} FROM notification_settings
     WHERE user_id IN (SELECT value FROM json_each($userIds))
       AND ((project_id IS NULL AND group_id IS NULL) OR project_id = $projectId
         OR group_id IN (SELECT value FROM json_each($groupIds)))`,
    { userIds: JSON.stringify(userIds), projectId, groupIds: JSON.stringify(groupIds) },
  );
}

/** Returns the levels of a user for some projects or groups, without those that were never set. */
export function levelsOf(
  store: Store,
  userId: number,
  kind: 'project' | 'group',
  ids: readonly number[],
): { readonly id: number; readonly level: number }[] {
  return store.all(
    `SELECT ${kind}_id AS id, level FROM notification_settings
     WHERE user_id = $userId AND ${kind}_id IN (SELECT value FROM json_each($ids))`,
    { userId, ids: JSON.stringify(ids) },
  );
}

/** Returns the ID and full path of a group and the groups above it, nearest first. Personal namespaces have none. */
export function groupsAround(store: Store, namespaceId: number): { readonly id: number; readonly path: string }[] {
  return store.all(
    `SELECT n.id, n.full_path AS path FROM namespace_ancestors a JOIN namespaces n ON n.id = a.ancestor_id
     WHERE a.namespace_id = $namespaceId AND n.kind = 'group' ORDER BY length(n.full_path) DESC`,
    { namespaceId },
  );
}

/** A group or project of which a user is a member, directly or through a group. */
export interface MembershipRow {
  readonly kind: 'group' | 'project';
  readonly id: number;
  readonly path: string;
  /** ID of the namespace of a project, or of the group itself. */
  readonly namespace_id: number;
}

/** Returns the groups and projects of a user by path, so that projects follow their group. With a text, only those whose path contains it. */
export function listMemberships(
  store: Store,
  userId: number,
  search: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): MembershipRow[] {
  return store.all<MembershipRow>(
    `SELECT kind, id, path, namespace_id FROM (
       SELECT 'group' AS kind, n.id, n.full_path AS path, n.id AS namespace_id FROM namespaces n
         WHERE n.kind = 'group' AND n.id IN (
           SELECT d.namespace_id FROM group_members m JOIN namespace_ancestors d ON d.ancestor_id = m.group_id
           WHERE m.user_id = $userId)
       UNION ALL
       SELECT 'project', p.id, p.full_path, p.namespace_id FROM project_access a JOIN projects p ON p.id = a.project_id
         WHERE a.user_id = $userId)
     WHERE ${likeSql(['path'], '$search')} ORDER BY path, kind LIMIT $limit OFFSET $offset`,
    { userId, search: likePattern(search), limit, offset },
  );
}
