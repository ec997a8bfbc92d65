import type { Store } from '../../../store/open.ts';
import type { ErrorStatus, IgnoreEnd } from './statusRules.ts';

/** Stored state of an error, with the counters at its start. */
export interface StateRow {
  readonly status: ErrorStatus;
  readonly status_at: number | null;
  /** JSON list of the newest releases when the error was resolved. */
  readonly status_releases: string | null;
  readonly ignored_until: IgnoreEnd['kind'] | null;
  /** Number of occurrences, or a time. */
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

export const WRITTEN = `id, project_id, fingerprint, title, status, status_at, status_releases, ignored_until, ignored_number, counted_events,
  counted_hour, counted_of_hour, is_regression, is_overflow, event_count, user_count, first_seen_at, last_seen_at`;

export function setState(store: Store, row: StateRow & { readonly id: number; readonly is_regression: 0 | 1 }): void {
  store.run(
    `UPDATE tracked_errors SET status = $status, status_at = $status_at, status_releases = $status_releases,
       ignored_until = $ignored_until, ignored_number = $ignored_number, counted_events = $counted_events,
       counted_hour = $counted_hour, counted_of_hour = $counted_of_hour, is_regression = $is_regression WHERE id = $id`,
    { ...row },
  );
  // They compared releases with those of the former state.
  store.run('DELETE FROM tracked_release_checks WHERE error_id = $id', { id: row.id });
}

/** Makes earlier changes of the status by users impossible to undo. */
export function removeStatusEdits(store: Store, errorId: number): void {
  store.run("DELETE FROM tracked_edits WHERE error_id = $errorId AND kind = 'status'", { errorId });
}

export function eventCount(store: Store, errorId: number): number {
  const row = store.get<{ readonly count: number }>('SELECT event_count AS count FROM tracked_errors WHERE id = ?', [errorId]);
  return row?.count ?? 0;
}

export function eventsInHour(store: Store, errorId: number, hour: number): number {
  const row = store.get<{ readonly count: number | null }>(
    `SELECT SUM(hour.event_count) AS count FROM tracked_groupings AS one JOIN tracked_hours AS hour ON hour.grouping_id = one.id
     WHERE one.error_id = $errorId AND hour.hour = $hour`,
    { errorId, hour },
  );
  return row?.count ?? 0;
}
