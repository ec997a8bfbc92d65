import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import type { SqlParams } from '../../store/sql.ts';
import type { TodoAction } from './rules.ts';

export interface TodoRow {
  readonly id: number;
  readonly user_id: number;
  readonly author_id: number;
  readonly project_id: number;
  readonly target_type: 'Issue' | 'MergeRequest';
  readonly target_id: number;
  readonly note_id: number | null;
  readonly action: TodoAction;
  readonly state: 'pending' | 'done';
  readonly created_at: number;
  readonly updated_at: number;
}

export interface TodoFilter {
  /** The user whose items are listed. */
  readonly viewer: number;
  /** SQL condition for the issues `i` and projects `p` that the user can read. */
  readonly readableIssues: string;
  /** SQL condition for the projects `p` whose merge requests the user can read. */
  readonly readableCode: string;
  /** SQL condition for the internal notes `n` that the user can read. */
  readonly readableNotes: string;
  readonly id?: number | undefined;
  readonly actions?: readonly string[] | undefined;
  readonly authorIds?: readonly number[] | undefined;
  readonly projectIds?: readonly number[] | undefined;
  /** Groups that contain the project, at any depth. */
  readonly groupIds?: readonly number[] | undefined;
  readonly states?: readonly string[] | undefined;
  readonly types?: readonly string[] | undefined;
  readonly idBefore?: number | undefined;
  readonly idAfter?: number | undefined;
}

const COLUMNS = `t.id, t.user_id, t.author_id, t.project_id, t.target_type, t.target_id, t.note_id, t.action, t.state, t.created_at,
  t.updated_at`;
const FROM = `FROM todos t
  JOIN projects_view p ON p.id = t.project_id
  LEFT JOIN project_access_view m ON m.project_id = p.id AND m.user_id = $viewer
  LEFT JOIN issues_view i ON t.target_type = 'Issue' AND i.id = t.target_id`;

function conditions(filter: TodoFilter): { readonly where: string; readonly params: SqlParams } {
  const parts = [
    't.user_id = $viewer',
    `CASE t.target_type WHEN 'Issue' THEN ${filter.readableIssues} ELSE ${filter.readableCode} END`,
    `(t.note_id IS NULL OR EXISTS (SELECT 1 FROM notes_view n WHERE n.id = t.note_id AND (n.internal = 0 OR ${filter.readableNotes})))`,
  ];
  const params: Record<string, string | number> = { viewer: filter.viewer };
  const add = (name: string, sql: string, value: number | readonly (string | number)[] | undefined): void => {
    if (value === undefined) return;
    parts.push(sql);
    params[name] = typeof value === 'number' ? value : JSON.stringify(value);
  };
  const among = (column: string, name: string): string => `${column} IN (SELECT value FROM json_each($${name}))`;
  add('id', 't.id = $id', filter.id);
  add('actions', among('t.action', 'actions'), filter.actions);
  add('authorIds', among('t.author_id', 'authorIds'), filter.authorIds);
  add('projectIds', among('t.project_id', 'projectIds'), filter.projectIds);
  add(
    'groupIds',
    `p.namespace_id IN (SELECT namespace_id FROM namespace_ancestors_view WHERE ${among('ancestor_id', 'groupIds')})`,
    filter.groupIds,
  );
  add('states', among('t.state', 'states'), filter.states);
  add('types', among('t.target_type', 'types'), filter.types);
  add('idBefore', 't.id < $idBefore', filter.idBefore);
  add('idAfter', 't.id > $idAfter', filter.idAfter);
  return { where: parts.join(' AND '), params };
}

export function countTodos(store: Store, filter: TodoFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `${FROM} WHERE ${where}`, params, cap);
}

export function listTodos(
  store: Store,
  filter: TodoFilter,
  page: { readonly sort: 'asc' | 'desc'; readonly limit: number; readonly offset: number },
): TodoRow[] {
  const { where, params } = conditions(filter);
  return store.all<TodoRow>(`SELECT ${COLUMNS} ${FROM} WHERE ${where} ORDER BY t.id ${page.sort} LIMIT $limit OFFSET $offset`, {
    ...params,
    limit: page.limit,
    offset: page.offset,
  });
}

/** Adds a pending item, unless the user has one for the target. Returns its ID. */
export function insertTodo(
  store: Store,
  todo: Pick<TodoRow, 'user_id' | 'author_id' | 'project_id' | 'target_type' | 'target_id' | 'note_id' | 'action'>,
  now: number,
): number | undefined {
  const { changes, lastId } = store.run(
    `INSERT INTO todos (user_id, author_id, project_id, target_type, target_id, note_id, action, state, created_at, updated_at)
     VALUES ($user_id, $author_id, $project_id, $target_type, $target_id, $note_id, $action, 'pending', $now, $now)
     ON CONFLICT DO NOTHING`,
    { ...todo, now },
  );
  return changes === 0 ? undefined : lastId;
}

export function writeDone(store: Store, id: number, now: number): void {
  store.run("UPDATE todos SET state = 'done', updated_at = $now WHERE id = $id AND state = 'pending'", { id, now });
}

export function writeAllDone(store: Store, userId: number, now: number): void {
  store.run("UPDATE todos SET state = 'done', updated_at = $now WHERE user_id = $userId AND state = 'pending'", { userId, now });
}

/** Marks the pending item of a user for a target as done. */
export function writeDoneFor(
  store: Store,
  { userId, type, targetId }: { readonly userId: number; readonly type: TodoRow['target_type']; readonly targetId: number },
  now: number,
): void {
  store.run(
    `UPDATE todos SET state = 'done', updated_at = $now
     WHERE target_type = $type AND target_id = $targetId AND user_id = $userId AND state = 'pending'`,
    { userId, type, targetId, now },
  );
}

/** Makes another user the author of the to-do items that a user caused for others. */
export function handOverTodos(store: Store, fromUserId: number, toUserId: number): void {
  store.run('UPDATE todos SET author_id = $toUserId WHERE author_id = $fromUserId AND user_id <> $fromUserId', {
    fromUserId,
    toUserId,
  });
}
