import type { SqlParams, Store } from '../store/open.ts';

export interface NoteRow {
  readonly id: number;
  readonly project_id: number;
  readonly noteable_type: string;
  readonly noteable_id: number;
  readonly noteable_iid: number | null;
  /** `DiscussionNote`, `DiffNote`, or null for a plain comment. */
  readonly type: string | null;
  readonly body: string;
  readonly author_id: number;
  readonly system: 0 | 1;
  readonly internal: 0 | 1;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface Noteable {
  readonly type: 'Issue';
  readonly id: number;
  readonly iid: number;
  readonly projectId: number;
}

const COLUMNS =
  'id, project_id, noteable_type, noteable_id, noteable_iid, type, body, author_id, system, internal, created_at, updated_at';

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
  const sql = `SELECT count(*) AS n FROM (SELECT 1 FROM notes WHERE ${where} LIMIT $cap)`;
  return store.get<{ n: number }>(sql, { ...params, cap })?.n ?? 0;
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

export function insertNote(
  store: Store,
  note: { noteable: Noteable; body: string; authorId: number; system: boolean; internal: boolean; at: number },
): number {
  const { noteable } = note;
  return store.run(
    `INSERT INTO notes (project_id, noteable_type, noteable_id, noteable_iid, body, author_id, system, internal, created_at, updated_at)
     VALUES ($projectId, $type, $noteableId, $iid, $body, $authorId, $system, $internal, $at, $at)`,
    {
      projectId: noteable.projectId,
      type: noteable.type,
      noteableId: noteable.id,
      iid: noteable.iid,
      body: note.body,
      authorId: note.authorId,
      system: note.system ? 1 : 0,
      internal: note.internal ? 1 : 0,
      at: note.at,
    },
  ).lastId;
}

export function writeNoteBody(store: Store, id: number, body: string, now: number): void {
  store.run('UPDATE notes SET body = $body, updated_at = $now WHERE id = $id', { id, body, now });
}

export function deleteNoteRow(store: Store, id: number): void {
  store.run('DELETE FROM notes WHERE id = $id', { id });
}

export function deleteNotesOf(store: Store, noteable: Noteable): void {
  store.run('DELETE FROM notes WHERE noteable_type = $type AND noteable_id = $id', { type: noteable.type, id: noteable.id });
}

export function countComments(
  store: Store,
  type: Noteable['type'],
  ids: readonly number[],
): { noteable_id: number; n: number }[] {
  return store.all(
    `SELECT noteable_id, count(*) AS n FROM notes
     WHERE noteable_type = $type AND noteable_id IN (SELECT value FROM json_each($ids)) AND system = 0
     GROUP BY noteable_id`,
    { type, ids: JSON.stringify(ids) },
  );
}
