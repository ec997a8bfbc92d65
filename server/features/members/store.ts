import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { beginCondition, type SqlParams } from '../../store/sql.ts';

/** A project or group that has members. */
export interface MemberContainer {
  readonly kind: 'project' | 'group';
  readonly id: number;
}

export interface MemberRow {
  readonly user_id: number;
  readonly access_level: number;
  readonly created_by: number | null;
  readonly created_at: number;
  readonly expires_at: number | null;
}

/** `around` is the condition for the ancestor groups of a container, for the rows `a` of `namespace_ancestors`. */
const tables = {
  project: {
    name: 'project_members',
    key: 'project_id',
    ancestors: 'a.namespace_id = (SELECT namespace_id FROM projects_view WHERE id = $containerId)',
  },
  group: { name: 'group_members', key: 'group_id', ancestors: 'a.namespace_id = $containerId AND a.ancestor_id <> $containerId' },
} as const;

/**
 * Returns the SQL of the highest access level of the user `$viewer` in a namespace and its ancestors, 0 without a membership. `namespaceId`
 * is a column. CROSS JOIN makes SQLite start with the few ancestors of a group instead of all memberships of the user.
 */
export function namespaceLevelSql(namespaceId: string): string {
  return `coalesce((SELECT max(gm.access_level) FROM namespace_ancestors_view na CROSS JOIN group_members gm ON gm.group_id = na.ancestor_id
    WHERE na.namespace_id = ${namespaceId} AND gm.user_id = $viewer), 0)`;
}

const MEMBER_COLUMNS = 'm.user_id, m.access_level, m.created_by, m.created_at, m.expires_at';
const VALUES = 'user_id, access_level, created_by, created_at, expires_at';

function own({ kind }: MemberContainer): string {
  const { name, key } = tables[kind];
  return `SELECT id, ${VALUES} FROM ${name} WHERE ${key} = $containerId`;
}

/**
 * Returns the SQL of effective memberships: the highest of each user in the container and its ancestors; the nearest if several
 * are equal.
 */
function inherited({ kind }: MemberContainer): string {
  const { name, key, ancestors } = tables[kind];
  return `
    SELECT user_id AS id, ${VALUES} FROM (
      SELECT *, row_number() OVER (PARTITION BY user_id ORDER BY access_level DESC, nearness DESC) AS rank FROM (
        SELECT ${VALUES}, 1000000 AS nearness FROM ${name} WHERE ${key} = $containerId
        UNION ALL
        SELECT m.user_id, m.access_level, m.created_by, m.created_at, m.expires_at, length(n.full_path)
        FROM namespace_ancestors_view a JOIN group_members m ON m.group_id = a.ancestor_id JOIN namespaces_view n ON n.id = m.group_id
        WHERE ${ancestors}))
    WHERE rank = 1`;
}

/** Returns a user's membership in a container; with `withInherited` the highest one in it and its ancestors. */
export function memberOf(store: Store, container: MemberContainer, userId: number, withInherited = false): MemberRow | undefined {
  const source = withInherited ? inherited(container) : own(container);
  return store.get<MemberRow>(`SELECT ${MEMBER_COLUMNS} FROM (${source}) m WHERE m.user_id = $userId`, {
    containerId: container.id,
    userId,
  });
}

export interface MemberFilter {
  readonly container: MemberContainer;
  /** Includes members of ancestor groups, each user once with their highest level. */
  readonly withInherited: boolean;
  readonly query?: string | undefined;
  readonly userIds?: readonly number[] | undefined;
  readonly without?: readonly number[] | undefined;
}

function members(filter: MemberFilter): { from: string; params: SqlParams } {
  const { add, addSearch, whole } = beginCondition({ containerId: filter.container.id });
  addSearch('query', ['u.name', 'u.username'], filter.query);
  const userIds = filter.userIds === undefined ? undefined : JSON.stringify(filter.userIds);
  add('userIds', 'm.user_id IN (SELECT value FROM json_each($userIds))', userIds);
  const without = filter.without === undefined ? undefined : JSON.stringify(filter.without);
  add('without', 'm.user_id NOT IN (SELECT value FROM json_each($without))', without);
  const { where, params } = whole();
  const source = filter.withInherited ? inherited(filter.container) : own(filter.container);
  return { from: `FROM (${source}) m JOIN users_view u ON u.id = m.user_id WHERE ${where}`, params };
}

export function countMembers(store: Store, filter: MemberFilter, cap: number): number {
  const { from, params } = members(filter);
  return countRows(store, from, params, cap);
}

export function listMembers(store: Store, filter: MemberFilter, limit: number, offset: number): MemberRow[] {
  const { from, params } = members(filter);
  return store.all<MemberRow>(`SELECT ${MEMBER_COLUMNS} ${from} ORDER BY m.id LIMIT $limit OFFSET $offset`, {
    ...params,
    limit,
    offset,
  });
}

export interface MembershipValues {
  readonly userId: number;
  readonly level: number;
  readonly expiresAt: number | null;
}

export function insertMember(
  store: Store,
  { kind, id }: MemberContainer,
  member: MembershipValues & { readonly createdBy: number; readonly now: number },
): void {
  const { name, key } = tables[kind];
  store.run(
    `INSERT INTO ${name} (${key}, user_id, access_level, created_by, created_at, expires_at)
     VALUES ($containerId, $userId, $level, $createdBy, $now, $expiresAt)`,
    { ...member, containerId: id },
  );
}

