import type { TestServer } from '../../support/server.ts';

/** A recorded notification event. */
export interface Recorded {
  readonly event: string;
  /** Username; null if nobody caused it. */
  readonly actor: string | null;
  /** Type and ID of the target, such as `Issue 1`. */
  readonly target: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Returns a function that returns the events recorded since its last call. */
export function recorder({ platform }: TestServer): () => Recorded[] {
  let last = 0;
  return () => {
    const events = eventsAfter(platform, last);
    last = events.at(-1)?.id ?? last;
    return events.map(({ event, actor, target, details }) => ({ event, actor, target, details }));
  };
}

/** Returns the events with higher IDs than `id`. */
export function eventsAfter({ store }: TestServer['platform'], id: number): (Recorded & { readonly id: number })[] {
  const rows = store.all<{ id: number; event: string; actor: string | null; target: string; details: string }>(
    `SELECT e.id, e.event, u.username AS actor, e.target_type || ' ' || e.target_id AS target, e.details
     FROM notification_events e LEFT JOIN users u ON u.id = e.actor_id WHERE e.id > $id ORDER BY e.id`,
    { id },
  );
  return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as Recorded['details'] }));
}
