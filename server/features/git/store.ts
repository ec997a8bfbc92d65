import { writeProjectStorage } from '../projects/projects.ts';
import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { likePattern, likeSql } from '../../store/sql.ts';
import { DEFAULT_STORAGE, type RepositoryLocation } from '../../repositories/repositories.ts';

/** Kind of a ref. Notes on commits are only seen by git clients. */
export type RefKind = 'branch' | 'tag' | 'note';

export interface RepositoryRow extends RepositoryLocation {
  readonly project_id: number;
}

/** A branch or tag, or a ref with notes on commits. */
export interface RefRow {
  readonly kind: RefKind;
  readonly name: string;
  /** Id of the target object: the commit, or the tag object of an annotated tag. */
  readonly target: string;
  readonly commit_id: string;
  readonly committed_at: number;
  /** Message of an annotated tag; otherwise null. */
  readonly message: string | null;
  readonly tagged_at: number | null;
}

export function repositoryOf(store: Store, projectId: number): RepositoryRow | undefined {
  return store.get<RepositoryRow>(
    `SELECT r.project_id, p.repository_storage AS storage, r.folder FROM repositories r JOIN projects_view p ON p.id = r.project_id
     WHERE r.project_id = $projectId`,
    { projectId },
  );
}

/** Returns the repositories of a namespace and its subgroups whose size is unknown. */
export function unmeasuredRepositories(store: Store, namespaceId: number): RepositoryRow[] {
  return store.all<RepositoryRow>(
    `SELECT r.project_id, p.repository_storage AS storage, r.folder FROM projects_view p JOIN repositories r ON r.project_id = p.id
     WHERE r.size IS NULL AND p.namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ancestor_id = $namespaceId)`,
    { namespaceId },
  );
}

/** Stores the size of a repository in bytes, until a ref changes. */
export function writeSize(store: Store, projectId: number, size: number): void {
  store.run('UPDATE repositories SET size = $size WHERE project_id = $projectId', { projectId, size });
}

/** Returns the storage of a project, which can be empty. */
export function storageOf(store: Store, projectId: number): string {
  const sql = 'SELECT repository_storage AS storage FROM projects_view WHERE id = $projectId';
  return store.get<{ storage: string }>(sql, { projectId })?.storage ?? DEFAULT_STORAGE;
}

/** Returns true while the repository of a project is moved to another storage. */
export function isReadOnly(store: Store, projectId: number): boolean {
  return store.get('SELECT 1 FROM projects_view WHERE id = $projectId AND repository_read_only = 1', { projectId }) !== undefined;
}

/** Assigns a repository to a project, together with its storage. */
export function insertRepository(store: Store, projectId: number, { storage, folder }: RepositoryLocation, now: number): void {
  store.transaction(() => {
    store.run(
      'INSERT INTO repositories (project_id, folder, created_at) VALUES ($projectId, $folder, $now) ON CONFLICT DO NOTHING',
      { projectId, folder, now },
    );
    writeProjectStorage(store, projectId, storage);
  });
}

/** Returns the name of the default branch of a project. */
export function headBranchOf(store: Store, projectId: number): string {
  const sql = 'SELECT default_branch AS name FROM projects_view WHERE id = $projectId';
  return store.get<{ name: string }>(sql, { projectId })?.name ?? 'main';
}

/** Returns the locations of all repositories. */
export function locations(store: Store): RepositoryLocation[] {
  return store.all<RepositoryLocation>(
    `SELECT p.repository_storage AS storage, r.folder FROM repositories r JOIN projects_view p ON p.id = r.project_id
     UNION ALL SELECT storage, folder FROM single_repositories_view`,
  );
}

/** Returns the path of the readme on the default branch of a project. */
export function readmeOf(store: Store, projectId: number): string | undefined {
  const sql = 'SELECT readme_path AS path FROM repositories WHERE project_id = $projectId';
  return store.get<{ path: string | null }>(sql, { projectId })?.path ?? undefined;
}

export function writeReadme(store: Store, projectId: number, path: string | null): void {
  store.run('UPDATE repositories SET readme_path = $path WHERE project_id = $projectId', { projectId, path });
}

const COLUMNS = 'kind, name, target, commit_id, committed_at, message, tagged_at';