export function writeMember(store: Store, { kind, id }: MemberContainer, member: MembershipValues): void {
  const { name, key } = tables[kind];
  store.run(
    `UPDATE ${name} SET access_level = $level, expires_at = $expiresAt WHERE ${key} = $containerId AND user_id = $userId`,
    {
      ...member,
      containerId: id,
    },
  );
}

export function deleteMember(store: Store, { kind, id }: MemberContainer, userId: number): void {
  const { name, key } = tables[kind];
  store.run(`DELETE FROM ${name} WHERE ${key} = $containerId AND user_id = $userId`, { containerId: id, userId });
}

/** Deletes all memberships of a user in projects and groups. */
export function deleteMembershipsOf(store: Store, userId: number): void {
  for (const { name } of Object.values(tables)) store.run(`DELETE FROM ${name} WHERE user_id = $userId`, { userId });
}

/** Returns the number of users who own a container, directly or through an ancestor group. */
export function countOwners(store: Store, { kind, id }: MemberContainer): number {
  const { name, key, ancestors } = tables[kind];
  const sql = `SELECT count(DISTINCT user_id) AS n FROM (
    SELECT user_id FROM ${name} WHERE ${key} = $containerId AND access_level = 50
    UNION ALL
    SELECT m.user_id FROM namespace_ancestors_view a JOIN group_members m ON m.group_id = a.ancestor_id
    WHERE ${ancestors} AND m.access_level = 50)`;
  return store.get<{ n: number }>(sql, { containerId: id })?.n ?? 0;
}

/** Returns the ancestor group in which a user has a higher level than `level`; undefined if there is none. */
export function higherMembership(
  store: Store,
  { kind, id }: MemberContainer,
  userId: number,
  level: number,
): { readonly access_level: number; readonly name: string } | undefined {
  return store.get(
    `SELECT m.access_level, n.name FROM namespace_ancestors_view a CROSS JOIN group_members m ON m.group_id = a.ancestor_id
       JOIN namespaces_view n ON n.id = m.group_id
     WHERE ${tables[kind].ancestors} AND m.user_id = $userId AND m.access_level > $level
     ORDER BY m.access_level DESC LIMIT 1`,
    { containerId: id, userId, level },
  );
}

export function nextExpiry(store: Store, kind: MemberContainer['kind']): number | null {
  const sql = `SELECT min(expires_at) AS at FROM ${tables[kind].name} WHERE expires_at IS NOT NULL`;
  return store.get<{ at: number | null }>(sql)?.at ?? null;
}

export function expiredMembers(
  store: Store,
  kind: MemberContainer['kind'],
  now: number,
  most: number,
): readonly { readonly containerId: number; readonly userId: number }[] {
  const { name, key } = tables[kind];
  return store.all(
    `SELECT ${key} AS containerId, user_id AS userId FROM ${name}
     WHERE expires_at IS NOT NULL AND expires_at <= $now ORDER BY expires_at, id LIMIT $most`,
    { now, most },
  );
}

/** Returns the ids of the projects below a group, at any depth, that a user is a member of. */
export function membershipsBelow(store: Store, groupId: number, userId: number): number[] {
  return store
    .all<{ project_id: number }>(
      `SELECT m.project_id FROM project_members m JOIN projects_view p ON p.id = m.project_id
       WHERE m.user_id = $userId AND p.namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)
       ORDER BY m.project_id`,
      { groupId, userId },
    )
    .map((row) => row.project_id);
}

/** SQL of the access level of the user `$viewer` as a direct member of the project `p`, and of the highest one in its groups. */
export const ownLevelSql = '(SELECT access_level FROM project_members WHERE project_id = p.id AND user_id = $viewer)';
export const inheritedLevelSql = `(SELECT max(g.access_level) FROM namespace_ancestors_view a
  CROSS JOIN group_members g ON g.group_id = a.ancestor_id WHERE a.namespace_id = p.namespace_id AND g.user_id = $viewer)`;

/** Returns a user's direct and inherited access level in each of some projects. */
export function membershipLevels(
  store: Store,
  ids: readonly number[],
  viewer: number,
): ReadonlyMap<number, { readonly own: number | null; readonly inherited: number | null }> {
  const rows = store.all<{ id: number; own: number | null; inherited: number | null }>(
    `SELECT p.id, ${ownLevelSql} AS own, ${inheritedLevelSql} AS inherited
     FROM projects_view p WHERE p.id IN (SELECT value FROM json_each($ids))`,
    { ids: JSON.stringify(ids), viewer },
  );
  return new Map(rows.map(({ id, own, inherited }) => [id, { own, inherited }]));
}

/** SQL query for the IDs of the direct members of the projects in the group `$groupId`, at any depth. */
export const projectMembersBelowSql = `SELECT m.user_id FROM namespace_ancestors_view a JOIN projects_view p ON p.namespace_id = a.namespace_id
  JOIN project_members m ON m.project_id = p.id WHERE a.ancestor_id = $groupId`;

/** SQL query for the direct memberships of the user `$userId` in projects: ID, name, type, access level and time of creation. */
export const projectMembershipsSql = `SELECT p.id, p.name, 'Project', m.access_level, m.created_at
  FROM project_members m JOIN projects_view p ON p.id = m.project_id WHERE m.user_id = $userId`;

/** Deletes the memberships of a user in the descendants of a group. */
export function deleteMembershipsBelow(store: Store, groupId: number, userId: number): void {
  store.run(
    `DELETE FROM group_members WHERE user_id = $userId AND group_id <> $groupId
       AND group_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId)`,
    { groupId, userId },
  );
}
