import type { Store } from '../../../store/open.ts';
import type { SessionStatus } from './sessionRules.ts';

/** Statements of release health. A missing environment or user is stored as an empty value. */

export interface SessionRow {
  readonly release: string;
  readonly environment: string;
  readonly user_hash: Uint8Array;
  readonly status: SessionStatus;
  readonly seq: number;
  readonly started_at: number;
  readonly sent_at: number;
  readonly errors: number;
  readonly duration: number | null;
  readonly abnormal_mechanism: string | null;
}

export function findSession(store: Store, projectId: number, sid: Buffer): SessionRow | undefined {
  return store.get<SessionRow>(
    `SELECT (SELECT version FROM app_releases WHERE id = session.app_release_id) AS release, session.environment, session.user_hash,
       session.status, session.seq, session.started_at, session.sent_at, session.errors, session.duration, session.abnormal_mechanism
     FROM tracked_sessions AS session WHERE session.project_id = $projectId AND session.sid = $sid`,
    { projectId, sid },
  );
}

/** Stores a session. Columns that never change are written with the first report only. */
export function putSession(
  store: Store,
  row: Omit<SessionRow, 'release'> & {
    readonly projectId: number;
    readonly sid: Buffer | null;
    readonly releaseId: number;
    readonly receivedAt: number;
  },
): void {
  store.run(
    `INSERT INTO tracked_sessions
       (project_id, sid, app_release_id, environment, user_hash, status, seq, started_at, sent_at, received_at, errors, duration,
        abnormal_mechanism)
     VALUES ($projectId, $sid, $releaseId, $environment, $user_hash, $status, $seq, $started_at, $sent_at, $receivedAt, $errors,
             $duration, $abnormal_mechanism)
     ON CONFLICT (project_id, sid) DO UPDATE SET status = excluded.status, seq = excluded.seq, sent_at = excluded.sent_at,
       received_at = excluded.received_at, errors = excluded.errors, duration = excluded.duration,
       abnormal_mechanism = excluded.abnormal_mechanism`,
    { ...row },
  );
}

/** Adds sessions of one minute to the existing counts. */
export function addSessionCounts(
  store: Store,
  row: {
    readonly projectId: number;
    readonly releaseId: number;
    readonly environment: string;
    readonly userHash: Buffer;
    readonly startedAt: number;
    readonly receivedAt: number;
    readonly exited: number;
    readonly errored: number;
    readonly crashed: number;
    readonly abnormal: number;
  },
): void {
  store.run(
    `INSERT INTO tracked_session_counts
       (project_id, app_release_id, environment, user_hash, started_at, received_at, exited, errored, crashed, abnormal)
     VALUES ($projectId, $releaseId, $environment, $userHash, $startedAt, $receivedAt, $exited, $errored, $crashed, $abnormal)
     ON CONFLICT DO UPDATE SET received_at = excluded.received_at, exited = exited + excluded.exited,
       errored = errored + excluded.errored, crashed = crashed + excluded.crashed, abnormal = abnormal + excluded.abnormal`,
    row,
  );
}

/** Returns true if the project has not received this request since `since`. Older requests are deleted. */
export function isNewRequest(
  store: Store,
  row: { readonly projectId: number; readonly hash: Buffer; readonly receivedAt: number; readonly since: number },
): boolean {
  store.run('DELETE FROM tracked_session_requests WHERE received_at < $since', { since: row.since });
  const { changes } = store.run(
    `INSERT INTO tracked_session_requests (project_id, hash, received_at) VALUES ($projectId, $hash, $receivedAt)
     ON CONFLICT DO NOTHING`,
    { projectId: row.projectId, hash: row.hash, receivedAt: row.receivedAt },
  );
  return changes > 0;
}

/** Single sessions, and counts of sessions from SDKs. Both tables have an index by time of receipt. */
export const sessionTables = ['tracked_sessions', 'tracked_session_counts'] as const;

type ReceivedTable = (typeof sessionTables)[number] | 'tracked_session_requests';

/** Returns when the oldest row was received, or null if there is none. */
export function oldestSession(store: Store, table: ReceivedTable): number | null {
  return store.get<{ at: number | null }>(`SELECT min(received_at) AS at FROM ${table}`)?.at ?? null;
}

/** Deletes up to `most` rows that were received until a time, the oldest first. Returns their number. */
export function removeOldSessions(store: Store, table: ReceivedTable, until: number, most: number): number {
  const sql = `DELETE FROM ${table} WHERE received_at <= $until ORDER BY received_at LIMIT $most`;
  return store.run(sql, { until, most }).changes;
}

