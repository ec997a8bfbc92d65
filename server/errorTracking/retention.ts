import { DAY, HOUR } from '../clock.ts';
import type { Platform } from '../platform.ts';
import type { Store } from '../store/open.ts';
import {
  expiredEvents,
  type ExpiredEvent,
  removeEmptyErrors,
  removeEvents,
  type Sum,
  subtractFromGrouping,
} from './retentionStore.ts';
import { dropOldArrivals } from './arrivals/arrivalReport.ts';
import { removeOldSessions } from './releases/sessionStore.ts';

/** Events and sessions are kept for so long after they were received (decisions.md §5). */
export const RETENTION = 90 * DAY;
/** So many events go at a time, so that nobody waits long behind them: a chunk takes as long as to write what 64 senders bring. */
const CHUNK = 100;

/** Removes events and sessions that have become too old, and the error when its last event goes: once an hour, and when the clock is moved. */
export function scheduleRetention({ store, schedule, clock, log, inbox }: Platform): void {
  let next = clock.now() + HOUR;
  let isRunning = false;
  const step = (before: number): void => {
    try {
      inbox.settle();
      const removed = Math.max(removeOldEvents(store, before), removeOldSessions(store, before, CHUNK));
      if (removed < CHUNK) isRunning = false;
      else setImmediate(step, before);
    } catch (error) {
      isRunning = false;
      log.error('old events could not be removed', error);
    }
  };
  schedule.add({
    name: 'retention of tracked errors',
    next: () => next,
    run: (now) => {
      next = now + HOUR;
      dropOldArrivals({ store }, now);
      if (isRunning) return;
      isRunning = true;
      step(now - RETENTION);
    },
  });
}

/** Removes the oldest events received before a time, up to a hundred, with all that they counted for. Answers how many there were. */
export function removeOldEvents(store: Store, before: number): number {
  return store.transaction(() => {
    const events = expiredEvents(store, before, CHUNK);
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