export function refOf(store: Store, projectId: number, kind: RefKind, name: string): RefRow | undefined {
  return store.get<RefRow>(
    `SELECT ${COLUMNS} FROM repository_refs WHERE project_id = $projectId AND kind = $kind AND name = $name`,
    { projectId, kind, name },
  );
}

/** Returns the longest of some names that is a branch or tag. */
export function longestRef(store: Store, projectId: number, names: readonly string[]): string | undefined {
  return store.get<{ name: string }>(
    `SELECT name FROM repository_refs WHERE project_id = $projectId AND kind IN ('branch', 'tag')
       AND name IN (SELECT value FROM json_each($names)) ORDER BY length(name) DESC LIMIT 1`,
    { projectId, names: JSON.stringify(names) },
  )?.name;
}

export function hasBranches(store: Store, projectId: number): boolean {
  return (
    store.get("SELECT 1 FROM repository_refs WHERE project_id = $projectId AND kind = 'branch' LIMIT 1", { projectId }) !==
    undefined
  );
}

export function allRefs(store: Store, projectId: number): RefRow[] {
  return store.all<RefRow>(`SELECT ${COLUMNS} FROM repository_refs WHERE project_id = $projectId`, { projectId });
}

/** Returns a ref that conflicts with a new name, because one would be a directory of the other. */
export function conflictingRef(store: Store, projectId: number, kind: RefKind, name: string): string | undefined {
  const parts = name.split('/');
  const parents = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
  return store.get<{ name: string }>(
    `SELECT name FROM repository_refs WHERE project_id = $projectId AND kind = $kind
       AND (name IN (SELECT value FROM json_each($parents)) OR (name > $inside AND name < $behind)) LIMIT 1`,
    { projectId, kind, parents: JSON.stringify(parents), inside: `${name}/`, behind: `${name}0` },
  )?.name;
}

export function writeRef(store: Store, projectId: number, ref: RefRow): void {
  store.run(
    `INSERT INTO repository_refs (project_id, kind, name, target, commit_id, committed_at, message, tagged_at)
     VALUES ($projectId, $kind, $name, $target, $commit_id, $committed_at, $message, $tagged_at)
     ON CONFLICT DO UPDATE SET target = $target, commit_id = $commit_id, committed_at = $committed_at, message = $message,
       tagged_at = $tagged_at`,
    { ...ref, projectId },
  );
}

export function deleteRef(store: Store, projectId: number, kind: RefKind, name: string): void {
  store.run('DELETE FROM repository_refs WHERE project_id = $projectId AND kind = $kind AND name = $name', {
    projectId,
    kind,
    name,
  });
}

export interface RefFilter {
  readonly projectId: number;
  readonly kind: RefKind;
  /** Part of the name; a leading `^` and a trailing `$` anchor the match. */
  readonly search?: string | undefined;
}

function conditions({ projectId, kind, search }: RefFilter): { where: string; params: Record<string, string | number> } {
  const where = 'project_id = $projectId AND kind = $kind';
  const params = { projectId, kind };
  if (search === undefined || search === '') return { where, params };
  const begins = search.startsWith('^');
  const ends = search.endsWith('$') && search.length > (begins ? 1 : 0);
  const term = search.slice(begins ? 1 : 0, ends ? -1 : undefined);
  const pattern = likePattern(term, { atStart: begins, atEnd: ends });
  return { where: `${where} AND ${likeSql(['name'], '$pattern')}`, params: { ...params, pattern } };
}

export function countRefs(store: Store, filter: RefFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `FROM repository_refs WHERE ${where}`, params, cap);
}

export type RefOrder = 'name' | 'updated';

export function listRefs(
  store: Store,
  filter: RefFilter,
  page: { readonly order: RefOrder; readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): RefRow[] {
  const { where, params } = conditions(filter);
  const { order, sort, limit, offset } = page;
  const by = order === 'name' ? `name ${sort}` : `coalesce(tagged_at, committed_at) ${sort}, name ${sort}`;
  return store.all<RefRow>(`SELECT ${COLUMNS} FROM repository_refs WHERE ${where} ORDER BY ${by} LIMIT $limit OFFSET $offset`, {
    ...params,
    limit,
    offset,
  });
}
