import { DAY } from '../../../core/clock.ts';
import type { Store } from '../../../store/open.ts';

/**
 * Outcome of items: stored, duplicate, of an ignored type, read but not stored, or discarded by the SDK itself. Outcome of
 * requests: refused.
 */
export type Outcome = 'accepted' | 'repeated' | 'ignored' | 'dropped' | 'discarded' | 'refused';

export interface IngestStatsRow {
  readonly outcome: Outcome;
  /** Type of the items, or the reason why they were not stored. */
  readonly name: string;
  /** Category of items discarded by an SDK, otherwise empty. */
  readonly category: string;
  readonly quantity: number;
  readonly last_at: number;
}

export interface DayRow extends IngestStatsRow {
  readonly project_id: number;
  /** Days since 1970, UTC. */
  readonly day: number;
}

/** Adds to an existing counter. Returns false if there is none. */
export function addToIngestStats(store: Store, row: DayRow): boolean {
  return (
    store.run(
      `UPDATE tracked_arrivals SET quantity = min(quantity + $quantity, ${Number.MAX_SAFE_INTEGER}), last_at = max(last_at, $last_at)
       WHERE project_id = $project_id AND day = $day AND outcome = $outcome AND name = $name AND category = $category`,
      { ...row },
    ).changes > 0
  );
}

export function countIngestStatsRows(store: Store, { project_id: projectId, day, outcome }: DayRow): number {
  const row = store.get<{ readonly count: number }>(
    'SELECT count(*) AS count FROM tracked_arrivals WHERE project_id = $projectId AND day = $day AND outcome = $outcome',
    { projectId, day, outcome },
  );
  return row?.count ?? 0;
}

export function insertIngestStats(store: Store, row: DayRow): void {
  store.run(
    `INSERT INTO tracked_arrivals (project_id, day, outcome, name, category, quantity, last_at)
     VALUES ($project_id, $day, $outcome, $name, $category, $quantity, $last_at)`,
    { ...row },
  );
}

/** Returns the counters of a project since a day, the largest first. Uses the primary key. */
export function ingestStatsRows(store: Store, projectId: number, sinceDay: number): IngestStatsRow[] {
  return store.all<IngestStatsRow>(
    `SELECT outcome, name, category, min(sum(quantity), ${Number.MAX_SAFE_INTEGER}) AS quantity, max(last_at) AS last_at
     FROM tracked_arrivals WHERE project_id = $projectId AND day >= $sinceDay
     GROUP BY outcome, name, category ORDER BY 4 DESC, name, category`,
    { projectId, sinceDay },
  );
}

export interface RefusalRow {
  readonly project_id: number;
  readonly at: number;
  readonly code: string;
  readonly status: number;
  readonly reason: string;
  readonly endpoint: 'envelope' | 'store' | 'stream';
  /** First characters of the client key. */
  readonly key_start: string | null;
  /** Name and version of the SDK. */
  readonly client: string | null;
}

/** Stores the latest refused request of a project, replacing the previous one. */
export function writeRefusal(store: Store, row: RefusalRow): void {
  store.run(
    `INSERT INTO tracked_refusals (project_id, at, code, status, reason, endpoint, key_start, client)
     VALUES ($project_id, $at, $code, $status, $reason, $endpoint, $key_start, $client)
     ON CONFLICT (project_id) DO UPDATE SET at = $at, code = $code, status = $status, reason = $reason, endpoint = $endpoint,
       key_start = $key_start, client = $client`,
    { ...row },
  );
}

export function refusalRow(store: Store, projectId: number, since: number): RefusalRow | undefined {
  return store.get<RefusalRow>('SELECT * FROM tracked_refusals WHERE project_id = $projectId AND at >= $since', {
    projectId,
    since,
  });
}

/**
 * Returns the first day, since 1970, with a counter or refusal, or null. Uses the index tracked_arrivals_by_day; a project has
 * one refusal.
 */
export function oldestIngestDay(store: Store): number | null {
  const sql = `SELECT min(day) AS day FROM (
    SELECT min(day) AS day FROM tracked_arrivals UNION ALL SELECT min(at) / ${DAY} FROM tracked_refusals)`;
  return store.get<{ day: number | null }>(sql)?.day ?? null;
}

/** Deletes refusals and up to `most` counters of earlier days. Returns the number of deleted counters. */
export function deleteIngestStatsBefore(store: Store, day: number, most: number): number {
  return store.transaction(() => {
    store.run('DELETE FROM tracked_refusals WHERE at < $before', { before: day * DAY });
    return store.run('DELETE FROM tracked_arrivals WHERE day < $day ORDER BY day LIMIT $most', { day, most }).changes;
  });
}
