import type { TrackingCore } from '../trackingCore.ts';
import { DAY, HOUR } from '../../../core/clock.ts';
import { retentionWork } from '../../../core/retention.ts';
import type { Store } from '../../../store/open.ts';
import {
  expiredEvents,
  type ExpiredEvent,
  oldestEvent,
  removeEmptyErrors,
  removeEvents,
  type Sum,
  subtractFromGrouping,
} from './retentionStore.ts';
import { endOfOldestIngestStats, removeOldIngestStats } from '../receive/ingestReport.ts';
import { oldestSession, removeOldSessions, sessionTables } from '../releases/sessionStore.ts';

/** Rows deleted per turn of the event loop. This takes as long as writing the events of 64 senders. */
const ROWS_PER_TURN = 100;
/** Requests with sessions that are forgotten per turn of the event loop. */
const REQUESTS_PER_TURN = 500;

/** Schedules the deletion of expired data. An error is deleted with its last event. */
export function scheduleRetention(core: TrackingCore): void {
  const { store, schedule, inbox } = core;
  schedule.add(
    retentionWork({
      name: 'delete tracked events past their retention',
      oldest: () => oldestEvent(store),
      deleteUntil: (time) => {
        inbox.flush();
        return removeOldEvents(store, time) === ROWS_PER_TURN;
      },
    }),
  );
  for (const table of sessionTables) {
    schedule.add(
      retentionWork({
        name: `delete rows of ${table} past their retention`,
        oldest: () => oldestSession(store, table),
        deleteUntil: (time) => removeOldSessions(store, table, time, ROWS_PER_TURN) === ROWS_PER_TURN,
      }),
    );
  }
  schedule.add(
    retentionWork({
      name: 'clean-up of tracked_session_requests',
      period: DAY,
      oldest: () => oldestSession(store, 'tracked_session_requests'),
      deleteUntil: (time) => removeOldSessions(store, 'tracked_session_requests', time, REQUESTS_PER_TURN) === REQUESTS_PER_TURN,
    }),
  );
  schedule.add({
    name: 'delete ingest statistics past their retention',
    next: () => endOfOldestIngestStats({ store }),
    run: (now) => removeOldIngestStats({ store }, now),
  });
}

/**
 * Deletes one slice of the events received until a time, the oldest first, and subtracts them from all counters. Returns their
 * number.
 */
function removeOldEvents(store: Store, until: number): number {
  return store.transaction(() => {
    const events = expiredEvents(store, until, ROWS_PER_TURN);
    if (events.length === 0) return 0;
    const byGrouping = Map.groupBy(events, ({ grouping_id: id }) => id);
    removeEvents(
      store,
      events.map(({ id }) => id),
    );
    for (const [groupingId, ofGrouping] of byGrouping) subtractFromGrouping(store, groupingId, sumOf(ofGrouping));
    removeEmptyErrors(store, [...new Set(events.map(({ error_id: id }) => id))]);
    return events.length;
  });
}

function sumOf(events: readonly ExpiredEvent[]): Sum {
  const facets = new Map<string, { kind: string; value: string; events: number }>();
  const users = new Map<string, { hash: Uint8Array; events: number }>();
  const hours = new Map<number, number>();
  for (const event of events) {
    const hour = Math.floor(event.occurred_at / HOUR);
    hours.set(hour, (hours.get(hour) ?? 0) + 1);
    for (const [kind, value] of [
      ['level', event.level],
      ['environment', event.environment],
      ['release', event.release],
    ] as const) {
      if (value === null) continue;
      const facet = facets.get(kind + value) ?? { kind, value, events: 0 };
      facet.events += 1;
      facets.set(kind + value, facet);
    }
    if (event.user_hash !== null) {
      const name = Buffer.from(event.user_hash).toString('latin1');
      const user = users.get(name) ?? { hash: event.user_hash, events: 0 };
      user.events += 1;
      users.set(name, user);
    }
  }
  return {
    errorId: events[0]?.error_id ?? 0,
    events: events.length,
    hours,
    facets: [...facets.values()],
    users: [...users.values()],
  };
}
