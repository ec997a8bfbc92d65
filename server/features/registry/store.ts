import { countRows } from '../../store/count.ts';
import type { SqlParams, Store } from '../../store/open.ts';

/** A repository with the required columns of its project. */
export interface RepositoryRow {
  readonly id: number;
  readonly project_id: number;
  /** Part after the project path; empty for the root repository of the project. */
  readonly name: string;
  readonly created_at: number;
  readonly cleaned_at: number | null;
  readonly project_path: string;
}

export interface TagRow {
  readonly repository_id: number;
  readonly name: string;
  readonly digest: string;
  readonly revision: string;
  readonly total_size: number;
  readonly created_at: number;
}

const COLUMNS = 'c.id, c.project_id, c.name, c.created_at, c.cleaned_at, p.full_path AS project_path';
const FROM = `FROM container_repositories c
  JOIN projects_view p ON p.id = c.project_id`;
const MEMBER = 'LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer';

/** The repositories of a project, or those of a group and its subgroups that match a condition. */
export type RepositoryContainer =
  | { readonly projectId: number }
  | { readonly groupId: number; readonly viewer: number; readonly readable: string };

function conditions(container: RepositoryContainer): { from: string; where: string; params: SqlParams } {
  if ('projectId' in container)
    return { from: FROM, where: 'c.project_id = $projectId', params: { projectId: container.projectId } };
  return {
    from: `${FROM} ${MEMBER}`,
    where: `p.namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $groupId) AND ${container.readable}`,
    params: { groupId: container.groupId, viewer: container.viewer },
  };
}

export function countRepositories(store: Store, container: RepositoryContainer, cap: number): number {
  const { from, where, params } = conditions(container);
  return countRows(store, `${from} WHERE ${where}`, params, cap);
}

export function listRepositories(store: Store, container: RepositoryContainer, limit: number, offset: number): RepositoryRow[] {
  const { from, where, params } = conditions(container);
  return store.all<RepositoryRow>(`SELECT ${COLUMNS} ${from} WHERE ${where} ORDER BY c.id LIMIT $limit OFFSET $offset`, {
    ...params,
    limit,
    offset,
  });
}

export function repositoryById(store: Store, id: number): RepositoryRow | undefined {
  return store.get<RepositoryRow>(`SELECT ${COLUMNS} ${FROM} WHERE c.id = $id`, { id });
}

export function isTaken(store: Store, projectId: number, name: string): boolean {
  return (
    store.get('SELECT 1 FROM container_repositories WHERE project_id = $projectId AND name = $name', { projectId, name }) !==
    undefined
  );
}

export function insertRepository(store: Store, projectId: number, name: string, now: number): number {
  return store.run('INSERT INTO container_repositories (project_id, name, created_at) VALUES ($projectId, $name, $now)', {
    projectId,
    name,
    now,
  }).lastId;
}

export function deleteRepositoryRow(store: Store, id: number): void {
  store.run('DELETE FROM container_repositories WHERE id = $id', { id });
}

export function markCleaned(store: Store, id: number, now: number): void {
  store.run('UPDATE container_repositories SET cleaned_at = $now WHERE id = $id', { id, now });
}

const TAG = 'repository_id, name, digest, revision, total_size, created_at';

/** Adds a tag, or moves an existing one to another image. */
export function writeTag(store: Store, row: TagRow): void {
  store.run(
    `INSERT INTO container_tags (repository_id, name, digest, revision, total_size, created_at)
     VALUES ($repository_id, $name, $digest, $revision, $total_size, $created_at)
     ON CONFLICT DO UPDATE SET digest = $digest, revision = $revision, total_size = $total_size, created_at = $created_at`,
    { ...row },
  );
}

export function tagByName(store: Store, repositoryId: number, name: string): TagRow | undefined {
  return store.get<TagRow>(`SELECT ${TAG} FROM container_tags WHERE repository_id = $repositoryId AND name = $name`, {
    repositoryId,
    name,
  });
}

export function deleteTags(store: Store, repositoryId: number, names: readonly string[]): void {
  store.run('DELETE FROM container_tags WHERE repository_id = $repositoryId AND name IN (SELECT value FROM json_each($names))', {
    repositoryId,
    names: JSON.stringify(names),
  });
}

export function countTags(store: Store, repositoryId: number, cap: number): number {
  return countRows(store, 'FROM container_tags WHERE repository_id = $repositoryId', { repositoryId }, cap);
}

/** Returns tags by name; `last` is the last name of the previous page. */
export function listTags(
  store: Store,
  repositoryId: number,
  page: { readonly sort: 'asc' | 'desc'; readonly last?: string | undefined; readonly limit: number; readonly offset: number },
): TagRow[] {
  const { sort, last, limit, offset } = page;
  const behind = last === undefined ? '' : `AND name ${sort === 'asc' ? '>' : '<'} $last`;
  return store.all<TagRow>(
    `SELECT ${TAG} FROM container_tags WHERE repository_id = $repositoryId ${behind} ORDER BY name ${sort}
     LIMIT $limit OFFSET $offset`,
    { repositoryId, limit, offset, ...(last === undefined ? {} : { last }) },
  );
}

/** Returns all tags of a repository, newest image first. */
export function allTags(store: Store, repositoryId: number): TagRow[] {
  return store.all<TagRow>(
    `SELECT ${TAG} FROM container_tags WHERE repository_id = $repositoryId ORDER BY created_at DESC, name DESC`,
    { repositoryId },
  );
}

/** Returns the total size of all images of a repository, in bytes; an image with several tags counts once. */
export function sizeOf(store: Store, repositoryId: number): number {
  const sql = `SELECT coalesce(sum(size), 0) AS n FROM (
    SELECT max(total_size) AS size FROM container_tags WHERE repository_id = $repositoryId GROUP BY digest)`;
  return store.get<{ n: number }>(sql, { repositoryId })?.n ?? 0;
}
