import type { Visibility } from '../abilities/abilities.ts';
import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { beginCondition, type SqlParams } from '../../store/sql.ts';

export interface SnippetRow {
  readonly id: number;
  /** Null for a personal snippet. */
  readonly project_id: number | null;
  readonly project_path: string | null;
  readonly author_id: number;
  readonly repository_id: number;
  readonly title: string;
  readonly description: string | null;
  readonly visibility: Visibility;
  /** Paths of its files, as JSON. */
  readonly files: string;
  readonly created_at: number;
  readonly updated_at: number;
  readonly storage: string;
}

const COLUMNS = `s.id, s.project_id, p.full_path AS project_path, s.author_id, s.repository_id, s.title, s.description, s.visibility,
  s.files, s.created_at, s.updated_at, sr.storage`;
const FROM = `FROM snippets s JOIN single_repositories_view sr ON sr.id = s.repository_id LEFT JOIN projects_view p ON p.id = s.project_id
  LEFT JOIN project_access_view m ON m.project_id = s.project_id AND m.user_id = $viewer`;

export function snippetById(store: Store, id: number): SnippetRow | undefined {
  return store.get<SnippetRow>(`SELECT ${COLUMNS} ${FROM} WHERE s.id = $id`, { id, viewer: 0 });
}

/** Returns the SQL expression for the title of a snippet. `id` is the expression for its ID. */
export function snippetTitleSql(id: string): string {
  return `(SELECT title FROM snippets WHERE id = ${id})`;
}

/** Returns the SQL condition for a snippet that the user `$viewer` can read. `visible` is that of `visibleSnippetsSql`, and `id` the expression for its ID. */
export function readableSnippetSql(visible: string, id: string): string {
  return `EXISTS (SELECT 1 FROM snippets s LEFT JOIN projects_view p ON p.id = s.project_id
      LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer
      WHERE s.id = ${id} AND (${visible}))`;
}

export interface SnippetFilter {
  /** Id of the caller; 0 for anonymous callers. */
  readonly viewer: number;
  /** SQL condition for the visible snippets `s` of projects `p`. */
  readonly visible: string;
  readonly authorId?: number | undefined;
  readonly projectId?: number | undefined;
  /** Limits the list to public personal snippets. */
  readonly onlyPublic?: boolean | undefined;
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  /** Text that the title or the description contains. */
  readonly search?: string | undefined;
}

function conditions(filter: SnippetFilter): { where: string; params: SqlParams } {
  const { add, addSearch, also, whole } = beginCondition({ viewer: filter.viewer });
  also(`(${filter.visible})`);
  addSearch('search', ['s.title', 's.description'], filter.search);
  add('authorId', 's.author_id = $authorId', filter.authorId);
  add('projectId', 's.project_id = $projectId', filter.projectId);
  add('createdAfter', 's.created_at > $createdAfter', filter.createdAfter);
  add('createdBefore', 's.created_at < $createdBefore', filter.createdBefore);
  if (filter.onlyPublic === true) also("s.project_id IS NULL AND s.visibility = 'public'");
  return whole();
}

export function countSnippets(store: Store, filter: SnippetFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `${FROM} WHERE ${where}`, params, cap);
}

/** Returns snippets by ID, newest first by default. */
export function listSnippets(
  store: Store,
  filter: SnippetFilter,
  limit: number,
  offset: number,
  sort: 'asc' | 'desc' = 'desc',
): SnippetRow[] {
  const { where, params } = conditions(filter);
  return store.all<SnippetRow>(`SELECT ${COLUMNS} ${FROM} WHERE ${where} ORDER BY s.id ${sort} LIMIT $limit OFFSET $offset`, {
    ...params,
    limit,
    offset,
  });
}

type Written = Pick<SnippetRow, 'title' | 'description' | 'visibility' | 'files'>;

export function insertSnippet(
  store: Store,
  row: Written & Pick<SnippetRow, 'project_id' | 'author_id' | 'repository_id'>,
  now: number,
): number {
  return store.run(
    `INSERT INTO snippets (project_id, author_id, repository_id, title, description, visibility, files, created_at, updated_at)
     VALUES ($project_id, $author_id, $repository_id, $title, $description, $visibility, $files, $now, $now)`,
    { ...row, now },
  ).lastId;
}

export function writeSnippet(store: Store, id: number, { title, description, visibility, files }: Written, now: number): void {
  store.run(
    `UPDATE snippets SET title = $title, description = $description, visibility = $visibility, files = $files, updated_at = $now
     WHERE id = $id`,
    { id, title, description, visibility, files, now },
  );
}

export function deleteSnippetRow(store: Store, id: number): void {
  store.run('DELETE FROM snippets WHERE id = $id', { id });
}

/** Records that a snippet changed now. */
export function touchSnippet(store: Store, id: number, now: number): void {
  store.run('UPDATE snippets SET updated_at = $now WHERE id = $id', { id, now });
}

/** Makes another user the author of the project snippets of a user. */
export function handOverProjectSnippets(store: Store, fromUserId: number, toUserId: number): void {
  store.run('UPDATE snippets SET author_id = $toUserId WHERE author_id = $fromUserId AND project_id IS NOT NULL', {
    fromUserId,
    toUserId,
  });
}

export function deleteSnippetsOf(store: Store, authorId: number): void {
  store.run('DELETE FROM snippets WHERE author_id = $authorId', { authorId });
}
