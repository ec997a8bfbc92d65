import type { SqlParams, Store } from '../store/open.ts';
import { likePattern } from './store.ts';

export interface MemberRow {
  readonly user_id: number;
  readonly access_level: number;
  readonly created_by: number | null;
  readonly created_at: number;
  readonly expires_at: number | null;
}

const MEMBER_COLUMNS = 'm.user_id, m.access_level, m.created_by, m.created_at, m.expires_at';
/** The memberships that count: of those of a person in a project and the groups around it the highest, the nearest of equal ones. */
const INHERITED = `
  SELECT id, project_id, user_id, access_level, created_by, created_at, expires_at FROM (
    SELECT *, row_number() OVER (PARTITION BY user_id ORDER BY access_level DESC, nearness DESC) AS rank FROM (
      SELECT user_id AS id, project_id, user_id, access_level, created_by, created_at, expires_at, 1000000 AS nearness
      FROM project_members WHERE project_id = $projectId
      UNION ALL
      SELECT g.user_id, p.id, g.user_id, g.access_level, g.created_by, g.created_at, g.expires_at, length(n.full_path)
      FROM projects p JOIN namespace_ancestors a ON a.namespace_id = p.namespace_id
        JOIN group_members g ON g.group_id = a.ancestor_id JOIN namespaces n ON n.id = g.group_id
      WHERE p.id = $projectId))
  WHERE rank = 1`;

export function memberOf(store: Store, projectId: number, userId: number): MemberRow | undefined {
  return store.get<MemberRow>(
    `SELECT ${MEMBER_COLUMNS} FROM project_members m WHERE m.project_id = $projectId AND m.user_id = $userId`,
    { projectId, userId },
  );
}

/** Membership of a person in a project or, when higher, in a group around it. */
export function anyMemberOf(store: Store, projectId: number, userId: number): MemberRow | undefined {
  return store.get<MemberRow>(
    `SELECT ${MEMBER_COLUMNS} FROM (${INHERITED}) m WHERE m.user_id = $userId AND m.project_id = $projectId`,
    { projectId, userId },
  );
}

export interface MemberFilter {
  readonly projectId: number;
  /** Also members of the groups around it, everybody once with their highest level. */
  readonly withInherited?: boolean | undefined;
  readonly query?: string | undefined;
  readonly userIds?: readonly number[] | undefined;
  readonly without?: readonly number[] | undefined;
}

function memberConditions(filter: MemberFilter): { where: string; params: SqlParams } {
  const parts = ['m.project_id = $projectId'];
  const params: Record<string, string | number> = { projectId: filter.projectId };
  if (filter.query !== undefined && filter.query !== '') {
    parts.push("(u.name LIKE $query ESCAPE '!' OR u.username LIKE $query ESCAPE '!')");
    params['query'] = likePattern(filter.query);
  }
  if (filter.userIds !== undefined) {
    parts.push('m.user_id IN (SELECT value FROM json_each($userIds))');
    params['userIds'] = JSON.stringify(filter.userIds);
  }
  if (filter.without !== undefined) {
    parts.push('m.user_id NOT IN (SELECT value FROM json_each($without))');
    params['without'] = JSON.stringify(filter.without);
  }
  return { where: parts.join(' AND '), params };
}

function membersFrom({ withInherited }: MemberFilter): string {
  return `FROM ${withInherited === true ? `(${INHERITED})` : 'project_members'} m JOIN users u ON u.id = m.user_id`;
}

export function countMembers(store: Store, filter: MemberFilter, cap: number): number {
  const { where, params } = memberConditions(filter);
  const sql = `SELECT count(*) AS n FROM (SELECT 1 ${membersFrom(filter)} WHERE ${where} LIMIT $cap)`;
  return store.get<{ n: number }>(sql, { ...params, cap })?.n ?? 0;
}

