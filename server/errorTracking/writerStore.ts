import type { Store } from '../store/open.ts';
import type { EventLevel } from './event/event.ts';
import type { ErrorStatus, IgnoreEnd } from './states.ts';

/** Statements of the writer: what happens with each event that is received, and with each that has become too old. */

export interface GroupingRow {
  readonly id: number;
  readonly error_id: number;
  /** Of the error. */
  readonly last_seen_at: number;
  readonly is_overflow: number;
}

/** The pluses keep SQLite from looking for a better plan each time for what is bound, which takes ten times as long as the look-up. */
export function findGrouping(store: Store, projectId: number, hash: Buffer): GroupingRow | undefined {
  return store.get<GroupingRow>(
    `SELECT one.id, one.error_id, error.last_seen_at, error.is_overflow
     FROM tracked_groupings AS one JOIN tracked_errors AS error ON error.id = one.error_id
     WHERE one.project_id = +:projectId AND one.hash = +:hash`,
    { projectId, hash },
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
  const found = store.get('SELECT 1 FROM tracked_events WHERE project_id = :projectId AND event_id = :eventId', {
    projectId,
    eventId,
  });
  return found !== undefined;
}

/** Answers the row's id; undefined when the project has an event with this id already. */
export function insertEvent(
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
): number | undefined {
  const { changes, lastId } = store.run(
    `INSERT INTO tracked_events
       (project_id, event_id, grouping_id, occurred_at, received_at, user_hash, app_release_id, environment, level)
     VALUES (:projectId, :eventId, :groupingId, :occurredAt, :receivedAt, :userHash, :releaseId, :environment, :level)
     ON CONFLICT (project_id, event_id) DO NOTHING`,
    row,
  );
  return changes === 0 ? undefined : lastId;
}

export function insertPayload(
  store: Store,
  row: {
    readonly eventRow: number;
    readonly encoding: string;
    readonly form: string;
    readonly ordinal: number;
    readonly bytes: Buffer;
  },
): void {
  store.run(
    `INSERT INTO tracked_payloads (event_id, encoding, form, ordinal, bytes)
     VALUES (:eventRow, :encoding, :form, :ordinal, :bytes)`,
    row,
  );
}

/** Adds (or with negative numbers takes away) what some events amount to. Answers how many payloads the grouping has now. */
export function addToGrouping(
  store: Store,
  row: { readonly id: number; readonly events: number; readonly payloads: number; readonly first: number; readonly last: number },
): number {
  const counted = store.get<{ readonly payload_count: number }>(
    `UPDATE tracked_groupings
     SET event_count = event_count + :events, payload_count = payload_count + :payloads,
         first_seen_at = MIN(first_seen_at, :first), last_seen_at = MAX(last_seen_at, :last)
     WHERE id = :id RETURNING payload_count`,
    row,
  );
  return counted?.payload_count ?? 0;
}

/** Drops all payloads of a grouping but the latest `kept`. Those that it has are of its latest events. */
export function trimPayloads(store: Store, groupingId: number, kept: number): void {
  const { changes } = store.run(
    `DELETE FROM tracked_payloads WHERE event_id IN
       (SELECT id FROM tracked_events WHERE grouping_id = :groupingId ORDER BY id DESC
        LIMIT MAX(0, (SELECT payload_count FROM tracked_groupings WHERE id = :groupingId) - :kept) OFFSET :kept)`,
    { groupingId, kept },
  );
  store.run('UPDATE tracked_groupings SET payload_count = payload_count - :changes WHERE id = :groupingId', {
    groupingId,
    changes,
  });
}

export function addToHour(store: Store, groupingId: number, hour: number, events: number): void {
  store.run(
    `INSERT INTO tracked_hours (grouping_id, hour, event_count) VALUES (:groupingId, :hour, :events)
     ON CONFLICT DO UPDATE SET event_count = event_count + excluded.event_count`,
    { groupingId, hour, events },
  );
}

export type FacetKind = 'environment' | 'level' | 'release';

export function addToFacet(store: Store, groupingId: number, kind: FacetKind, value: string, events: number): void {
  store.run(
    `INSERT INTO tracked_facets (grouping_id, kind, value, event_count) VALUES (:groupingId, :kind, :value, :events)
     ON CONFLICT DO UPDATE SET event_count = event_count + excluded.event_count`,
    { groupingId, kind, value, events },
  );
}

/** Answers whether these are the first events of the user in the grouping. */
export function addToUser(store: Store, groupingId: number, userHash: Buffer, events: number): boolean {
  const row = { groupingId, userHash, events };
  const { changes } = store.run(
    'UPDATE tracked_users SET event_count = event_count + :events WHERE grouping_id = :groupingId AND user_hash = :userHash',
    row,
  );
  if (changes > 0) return false;
  store.run('INSERT INTO tracked_users (grouping_id, user_hash, event_count) VALUES (:groupingId, :userHash, :events)', row);
  return true;
}

/** Whether another grouping of the error has seen the user. */
export function isUserElsewhere(store: Store, errorId: number, groupingId: number, userHash: Uint8Array): boolean {
  const found = store.get(
    `SELECT 1 FROM tracked_groupings AS other JOIN tracked_users AS person ON person.grouping_id = other.id
     WHERE other.error_id = :errorId AND other.id <> :groupingId AND person.user_hash = :userHash LIMIT 1`,
    { errorId, groupingId, userHash },
  );
  return found !== undefined;
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

const WRITTEN = `id, project_id, fingerprint, title, status, status_at, status_release, ignored_until, ignored_number, counted_events,
  counted_hour, counted_of_hour, is_regression, is_overflow, event_count, user_count, first_seen_at, last_seen_at`;

export function addToError(
  store: Store,
  row: { readonly id: number; readonly events: number; readonly users: number },
): WrittenError | undefined {
  return store.get<WrittenError>(
    `UPDATE tracked_errors SET event_count = event_count + :events, user_count = user_count + :users WHERE id = :id
     RETURNING ${WRITTEN}`,
    row,
  );
}

/** The same with events of which one is the latest, which the error looks like from now on: its indexes are written once. */
export function addLatestToError(
  store: Store,
  row: Appearance & {
    readonly id: number;
    readonly events: number;
    readonly users: number;
    readonly at: number;
    readonly releaseId: number | null;
  },
): WrittenError | undefined {
  return store.get<WrittenError>(
    `UPDATE tracked_errors SET event_count = event_count + :events, user_count = user_count + :users, title = :title, type = :type,
       message = :message, culprit = :culprit, platform = :platform, level = :level, last_seen_at = :at, last_release_id = :releaseId
     WHERE id = :id RETURNING ${WRITTEN}`,
    { ...row },
  );
}

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

export function eventsInHour(store: Store, errorId: number, hour: number): number {
  const row = store.get<{ readonly count: number | null }>(
    `SELECT SUM(hour.event_count) AS count FROM tracked_groupings AS one JOIN tracked_hours AS hour ON hour.grouping_id = one.id
     WHERE one.error_id = :errorId AND hour.hour = :hour`,
    { errorId, hour },
  );
  return row?.count ?? 0;
}
