import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { beginCondition, type SqlParams } from '../../store/sql.ts';

/** A star with its user. */
export interface StarRow {
  readonly user_id: number;
  readonly created_at: number;
}

/** Returns false if the user had already starred the project. */
export function insertStar(store: Store, projectId: number, userId: number, now: number): boolean {
  const sql = `INSERT INTO project_stars (project_id, user_id, created_at) VALUES ($projectId, $userId, $now)
    ON CONFLICT DO NOTHING`;
  return store.run(sql, { projectId, userId, now }).changes === 1;
}

/** Returns false if there was no star. */
export function deleteStar(store: Store, projectId: number, userId: number): boolean {
  const sql = 'DELETE FROM project_stars WHERE project_id = $projectId AND user_id = $userId';
  return store.run(sql, { projectId, userId }).changes === 1;
}

export interface StarFilter {
  readonly projectId: number;
  readonly search: string | undefined;
  /** Id of the caller, 0 if anonymous. Private profiles are visible only to the user and to administrators. */
  readonly viewer: number;
  readonly seesAll: boolean;
}

function starsFrom(filter: StarFilter): { from: string; params: SqlParams } {
  const { projectId, search, viewer, seesAll } = filter;
  const { addSearch, also, whole } = beginCondition({ projectId });
  also("s.project_id = $projectId AND u.state = 'active'");
  if (!seesAll) also('(u.private_profile = 0 OR u.id = $viewer)', { viewer });
  addSearch('search', ['u.name', 'u.username'], search);
  const { where, params } = whole();
  return { from: `FROM project_stars s JOIN users_view u ON u.id = s.user_id WHERE ${where}`, params };
}

export function countStars(store: Store, filter: StarFilter, cap: number): number {
  const { from, params } = starsFrom(filter);
  return countRows(store, from, params, cap);
}

/** Returns stars, oldest first. */
export function listStars(store: Store, filter: StarFilter, limit: number, offset: number): StarRow[] {
  const { from, params } = starsFrom(filter);
  const sql = `SELECT s.user_id, s.created_at ${from} ORDER BY s.id LIMIT $limit OFFSET $offset`;
  return store.all<StarRow>(sql, { ...params, limit, offset });
}
