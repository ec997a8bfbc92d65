import { writeReadOnlyOfSingle, writeStorageOfSingle } from '../singleBranchRepositories/singleBranchRepositories.ts';
import { writeGroupReadOnly, writeGroupStorage } from '../groups/groups.ts';
import { touchProject, writeProjectReadOnly, writeProjectStorage } from '../projects/projects.ts';
import { touchSnippet } from '../snippets/snippets.ts';
import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';

export const containerKinds = ['project', 'snippet', 'group'] as const;
export type ContainerKind = (typeof containerKinds)[number];

export const moveStates = ['initial', 'scheduled', 'started', 'replicated', 'finished', 'failed', 'cleanup failed'] as const;
export type MoveState = (typeof moveStates)[number];

export interface MoveRow {
  readonly id: number;
  readonly project_id: number | null;
  readonly snippet_id: number | null;
  readonly group_id: number | null;
  readonly state: MoveState;
  readonly source_storage: string;
  readonly destination_storage: string;
  readonly failure: string | null;
  readonly waits: number;
  readonly created_at: number;
  readonly due_at: number | null;
}

/** A project, snippet or group whose repository can be moved. */
export interface Container {
  readonly kind: ContainerKind;
  readonly id: number;
}

/** Storage of a container, and its repository there; null if it has none. */
export interface Placement {
  readonly storage: string;
  readonly folder: string | null;
  /** ID of a standalone repository. */
  readonly single_id: number | null;
  readonly read_only: 0 | 1;
}

const COLUMNS =
  'id, project_id, snippet_id, group_id, state, source_storage, destination_storage, failure, waits, created_at, due_at';

export function containerOf({ project_id: project, snippet_id: snippet, group_id: group }: MoveRow): Container {
  if (project !== null) return { kind: 'project', id: project };
  return snippet === null ? { kind: 'group', id: group ?? 0 } : { kind: 'snippet', id: snippet };
}

const placements: Readonly<Record<ContainerKind, string>> = {
  project: `SELECT p.repository_storage AS storage, r.folder, NULL AS single_id, p.repository_read_only AS read_only
    FROM projects_view p LEFT JOIN repositories_view r ON r.project_id = p.id WHERE p.id = $id`,
  snippet: `SELECT r.storage, r.folder, r.id AS single_id, r.read_only
    FROM snippets_view s JOIN single_repositories_view r ON r.id = s.repository_id WHERE s.id = $id`,
  group: `SELECT repository_storage AS storage, NULL AS folder, NULL AS single_id, repository_read_only AS read_only
    FROM namespaces_view WHERE id = $id AND kind = 'group'`,
};

export function placementOf(store: Store, { kind, id }: Container): Placement | undefined {
  return store.get<Placement>(placements[kind], { id });
}

/** Returns the ID of a snippet's repository. */
function repositoryOfSnippet(store: Store, snippetId: number): number {
  return (
    store.get<{ readonly id: number }>('SELECT repository_id AS id FROM snippets_view WHERE id = $snippetId', { snippetId })
      ?.id ?? 0
  );
}

export function writeReadOnly(store: Store, { kind, id }: Container, readOnly: boolean): void {
  if (kind === 'project') writeProjectReadOnly(store, id, readOnly);
  else if (kind === 'snippet') writeReadOnlyOfSingle(store, repositoryOfSnippet(store, id), readOnly);
  else writeGroupReadOnly(store, id, readOnly);
}

/** Stores the new storage of a container. */
export function writeStorage(store: Store, { kind, id }: Container, storage: string, now: number): void {
  if (kind === 'project') {
    writeProjectStorage(store, id, storage);
    touchProject(store, id, now);
  } else if (kind === 'snippet') {
    writeStorageOfSingle(store, repositoryOfSnippet(store, id), storage);
    touchSnippet(store, id, now);
  } else {
    writeGroupStorage(store, id, storage);
  }
}

export interface NewMove {
  readonly container: Container;
  readonly source: string;
  readonly destination: string;
  readonly now: number;
  readonly dueAt: number;
}

/** Inserts a move in its first state. */
export function insertMove(store: Store, { container: { kind, id }, source, destination, now, dueAt }: NewMove): number {
  return store.run(
    `INSERT INTO repository_storage_moves (project_id, snippet_id, group_id, state, source_storage, destination_storage, created_at, due_at)
     VALUES ($project, $snippet, $group, 'scheduled', $source, $destination, $now, $dueAt)`,
    {
      project: kind === 'project' ? id : null,
      snippet: kind === 'snippet' ? id : null,
      group: kind === 'group' ? id : null,
      source,
      destination,
      now,
      dueAt,
    },
  ).lastId;
}

export function moveById(store: Store, id: number): MoveRow | undefined {
  return store.get<MoveRow>(`SELECT ${COLUMNS} FROM repository_storage_moves WHERE id = $id`, { id });
}

export interface MoveProgress {
  readonly state: MoveState;
  readonly dueAt: number | null;
  readonly failure?: string;
  readonly waits?: number;
}

export function writeState(store: Store, id: number, { state, dueAt, failure, waits }: MoveProgress): void {
  store.run(
    `UPDATE repository_storage_moves SET state = $state, due_at = $dueAt, failure = $failure, waits = coalesce($waits, waits)
     WHERE id = $id`,
    { id, state, dueAt, failure: failure ?? null, waits: waits ?? null },
  );
}

/** Corrects the storage that a move starts from. */
export function writeSource(store: Store, id: number, source: string): void {
  store.run('UPDATE repository_storage_moves SET source_storage = $source WHERE id = $id', { id, source });
}

