import type { Store } from '../../../store/open.ts';
import type { SqlValue } from '../../../store/sql.ts';
import type { RequestTraces } from '../event/normaliseEvent.ts';
import type { EventLevel } from '../event/trackedEvent.ts';

/** Statements for received events, and for errors that are created or changed. */

export interface GroupingRow {
  readonly id: number;
  readonly error_id: number;
  /** Flag of the error. */
  readonly is_overflow: number;
}

/** The unary plus keeps SQLite from choosing a new plan for each bound value, which takes ten times as long as the lookup. */
export function findGrouping(store: Store, projectId: number, hash: Buffer): GroupingRow | undefined {
  return store.get<GroupingRow>(
    `SELECT one.id, one.error_id, error.is_overflow
     FROM tracked_groupings AS one JOIN tracked_errors AS error ON error.id = one.error_id
     WHERE one.project_id = +? AND one.hash = +?`,
    [projectId, hash],
  );
}

/** Key of a grouping. */
export interface GroupingKey {
  readonly projectId: number;
  readonly hash: Buffer;
}

const GROUPINGS_AT_ONCE = 16;
const findManyGroupings = `SELECT wanted.column1 AS position, one.id, one.error_id, error.is_overflow
  FROM (VALUES ${repeated('(?, ?, ?)', GROUPINGS_AT_ONCE)}) AS wanted
    CROSS JOIN tracked_groupings AS one ON one.project_id = wanted.column2 AND one.hash = wanted.column3
    JOIN tracked_errors AS error ON error.id = one.error_id`;

/** Looks up many groupings at once. Returns them in the order of the keys, with undefined for missing ones. */
export function findGroupings(store: Store, keys: readonly GroupingKey[]): (GroupingRow | undefined)[] {
  const found: (GroupingRow | undefined)[] = keys.map(() => undefined);
  for (let begin = 0; begin < keys.length; begin += GROUPINGS_AT_ONCE) {
    const values: SqlValue[] = [];
    for (let index = begin; index < begin + GROUPINGS_AT_ONCE; index += 1) {
      // The statement has a fixed length, so the last key is repeated to fill it.
      const position = Math.min(index, keys.length - 1);
      const key = keys[position];
      if (key !== undefined) values.push(position, key.projectId, key.hash);
    }
    for (const row of store.all<GroupingRow & { readonly position: number }>(findManyGroupings, values))
      found[row.position] = row;
  }
  return found;
}

export function insertGrouping(
  store: Store,
  row: {
    readonly projectId: number;
    readonly errorId: number;
    readonly hash: Buffer;
    readonly algorithm: number;
    readonly at: number;
  },
): number {
  return store.run(
    `INSERT INTO tracked_groupings (project_id, error_id, hash, algorithm, first_seen_at, last_seen_at)
     VALUES ($projectId, $errorId, $hash, $algorithm, $at, $at)`,
    row,
  ).lastId;
}

export interface Appearance {
  readonly title: string;
  readonly type: string | null;
  readonly message: string | null;
  readonly culprit: string;
  readonly platform: string;
  readonly level: EventLevel;
}

/** Returns the ID. The fingerprint is the first free one, starting at `fingerprint`. */
export function insertError(
  store: Store,
  row: Appearance & {
    readonly projectId: number;
    readonly fingerprint: number;
    readonly isOverflow: boolean;
    readonly createdAt: number;
    readonly at: number;
    readonly releaseId: number | null;
  },
): number {
  let { fingerprint } = row;
  while (
    store.get(
      `SELECT 1 FROM tracked_errors WHERE project_id = $projectId AND fingerprint = $fingerprint
       UNION ALL SELECT 1 FROM tracked_merged_errors WHERE project_id = $projectId AND fingerprint = $fingerprint`,
      { projectId: row.projectId, fingerprint },
    ) !== undefined
  ) {
    fingerprint += 1;
  }
  return store.run(
    `INSERT INTO tracked_errors
       (project_id, fingerprint, title, type, message, culprit, platform, level, is_overflow, created_at, first_seen_at, last_seen_at,
        first_release_id, last_release_id)
     VALUES ($projectId, $fingerprint, $title, $type, $message, $culprit, $platform, $level, $isOverflow, $createdAt, $at, $at,
             $releaseId, $releaseId)`,
    { ...row, isOverflow: row.isOverflow ? 1 : 0, fingerprint },
  ).lastId;
}

/** Returns the number of errors of a project created since a time, up to `most`. */
export function countErrorsSince(store: Store, projectId: number, since: number, most: number): number {
  const row = store.get<{ readonly count: number }>(
    `SELECT COUNT(*) AS count FROM
       (SELECT 1 FROM tracked_errors WHERE project_id = $projectId AND created_at >= $since LIMIT $most)`,
    { projectId, since, most },
  );
  return row?.count ?? 0;
}

export function indexText(store: Store, errorId: number, text: string): void {
  store.run('INSERT OR REPLACE INTO tracked_search (rowid, words) VALUES ($errorId, $words)', { errorId, words: text });
}

