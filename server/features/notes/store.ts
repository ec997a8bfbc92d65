import { countRows } from '../../store/count.ts';
import { likePattern, likeSql } from '../../store/sql.ts';
import type { SqlParams, Store } from '../../store/open.ts';

export type NoteType = 'DiscussionNote' | 'DiffNote';

export interface NoteRow {
  readonly id: number;
  readonly project_id: number | null;
  readonly noteable_type: string;
  readonly noteable_id: number;
  readonly noteable_iid: number | null;
  /** Null for a standalone comment. */
  readonly type: NoteType | null;
  readonly body: string;
  readonly author_id: number;
  readonly system: 0 | 1;
  readonly internal: 0 | 1;
  /** 40 hexadecimal digits; a note without replies has its own discussion. */
  readonly discussion_id: string;
  /** JSON, for notes of type `DiffNote` only. */
  readonly position: string | null;
  /** Full ID of the commit, for notes on commits only. */
  readonly commit_id: string | null;
  readonly resolved_at: number | null;
  readonly resolved_by: number | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** A resource that can have notes. */
export interface Noteable {
  readonly type: 'Issue' | 'MergeRequest' | 'Snippet' | 'Epic' | 'Commit';
  readonly id: number;
  /** Null for resources without an IID. */
  readonly iid: number | null;
  /** Null for resources outside projects. */
  readonly projectId: number | null;
  /** Full ID of a commit. Its `id` is a number that this server gives to commits with comments. */
  readonly commitId?: string;
}

const COLUMNS = `id, project_id, noteable_type, noteable_id, noteable_iid, type, body, author_id, system, internal, discussion_id, position,
  commit_id, resolved_at, resolved_by, created_at, updated_at`;

export function noteById(store: Store, noteable: Noteable, id: number): NoteRow | undefined {
  return store.get<NoteRow>(
    `SELECT ${COLUMNS} FROM notes WHERE id = $id AND noteable_type = $type AND noteable_id = $noteableId`,
    { id, type: noteable.type, noteableId: noteable.id },
  );
}

export function listNotesByIds(store: Store, ids: readonly number[]): NoteRow[] {
  return store.all<NoteRow>(`SELECT ${COLUMNS} FROM notes WHERE id IN (SELECT value FROM json_each($ids))`, {
    ids: JSON.stringify(ids),
  });
}

export interface NoteFilter {
  readonly noteable: Noteable;
  readonly withInternal: boolean;
  /** True for system notes only, false for comments only. */
  readonly system?: boolean | undefined;
}

function conditions(filter: NoteFilter): { where: string; params: SqlParams } {
  const parts = ['noteable_type = $type', 'noteable_id = $noteableId'];
  if (!filter.withInternal) parts.push('internal = 0');
  if (filter.system !== undefined) parts.push(`system = ${filter.system ? 1 : 0}`);
  return { where: parts.join(' AND '), params: { type: filter.noteable.type, noteableId: filter.noteable.id } };
}

export function countNotes(store: Store, filter: NoteFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `FROM notes WHERE ${where}`, params, cap);
}

export function listNotes(
  store: Store,
  filter: NoteFilter,
  page: {
    readonly order: 'created_at' | 'updated_at';
    readonly sort: 'asc' | 'desc';
    readonly limit: number;
    readonly offset: number;
  },
): NoteRow[] {
  const { where, params } = conditions(filter);
  const { sort } = page;
  const order = `${page.order} ${sort}, id ${sort}`;
  return store.all<NoteRow>(`SELECT ${COLUMNS} FROM notes WHERE ${where} ORDER BY ${order} LIMIT $limit OFFSET $offset`, {
    ...params,
    limit: page.limit,
    offset: page.offset,
  });
}

export interface NoteSearch {
  readonly search: string;
  readonly projectId: number;
  /** ID of the user. */
  readonly viewer: number;
  /** SQL condition for the notes `n` that the user can read. */
  readonly readable: string;
}

const FOUND = `FROM notes n WHERE n.project_id = $projectId AND n.system = 0 AND ${likeSql(['n.body'], '$search')}`;

export function countFoundNotes(store: Store, { readable, search, ...params }: NoteSearch, cap: number): number {
  return countRows(store, `${FOUND} AND (${readable})`, { ...params, search: likePattern(search) }, cap);
}

/** Returns comments of a project that contain a text, by the time of their creation. */
export function findNotes(
  store: Store,
  { readable, search, ...params }: NoteSearch,
  { sort, limit, offset }: { readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): NoteRow[] {
  return store.all<NoteRow>(
    `SELECT ${COLUMNS} ${FOUND} AND (${readable}) ORDER BY n.created_at ${sort}, n.id ${sort} LIMIT $limit OFFSET $offset`,
    { ...params, search: likePattern(search), limit, offset },
  );
}

export function countDiscussions(store: Store, filter: NoteFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `FROM notes WHERE ${where} GROUP BY discussion_id`, params, cap);
}

