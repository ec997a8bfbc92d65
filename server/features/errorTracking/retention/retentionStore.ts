import type { Store } from '../../../store/open.ts';

/** Numbers to subtract for events of one grouping. */
export interface Sum {
  readonly errorId: number;
  readonly events: number;
  readonly hours: ReadonlyMap<number, number>;
  readonly facets: readonly { readonly kind: string; readonly value: string; readonly events: number }[];
  readonly users: readonly { readonly hash: Uint8Array; readonly events: number }[];
}

export interface ExpiredEvent {
  readonly id: number;
  readonly grouping_id: number;
  readonly error_id: number;
  readonly occurred_at: number;
  readonly user_hash: Uint8Array | null;
  readonly environment: string | null;
  readonly level: string;
  readonly release: string | null;
}

/**
 * Returns when the oldest event was received, or null if there is none. Uses the index tracked_events_by_receipt; the inbox of
 * uncounted events is small.
 */
export function oldestEvent(store: Store): number | null {
  const sql = `SELECT min(at) AS at FROM (
    SELECT min(received_at) AS at FROM tracked_events UNION ALL SELECT min(received_at) FROM tracked_inbox)`;
  return store.get<{ at: number | null }>(sql)?.at ?? null;
}

/** Uses the index tracked_events_by_receipt. */
export function expiredEvents(store: Store, until: number, most: number): ExpiredEvent[] {
  return store.all<ExpiredEvent>(
    `SELECT event.id, event.grouping_id, one.error_id, event.occurred_at, event.user_hash, event.environment, event.level,
       (SELECT version FROM app_releases WHERE id = event.app_release_id) AS release
     FROM tracked_events AS event JOIN tracked_groupings AS one ON one.id = event.grouping_id
     WHERE event.received_at <= $until ORDER BY event.received_at LIMIT $most`,
    { until, most },
  );
}

/** Deletes events with their payloads. */
export function removeEvents(store: Store, ids: readonly number[]): void {
  const params = { ids: JSON.stringify(ids) };
  store.run(
    `DELETE FROM tracked_payloads WHERE id IN (SELECT payload_id FROM tracked_events WHERE id IN (SELECT value FROM json_each($ids)))
       AND event_id IN (SELECT value FROM json_each($ids))`,
    params,
  );
  store.run('DELETE FROM tracked_events WHERE id IN (SELECT value FROM json_each($ids))', params);
}

export function subtractFromGrouping(store: Store, groupingId: number, sum: Sum): void {
  store.run('UPDATE tracked_groupings SET event_count = event_count - $events WHERE id = $groupingId', {
    groupingId,
    events: sum.events,
  });
  for (const [hour, events] of sum.hours) {
    const key = { groupingId, hour };
    store.run('UPDATE tracked_hours SET event_count = event_count - $events WHERE grouping_id = $groupingId AND hour = $hour', {
      ...key,
      events,
    });
    store.run('DELETE FROM tracked_hours WHERE grouping_id = $groupingId AND hour = $hour AND event_count <= 0', key);
  }
  for (const { kind, value, events } of sum.facets) {
    const key = { groupingId, kind, value };
    store.run(
      `UPDATE tracked_facets SET event_count = event_count - $events
       WHERE grouping_id = $groupingId AND kind = $kind AND value = $value`,
      { ...key, events },
    );
    store.run(
      'DELETE FROM tracked_facets WHERE grouping_id = $groupingId AND kind = $kind AND value = $value AND event_count <= 0',
      key,
    );
  }
  let gone = 0;
  for (const { hash, events } of sum.users) {
    const key = { groupingId, hash };
    store.run(
      'UPDATE tracked_users SET event_count = event_count - $events WHERE grouping_id = $groupingId AND user_hash = $hash',
      {
        ...key,
        events,
      },
    );
    const { changes } = store.run(
      'DELETE FROM tracked_users WHERE grouping_id = $groupingId AND user_hash = $hash AND event_count <= 0',
      key,
    );
    if (changes > 0 && !isUserElsewhere(store, sum.errorId, groupingId, hash)) gone += 1;
  }
  store.run(
    // The oldest events are deleted first. They were counted before the error was ignored, if it is.
    `UPDATE tracked_errors SET event_count = event_count - $events, user_count = user_count - $gone,
       counted_events = MAX(0, counted_events - $events) WHERE id = $errorId`,
    {
      errorId: sum.errorId,
      events: sum.events,
      gone,
    },
  );
}

/** Deletes those of the errors that have no events left. */
export function removeEmptyErrors(store: Store, ids: readonly number[]): void {
  store.run('DELETE FROM tracked_errors WHERE event_count <= 0 AND id IN (SELECT value FROM json_each($ids))', {
    ids: JSON.stringify(ids),
  });
}

/** Returns true if another grouping of the error has seen the user. */
function isUserElsewhere(store: Store, errorId: number, groupingId: number, userHash: Uint8Array): boolean {
  const found = store.get(
    `SELECT 1 FROM tracked_groupings AS other JOIN tracked_users AS person ON person.grouping_id = other.id
     WHERE other.error_id = $errorId AND other.id <> $groupingId AND person.user_hash = $userHash LIMIT 1`,
    { errorId, groupingId, userHash },
  );
  return found !== undefined;
}