/** Returns true if the project has an event with this ID, counted or in the inbox. */
export function hasEvent(store: Store, projectId: number, eventId: Buffer): boolean {
  const params = [projectId, eventId];
  return (
    store.get('SELECT 1 FROM tracked_events WHERE project_id = ? AND event_id = ?', params) !== undefined ||
    store.get('SELECT 1 FROM tracked_inbox WHERE project_id = ? AND event_id = ?', params) !== undefined
  );
}

/** A row of the inbox. */
export interface InboxRow {
  readonly projectId: number;
  readonly eventId: Buffer;
  readonly groupingId: number;
  readonly occurredAt: number;
  readonly receivedAt: number;
  readonly userHash: Buffer | undefined;
  readonly releaseId: number | null;
  readonly environment: string | undefined;
  readonly level: EventLevel;
  readonly payload: {
    readonly encoding: string;
    readonly form: string;
    readonly ordinal: number;
    readonly bytes: Buffer;
    readonly traces?: RequestTraces;
  };
  /** Title and other members that the error takes from this event, as JSON. */
  readonly appearance: string | null;
}

/** Batch sizes of the insert statement. Batches take less time than single rows. */
const ROWS_AT_ONCE = [16, 4, 1] as const;

/** Skips events that are already counted or in the inbox. */
const insertInbox = new Map(
  ROWS_AT_ONCE.map((rows) => [
    rows,
    `INSERT INTO tracked_inbox (project_id, event_id, grouping_id, occurred_at, received_at, user_hash, app_release_id, environment, level,
       encoding, form, ordinal, bytes, appearance, sender_address, sender_client)
     SELECT * FROM (VALUES ${repeated('(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', rows)}) AS sent
     WHERE NOT EXISTS (SELECT 1 FROM tracked_events AS event WHERE event.project_id = sent.column1 AND event.event_id = sent.column2)
     ON CONFLICT (project_id, event_id) DO NOTHING`,
  ]),
);

function repeated(text: string, times: number): string {
  return Array.from({ length: times }, () => text).join(', ');
}

/** Appends rows to the inbox in order. Returns for each whether it was new; duplicates are skipped. */
export function appendToInbox(store: Store, rows: readonly InboxRow[]): boolean[] {
  const last = rows.length > 1 ? lastInboxId(store) : 0;
  let written = 0;
  for (let begin = 0; begin < rows.length; ) {
    const size = ROWS_AT_ONCE.find((most) => begin + most <= rows.length) ?? 1;
    const values: SqlValue[] = [];
    for (let index = begin; index < begin + size; index += 1) pushValues(values, rows[index]);
    written += store.run(insertInbox.get(size) ?? '', values).changes;
    begin += size;
  }
  if (written === rows.length || written === 0) return rows.map(() => written > 0);
  return rowsSince(store, last, rows);
}

function pushValues(values: SqlValue[], row: InboxRow | undefined): void {
  if (row === undefined) return;
  const { encoding, form, ordinal, bytes, traces } = row.payload;
  values.push(
    row.projectId,
    row.eventId,
    row.groupingId,
    row.occurredAt,
    row.receivedAt,
    row.userHash ?? null,
    row.releaseId,
    row.environment ?? null,
    row.level,
    encoding,
    form,
    ordinal,
    bytes,
    row.appearance,
    traces?.address ?? null,
    traces?.client ?? null,
  );
}

function lastInboxId(store: Store): number {
  return store.get<{ readonly id: number | null }>('SELECT MAX(id) AS id FROM tracked_inbox')?.id ?? 0;
}

/** Returns for each row whether it was inserted after the ID `last`. Of rows with the same event, the first one was. */
function rowsSince(store: Store, last: number, rows: readonly InboxRow[]): boolean[] {
  const keyOf = (projectId: number, eventId: Buffer): string => `${projectId}:${eventId.toString('latin1')}`;
  const written = new Set(
    store
      .all<{ readonly project_id: number; readonly event_id: Buffer }>(
        'SELECT project_id, event_id FROM tracked_inbox WHERE id > ?',
        [last],
      )
      .map(({ project_id: projectId, event_id: eventId }) => keyOf(projectId, eventId)),
  );
  return rows.map(({ projectId, eventId }) => written.delete(keyOf(projectId, eventId)));
}

/** Sets the data that an error takes from an event in the inbox, if there is no later one. */
export function setAppearance(store: Store, projectId: number, eventId: Buffer, appearance: string): void {
  store.run('UPDATE tracked_inbox SET appearance = ? WHERE project_id = ? AND event_id = ?', [appearance, projectId, eventId]);
}

export function setEarliest(
  store: Store,
  row: { readonly id: number; readonly at: number; readonly releaseId: number | null },
): void {
  store.run('UPDATE tracked_errors SET first_seen_at = $at, first_release_id = $releaseId WHERE id = $id', row);
}