/** Returns the IDs of a page of discussions, oldest first. */
export function listDiscussionIds(store: Store, filter: NoteFilter, limit: number, offset: number): string[] {
  const { where, params } = conditions(filter);
  return store
    .all<{ discussion_id: string }>(
      `SELECT discussion_id FROM notes WHERE ${where} GROUP BY discussion_id
       ORDER BY min(created_at), min(id) LIMIT $limit OFFSET $offset`,
      { ...params, limit, offset },
    )
    .map((row) => row.discussion_id);
}

/** Returns the notes of some discussions, oldest first. */
export function notesOfDiscussions(store: Store, filter: NoteFilter, ids: readonly string[]): NoteRow[] {
  const { where, params } = conditions(filter);
  return store.all<NoteRow>(
    `SELECT ${COLUMNS} FROM notes WHERE ${where} AND discussion_id IN (SELECT value FROM json_each($ids)) ORDER BY created_at, id`,
    { ...params, ids: JSON.stringify(ids) },
  );
}

export interface NewNoteRow {
  readonly noteable: Noteable;
  readonly body: string;
  readonly authorId: number;
  readonly system: boolean;
  readonly internal: boolean;
  readonly type: NoteType | null;
  /** Starts a new discussion if omitted. */
  readonly discussionId: string | undefined;
  readonly position: string | null;
  readonly at: number;
}

export function insertNote(store: Store, note: NewNoteRow): number {
  const { noteable } = note;
  return store.run(
    `INSERT INTO notes (project_id, noteable_type, noteable_id, noteable_iid, type, body, author_id, system, internal, discussion_id,
       position, commit_id, created_at, updated_at)
     VALUES ($projectId, $noteableType, $noteableId, $iid, $type, $body, $authorId, $system, $internal,
       coalesce($discussionId, lower(hex(randomblob(20)))), $position, $commitId, $at, $at)`,
    {
      projectId: noteable.projectId,
      noteableType: noteable.type,
      noteableId: noteable.id,
      iid: noteable.iid,
      type: note.type,
      body: note.body,
      authorId: note.authorId,
      system: note.system ? 1 : 0,
      internal: note.internal ? 1 : 0,
      discussionId: note.discussionId ?? null,
      position: note.position,
      commitId: noteable.commitId ?? null,
      at: note.at,
    },
  ).lastId;
}

export function writeNoteBody(store: Store, id: number, body: string, now: number): void {
  store.run('UPDATE notes SET body = $body, updated_at = $now WHERE id = $id', { id, body, now });
}

export function writeNoteType(store: Store, id: number, type: NoteType): void {
  store.run('UPDATE notes SET type = $type WHERE id = $id', { id, type });
}

/** Marks notes as resolved by a user, or as unresolved if `by` is null. */
export function writeResolution(store: Store, ids: readonly number[], by: { userId: number; at: number } | null): void {
  store.run('UPDATE notes SET resolved_at = $at, resolved_by = $userId WHERE id IN (SELECT value FROM json_each($ids))', {
    ids: JSON.stringify(ids),
    at: by?.at ?? null,
    userId: by?.userId ?? null,
  });
}

export function hasUnresolved(store: Store, noteable: Noteable): boolean {
  return (
    store.get(
      `SELECT 1 FROM notes WHERE noteable_type = $type AND noteable_id = $id AND system = 0 AND type IS NOT NULL AND resolved_at IS NULL
       LIMIT 1`,
      { type: noteable.type, id: noteable.id },
    ) !== undefined
  );
}

/** Returns the IDs of the users who commented on a resource, in ascending order. */
export function listCommenters(store: Store, noteable: Noteable, withInternal: boolean): number[] {
  const { where, params } = conditions({ noteable, withInternal, system: false });
  return store
    .all<{ author_id: number }>(`SELECT DISTINCT author_id FROM notes WHERE ${where} ORDER BY author_id`, params)
    .map((row) => row.author_id);
}

export function deleteNoteRow(store: Store, id: number): void {
  store.run('DELETE FROM notes WHERE id = $id', { id });
}

export function deleteNotesOf(store: Store, noteable: Noteable): void {
  store.run('DELETE FROM notes WHERE noteable_type = $type AND noteable_id = $id', { type: noteable.type, id: noteable.id });
}

/** Counts comments without system notes; `readableInternal` is the SQL condition from `readableInternalNotesSql`. */
export function countComments(
  store: Store,
  type: Noteable['type'],
  ids: readonly number[],
  seen: { readonly viewer: number; readonly readableInternal: string },
): { noteable_id: number; n: number }[] {
  return store.all(
    `SELECT n.noteable_id, count(*) AS n FROM notes n
     WHERE n.noteable_type = $type AND n.noteable_id IN (SELECT value FROM json_each($ids)) AND n.system = 0
       AND (n.internal = 0 OR ${seen.readableInternal})
     GROUP BY n.noteable_id`,
    { type, ids: JSON.stringify(ids), viewer: seen.viewer },
  );
}

/** Makes another user the author of the notes of a user. */
export function handOverNotes(store: Store, fromUserId: number, toUserId: number): void {
  store.run('UPDATE notes SET author_id = $toUserId WHERE author_id = $fromUserId', { fromUserId, toUserId });
}

export function deleteNotesBy(store: Store, authorId: number): void {
  store.run('DELETE FROM notes WHERE author_id = $authorId', { authorId });
}