/** Filter of sessions and events. Times are milliseconds since 1970, `from` inclusive and `to` exclusive. */
export interface HealthWindow {
  readonly environment?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

interface WindowParams {
  readonly environment: string | null;
  readonly from: number;
  readonly to: number;
}

export function windowParams({ environment, from, to }: HealthWindow): WindowParams {
  return { environment: environment ?? null, from: from ?? 0, to: to ?? Number.MAX_SAFE_INTEGER };
}

const SESSION_IN = 'started_at >= $from AND started_at < $to AND ($environment IS NULL OR environment = $environment)';
const EVENT_IN =
  'event.occurred_at >= $from AND event.occurred_at < $to AND ($environment IS NULL OR event.environment = $environment)';

export interface SessionSums {
  readonly release_id: number;
  readonly total: number;
  readonly crashed: number;
  readonly abnormal: number;
  readonly errored: number;
  readonly users: number;
  readonly crashed_users: number;
}

/** Returns sums by release. Releases without sessions are left out. */
export function sessionSums(store: Store, releaseIds: readonly number[], window: HealthWindow): Promise<SessionSums[]> {
  return store.runInReader<SessionSums>(
    `SELECT app_release_id AS release_id, SUM(total) AS total, SUM(crashed) AS crashed, SUM(abnormal) AS abnormal,
       SUM(errored) AS errored, COUNT(DISTINCT NULLIF(user_hash, x'')) AS users,
       COUNT(DISTINCT CASE WHEN crashed > 0 THEN NULLIF(user_hash, x'') END) AS crashed_users
     FROM (
       SELECT app_release_id, user_hash, 1 AS total, status = 'crashed' AS crashed, status = 'abnormal' AS abnormal,
         status IN ('ok', 'exited') AND errors > 0 AS errored
       FROM tracked_sessions WHERE app_release_id IN (SELECT value FROM json_each($ids)) AND ${SESSION_IN}
       UNION ALL
       SELECT app_release_id, user_hash, exited + errored + crashed + abnormal, crashed, abnormal, errored
       FROM tracked_session_counts WHERE app_release_id IN (SELECT value FROM json_each($ids)) AND ${SESSION_IN}
     ) GROUP BY app_release_id`,
    { ids: JSON.stringify(releaseIds), ...windowParams(window) },
  );
}

/** Returns the median duration of exited sessions by release, in seconds. */
export function medianDurations(
  store: Store,
  releaseIds: readonly number[],
  window: HealthWindow,
): Promise<{ readonly release_id: number; readonly duration: number }[]> {
  return store.runInReader(
    `SELECT release_id, AVG(duration) AS duration FROM (
       SELECT app_release_id AS release_id, duration,
         ROW_NUMBER() OVER (PARTITION BY app_release_id ORDER BY duration) AS place,
         COUNT(*) OVER (PARTITION BY app_release_id) AS count
       FROM tracked_sessions
       WHERE app_release_id IN (SELECT value FROM json_each($ids)) AND status = 'exited' AND duration IS NOT NULL AND ${SESSION_IN}
     ) WHERE place IN ((count + 1) / 2, count / 2 + 1) GROUP BY release_id`,
    { ids: JSON.stringify(releaseIds), ...windowParams(window) },
  );
}

/** Returns the number of sessions of each release of a project. */
export function sessionTotals(
  store: Store,
  projectId: number,
  window: HealthWindow,
): Promise<{ readonly release_id: number; readonly total: number }[]> {
  return store.runInReader(
    `SELECT app_release_id AS release_id, SUM(total) AS total FROM (
       SELECT app_release_id, 1 AS total FROM tracked_sessions WHERE project_id = $projectId AND ${SESSION_IN}
       UNION ALL
       SELECT app_release_id, exited + errored + crashed + abnormal
       FROM tracked_session_counts WHERE project_id = $projectId AND ${SESSION_IN}
     ) GROUP BY app_release_id`,
    { projectId, ...windowParams(window) },
  );
}

export interface ErrorSums {
  readonly release_id: number;
  readonly events: number;
  readonly new_errors: number;
}

/** Returns the number of events by release, and the number of errors that first occurred in it. */
export function errorSums(store: Store, releaseIds: readonly number[], window: HealthWindow): Promise<ErrorSums[]> {
  return store.runInReader<ErrorSums>(
    `SELECT value AS release_id,
       (SELECT COUNT(*) FROM tracked_events AS event WHERE event.app_release_id = value AND ${EVENT_IN}) AS events,
       (SELECT COUNT(*) FROM tracked_errors AS error WHERE error.first_release_id = value
          AND error.first_seen_at >= $from AND error.first_seen_at < $to
          AND ($environment IS NULL OR EXISTS (
            SELECT 1 FROM tracked_groupings AS one JOIN tracked_events AS event ON event.grouping_id = one.id
            WHERE one.error_id = error.id AND event.app_release_id = error.first_release_id AND event.environment = $environment)))
         AS new_errors
     FROM json_each($ids)`,
    { ids: JSON.stringify(releaseIds), ...windowParams(window) },
  );
}

export interface AppReleaseRow {
  readonly id: number;
  readonly version: string;
  readonly first_seen_at: number;
}

/** Returns the releases of a project, the latest first. */
export function listAppReleases(
  store: Store,
  projectId: number,
  page: { readonly below?: number | undefined; readonly limit: number },
): AppReleaseRow[] {
  return store.all<AppReleaseRow>(
    `SELECT id, version, first_seen_at FROM app_releases WHERE project_id = $projectId AND id < $below ORDER BY id DESC LIMIT $limit`,
    { projectId, below: page.below ?? Number.MAX_SAFE_INTEGER, limit: page.limit },
  );
}

/** Returns the releases of a project with these versions. */
export function releasesNamed(
  store: Store,
  projectId: number,
  versions: readonly string[],
): { readonly id: number; readonly version: string }[] {
  return store.all(
    `SELECT id, version FROM app_releases
     WHERE project_id = $projectId AND version IN (SELECT value FROM json_each($versions)) ORDER BY id DESC`,
    { projectId, versions: JSON.stringify(versions) },
  );
}
