import type { Store } from '../store/open.ts';
import type { EventLevel } from './event/event.ts';
import type { ErrorStatus, IgnoreEnd } from './states.ts';

/** Statements for what happens with each event when it is received, and for an error that begins or changes. */

export interface GroupingRow {
  readonly id: number;
  readonly error_id: number;
  /** Of the error. */
  readonly is_overflow: number;
}

/** The pluses keep SQLite from looking for a better plan each time for what is bound, which takes ten times as long as the look-up. */
export function findGrouping(store: Store, projectId: number, hash: Buffer): GroupingRow | undefined {
  return store.get<GroupingRow>(
    `SELECT one.id, one.error_id, error.is_overflow
     FROM tracked_groupings AS one JOIN tracked_errors AS error ON error.id = one.error_id
     WHERE one.project_id = +? AND one.hash = +?`,
    [projectId, hash],
  );
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
     VALUES (:projectId, :errorId, :hash, :algorithm, :at, :at)`,
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

/** Answers the id. The fingerprint is the next free one from `fingerprint` on. */
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
    store.get('SELECT 1 FROM tracked_errors WHERE project_id = :projectId AND fingerprint = :fingerprint', {
      projectId: row.projectId,
      fingerprint,
    }) !== undefined
  ) {
    fingerprint += 1;
  }
  return store.run(
    `INSERT INTO tracked_errors
       (project_id, fingerprint, title, type, message, culprit, platform, level, is_overflow, created_at, first_seen_at, last_seen_at,
        first_release_id, last_release_id)
     VALUES (:projectId, :fingerprint, :title, :type, :message, :culprit, :platform, :level, :isOverflow, :createdAt, :at, :at,
             :releaseId, :releaseId)`,
    { ...row, isOverflow: row.isOverflow ? 1 : 0, fingerprint },
  ).lastId;
}

/** How many errors a project got since a time; no more than `most` are counted. */
export function countErrorsSince(store: Store, projectId: number, since: number, most: number): number {
  const row = store.get<{ readonly count: number }>(
    `SELECT COUNT(*) AS count FROM
       (SELECT 1 FROM tracked_errors WHERE project_id = :projectId AND created_at >= :since LIMIT :most)`,
    { projectId, since, most },
  );
  return row?.count ?? 0;
}

export function indexWords(store: Store, errorId: number, words: string): void {
  store.run('INSERT OR REPLACE INTO tracked_search (rowid, words) VALUES (:errorId, :words)', { errorId, words });
}

export function hasEvent(store: Store, projectId: number, eventId: Buffer): boolean {
  return store.get('SELECT 1 FROM tracked_events WHERE project_id = ? AND event_id = ?', [projectId, eventId]) !== undefined;
}

export function isInInbox(store: Store, projectId: number, eventId: Buffer): boolean {
  return store.get('SELECT 1 FROM tracked_inbox WHERE project_id = ? AND event_id = ?', [projectId, eventId]) !== undefined;
}

/**
 * Returns the id that the event keeps; undefined when one with its own id of the project is in the inbox already. `appearance` is what the error looks
 * like from this event on.
 */
export function appendEvent(
  store: Store,
  row: {
    readonly projectId: number;
    readonly eventId: Buffer;
    readonly groupingId: number;
    readonly occurredAt: number;
    readonly receivedAt: number;
    readonly userHash: Buffer | null;
    readonly releaseId: number | null;
    readonly environment: string | null;
    readonly level: EventLevel;
  },
  payload: { readonly encoding: string; readonly form: string; readonly ordinal: number; readonly bytes: Buffer },
  appearance: Appearance | undefined,
): number | undefined {
  const { changes, lastId } = store.run(
    `INSERT INTO tracked_inbox (project_id, event_id, grouping_id, occurred_at, received_at, user_hash, app_release_id, environment, level,
       encoding, form, ordinal, bytes, appearance)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (project_id, event_id) DO NOTHING`,
    [
      row.projectId,
      row.eventId,
      row.groupingId,
      row.occurredAt,
      row.receivedAt,
      row.userHash,
      row.releaseId,
      row.environment,
      row.level,
      payload.encoding,
      payload.form,
      payload.ordinal,
      payload.bytes,
      appearance === undefined ? null : JSON.stringify(appearance),
    ],
  );
  return changes === 0 ? undefined : lastId;
}

/** What an error looks like from this event in the inbox on, when there is no later one. */
export function setAppearance(store: Store, id: number, appearance: Appearance): void {
  store.run('UPDATE tracked_inbox SET appearance = ? WHERE id = ?', [JSON.stringify(appearance), id]);
}

/** The state of an error and what was counted when it began, as stored. */
export interface StateRow {
  readonly status: ErrorStatus;
  readonly status_at: number | null;
  readonly status_release: string | null;
  readonly ignored_until: IgnoreEnd['kind'] | null;
  /** Occurrences, or a time. */
  readonly ignored_number: number | null;
  readonly counted_events: number;
  readonly counted_hour: number;
  readonly counted_of_hour: number;
}

export interface WrittenError extends StateRow {
  readonly id: number;
  readonly project_id: number;
  readonly fingerprint: number;
  readonly title: string;
  readonly is_regression: number;
  readonly is_overflow: number;
  readonly event_count: number;
  readonly user_count: number;
  readonly first_seen_at: number;
  readonly last_seen_at: number;
}

export const WRITTEN = `id, project_id, fingerprint, title, status, status_at, status_release, ignored_until, ignored_number, counted_events,
  counted_hour, counted_of_hour, is_regression, is_overflow, event_count, user_count, first_seen_at, last_seen_at`;

export function setEarliest(
  store: Store,
  row: { readonly id: number; readonly at: number; readonly releaseId: number | null },
): void {
  store.run('UPDATE tracked_errors SET first_seen_at = :at, first_release_id = :releaseId WHERE id = :id', row);
}

export function setState(store: Store, row: StateRow & { readonly id: number; readonly is_regression: 0 | 1 }): void {
  store.run(
    `UPDATE tracked_errors SET status = :status, status_at = :status_at, status_release = :status_release,
       ignored_until = :ignored_until, ignored_number = :ignored_number, counted_events = :counted_events,
       counted_hour = :counted_hour, counted_of_hour = :counted_of_hour, is_regression = :is_regression WHERE id = :id`,
    { ...row },
  );
}

export function eventCount(store: Store, errorId: number): number {
  const row = store.get<{ readonly count: number }>('SELECT event_count AS count FROM tracked_errors WHERE id = ?', [errorId]);
  return row?.count ?? 0;
}

export function eventsInHour(store: Store, errorId: number, hour: number): number {
  const row = store.get<{ readonly count: number | null }>(
    `SELECT SUM(hour.event_count) AS count FROM tracked_groupings AS one JOIN tracked_hours AS hour ON hour.grouping_id = one.id
     WHERE one.error_id = :errorId AND hour.hour = :hour`,
    { errorId, hour },
  );
  return row?.count ?? 0;
}