export function listMembers(store: Store, filter: MemberFilter, limit: number, offset: number): MemberRow[] {
  const { where, params } = memberConditions(filter);
  const sql = `SELECT ${MEMBER_COLUMNS} ${membersFrom(filter)} WHERE ${where} ORDER BY m.id LIMIT $limit OFFSET $offset`;
  return store.all<MemberRow>(sql, { ...params, limit, offset });
}

export function insertMember(
  store: Store,
  member: { projectId: number; userId: number; level: number; createdBy: number | null; expiresAt: number | null; now: number },
): void {
  store.run(
    `INSERT INTO project_members (project_id, user_id, access_level, created_by, created_at, expires_at)
     VALUES ($projectId, $userId, $level, $createdBy, $now, $expiresAt)`,
    { ...member },
  );
}

export function writeMember(
  store: Store,
  member: { projectId: number; userId: number; level: number; expiresAt: number | null },
): void {
  store.run(
    'UPDATE project_members SET access_level = $level, expires_at = $expiresAt WHERE project_id = $projectId AND user_id = $userId',
    { ...member },
  );
}

export function deleteMember(store: Store, projectId: number, userId: number): void {
  store.run('DELETE FROM project_members WHERE project_id = $projectId AND user_id = $userId', { projectId, userId });
}

export function countOwners(store: Store, projectId: number): number {
  return (
    store.get<{ n: number }>('SELECT count(*) AS n FROM project_members WHERE project_id = $projectId AND access_level = 50', {
      projectId,
    })?.n ?? 0
  );
}

/** Memberships of a person in the projects of a group, at any depth. */
export function membershipsBelow(store: Store, groupId: number, userId: number): number[] {
  return store
    .all<{ project_id: number }>(
      `SELECT m.project_id FROM project_members m JOIN projects p ON p.id = m.project_id
       WHERE m.user_id = $userId AND p.namespace_id IN (SELECT namespace_id FROM namespace_ancestors WHERE ancestor_id = $groupId)
       ORDER BY m.project_id`,
      { groupId, userId },
    )
    .map((row) => row.project_id);
}

/** A group around a project in which a person has a higher level than `level`; undefined when there is none. */
export function higherGroupMembership(
  store: Store,
  projectId: number,
  userId: number,
  level: number,
): { readonly access_level: number; readonly name: string } | undefined {
  return store.get(
    `SELECT g.access_level, n.name FROM projects p JOIN namespace_ancestors a ON a.namespace_id = p.namespace_id
       JOIN group_members g ON g.group_id = a.ancestor_id JOIN namespaces n ON n.id = g.group_id
     WHERE p.id = $projectId AND g.user_id = $userId AND g.access_level > $level ORDER BY g.access_level DESC LIMIT 1`,
    { projectId, userId, level },
  );
}

/** A person's level in each of some projects, by itself and by the groups around it. */
export function membershipLevels(
  store: Store,
  ids: readonly number[],
  userId: number,
): ReadonlyMap<number, { readonly own: number | null; readonly inherited: number | null }> {
  const rows = store.all<{ id: number; own: number | null; inherited: number | null }>(
    `SELECT p.id,
       (SELECT access_level FROM project_members WHERE project_id = p.id AND user_id = $userId) AS own,
       (SELECT max(g.access_level) FROM namespace_ancestors a JOIN group_members g ON g.group_id = a.ancestor_id
         WHERE a.namespace_id = p.namespace_id AND g.user_id = $userId) AS inherited
     FROM projects p WHERE p.id IN (SELECT value FROM json_each($ids))`,
    { ids: JSON.stringify(ids), userId },
  );
  return new Map(rows.map(({ id, own, inherited }) => [id, { own, inherited }]));
}

export function nextExpiry(store: Store): number | null {
  return (
    store.get<{ at: number | null }>('SELECT min(expires_at) AS at FROM project_members WHERE expires_at IS NOT NULL')?.at ?? null
  );
}

export function expiredMembers(store: Store, now: number): { project_id: number; user_id: number }[] {
  return store.all(
    'SELECT project_id, user_id FROM project_members WHERE expires_at IS NOT NULL AND expires_at <= $now ORDER BY expires_at, id',
    { now },
  );
}