/** Returns the move whose next step is due first. */
export function nextMove(store: Store, without: readonly number[]): { readonly id: number; readonly due_at: number } | undefined {
  return store.get<{ id: number; due_at: number }>(
    `SELECT id, due_at FROM repository_storage_moves AS m
     WHERE due_at IS NOT NULL AND id NOT IN (SELECT value FROM json_each($without))
       AND NOT EXISTS (
         SELECT 1 FROM repository_storage_moves AS e
         WHERE e.due_at IS NOT NULL AND e.id < m.id
           AND (e.project_id = m.project_id OR e.snippet_id = m.snippet_id OR e.group_id = m.group_id))
     ORDER BY due_at, id LIMIT 1`,
    { without: JSON.stringify(without) },
  );
}

/** Moves of a kind of containers, or of one container. */
export interface MoveFilter {
  readonly kind: ContainerKind;
  readonly id?: number | undefined;
}

function condition({ kind, id }: MoveFilter): { readonly where: string; readonly params: Readonly<Record<string, number>> } {
  const column = `${kind}_id`;
  return id === undefined ? { where: `${column} IS NOT NULL`, params: {} } : { where: `${column} = $id`, params: { id } };
}

export function countMoves(store: Store, filter: MoveFilter, cap: number): number {
  const { where, params } = condition(filter);
  return countRows(store, `FROM repository_storage_moves WHERE ${where}`, params, cap);
}

/** Returns moves, newest first. */
export function listMoves(store: Store, filter: MoveFilter, limit: number, offset: number): MoveRow[] {
  const { where, params } = condition(filter);
  return store.all<MoveRow>(
    `SELECT ${COLUMNS} FROM repository_storage_moves WHERE ${where} ORDER BY id DESC LIMIT $limit OFFSET $offset`,
    { ...params, limit, offset },
  );
}

export interface BatchRow {
  readonly id: number;
  readonly kind: ContainerKind;
  readonly source_storage: string;
  readonly destination_storage: string | null;
  readonly done_to: number;
  readonly due_at: number;
}

export function insertBatch(
  store: Store,
  batch: {
    readonly kind: ContainerKind;
    readonly source: string;
    readonly destination: string | undefined;
    readonly now: number;
  },
): void {
  const { kind, source, destination, now } = batch;
  store.run(
    `INSERT INTO repository_storage_move_batches (kind, source_storage, destination_storage, created_at, due_at)
     VALUES ($kind, $source, $destination, $now, $now)`,
    { kind, source, destination: destination ?? null, now },
  );
}

export function firstBatch(store: Store): BatchRow | undefined {
  return store.get<BatchRow>(
    'SELECT id, kind, source_storage, destination_storage, done_to, due_at FROM repository_storage_move_batches ORDER BY id LIMIT 1',
  );
}

export function writeBatch(store: Store, id: number, doneTo: number): void {
  store.run('UPDATE repository_storage_move_batches SET done_to = $doneTo WHERE id = $id', { id, doneTo });
}

export function deleteBatch(store: Store, id: number): void {
  store.run('DELETE FROM repository_storage_move_batches WHERE id = $id', { id });
}

const batchSql: Readonly<Record<ContainerKind, string>> = {
  project: 'SELECT id FROM projects_view WHERE repository_storage = $source AND id > $doneTo ORDER BY id LIMIT $limit',
  // Snippets have no index by storage; their repositories do.
  snippet: `SELECT s.id FROM snippets_view s JOIN single_repositories_view r ON r.id = s.repository_id
    WHERE r.storage = $source AND s.id > $doneTo ORDER BY s.id LIMIT $limit`,
  group: `SELECT id FROM namespaces_view WHERE kind = 'group' AND repository_storage = $source AND id > $doneTo ORDER BY id LIMIT $limit`,
};

/** Returns the next containers of a batch. */
export function nextInBatch(store: Store, { kind, source_storage: source, done_to: doneTo }: BatchRow, limit: number): number[] {
  return store.all<{ id: number }>(batchSql[kind], { source, doneTo, limit }).map(({ id }) => id);
}

const countSql: Readonly<Record<ContainerKind, string>> = {
  project: 'SELECT count(*) AS n FROM projects_view WHERE repository_storage = $storage',
  snippet: `SELECT count(*) AS n FROM single_repositories_view r JOIN snippets_view s ON s.repository_id = r.id WHERE r.storage = $storage`,
  group: "SELECT count(*) AS n FROM namespaces_view WHERE kind = 'group' AND repository_storage = $storage",
};

export function countContainers(store: Store, kind: ContainerKind, storage: string): number {
  return store.get<{ n: number }>(countSql[kind], { storage })?.n ?? 0;
}

/** Returns the number of moves away from each storage by state. */
export function countStates(
  store: Store,
): readonly { readonly storage: string; readonly state: MoveState; readonly n: number }[] {
  return store.all<{ storage: string; state: MoveState; n: number }>(
    'SELECT source_storage AS storage, state, count(*) AS n FROM repository_storage_moves GROUP BY source_storage, state',
  );
}

/** Returns the names of the storages that hold repositories, or take part in moves that have not ended. */
export function storagesInUse(store: Store): string[] {
  return store
    .all<{ storage: string }>(
      `SELECT DISTINCT repository_storage AS storage FROM projects_view UNION SELECT DISTINCT storage FROM single_repositories_view
       UNION SELECT DISTINCT repository_storage FROM namespaces_view WHERE kind = 'group'
       UNION SELECT destination_storage FROM repository_storage_moves WHERE due_at IS NOT NULL
       UNION SELECT source_storage FROM repository_storage_moves WHERE due_at IS NOT NULL ORDER BY 1`,
    )
    .map(({ storage }) => storage);
}
