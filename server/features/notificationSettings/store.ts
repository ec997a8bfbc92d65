import type { Store } from '../../store/open.ts';

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

/**
 * Returns the SQL of the level that the user `$viewer` set for exactly one project or group, or null. `id` is the SQL of its ID. The
 * condition is the one of the unique index.
 */
export function levelSql(kind: 'project' | 'group', id: string): string {
  const [projectId, groupId] = kind === 'project' ? [id, '0'] : ['0', id];
  return `(SELECT level FROM notification_settings
    WHERE user_id = $viewer AND ifnull(project_id, 0) = ${projectId} AND ifnull(group_id, 0) = ${groupId})`;
}

/** Conditions for the rows of a group, of a project, or of no group and project, as the indexes need them. */
const ofKind = {
  global: 'project_id IS NULL AND group_id IS NULL',
  group: 'group_id = $id',
  project: 'project_id = $id',
} as const;

/** Position in the users: those with a higher ID, at most `limit` of them. */
export interface After {
  readonly after: number;
  readonly limit: number;
}

/** Returns the IDs of users who set a level for exactly this group or project, or globally, in the order of their IDs. */
export function userIdsWithLevel(store: Store, key: SettingKey, level: number, at: After): number[] {
  return store
    .all<{ readonly id: number }>(
      `SELECT user_id AS id FROM notification_settings WHERE ${ofKind[key.kind]} AND level = $level AND user_id > $after
       ORDER BY user_id LIMIT $limit`,
      { ...(key.kind === 'global' ? {} : { id: key.id }), level, ...at },
    )
    .map(({ id }) => id);
}
