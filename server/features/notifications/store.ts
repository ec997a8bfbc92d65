import type { NotificationEvent } from '../../../src/contract/notifications.ts';
import type { Store } from '../../store/open.ts';
import type { TargetType } from './event.ts';

export interface EventRow {
  readonly id: number;
  readonly event: NotificationEvent;
  readonly actor_id: number | null;
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly target_type: TargetType;
  readonly target_id: number;
  /** {@link EventDetails} as JSON. */
  readonly details: string;
  readonly created_at: number;
  /** Users up to this ID have been decided. Null when all have, or when that was given up. */
  readonly decided_to: number | null;
  /** Number of failed attempts. */
  readonly failures: number;
  /** Time of the next attempt after a failed one. */
  readonly retry_at: number | null;
  readonly content_id: number | null;
}

type NewEventRow = Omit<EventRow, 'id' | 'decided_to' | 'content_id' | 'failures' | 'retry_at'>;

export function insertEvent(store: Store, event: NewEventRow): number {
  return store.run(
    `INSERT INTO notification_events (event, actor_id, project_id, group_id, target_type, target_id, details, created_at)
     VALUES ($event, $actor_id, $project_id, $group_id, $target_type, $target_id, $details, $created_at)`,
    { ...event },
  ).lastId;
}

/** Returns the oldest event of which not all users have been decided, without those that failed and have to wait. */
export function nextPending(store: Store, now: number): EventRow | undefined {
  const fresh = 'SELECT * FROM notification_events WHERE decided_to IS NOT NULL AND retry_at IS NULL ORDER BY id LIMIT 1';
  const failed = `SELECT * FROM notification_events WHERE decided_to IS NOT NULL AND retry_at <= $now ORDER BY retry_at, id LIMIT 1`;
  return store.get<EventRow>(fresh) ?? store.get<EventRow>(failed, { now });
}

/**
 * Returns when the next event has to be decided, at most `now` for one that was not tried yet, or null if none is left. Such an event can
 * have a time in the future if the clock was set back after it was recorded.
 */
export function nextPendingTime(store: Store, now: number): number | null {
  const first = store.get<{ readonly at: number }>(
    `SELECT coalesce(retry_at, min(created_at, $now)) AS at FROM notification_events
     WHERE decided_to IS NOT NULL ORDER BY retry_at, id LIMIT 1`,
    { now },
  );
  return first?.at ?? null;
}

/** Records the progress of an event; null when all users have been decided. */
export function writeProgress(store: Store, id: number, decidedTo: number | null, contentId: number | null): void {
  store.run('UPDATE notification_events SET decided_to = $decidedTo, content_id = $contentId, retry_at = NULL WHERE id = $id', {
    id,
    decidedTo,
    contentId,
  });
}

/** Records a failed attempt; `retryAt` is null if there is no further one. */
export function writeFailure(store: Store, id: number, retryAt: number | null): void {
  store.run(
    `UPDATE notification_events SET failures = failures + 1, retry_at = $retryAt,
       decided_to = CASE WHEN $retryAt IS NULL THEN NULL ELSE decided_to END
     WHERE id = $id`,
    { id, retryAt },
  );
}

export function insertDecision(
  store: Store,
  decision: {
    readonly eventId: number;
    readonly userId: number;
    readonly mailId: number | null;
    readonly mailed: 0 | 1;
    readonly details: string;
  },
): void {
  store.run(
    `INSERT INTO notification_decisions (event_id, user_id, mail_id, mailed, details)
     VALUES ($eventId, $userId, $mailId, $mailed, $details)`,
    decision,
  );
}

/** Returns the time of the oldest event that is no longer pending. */
export function oldestDecided(store: Store): number | null {
  const row = store.get<{ readonly created_at: number }>(
    'SELECT created_at FROM notification_events WHERE decided_to IS NULL ORDER BY created_at LIMIT 1',
  );
  return row?.created_at ?? null;
}

/**
 * Deletes the oldest events up to a time with their decisions, at most `limit` of each. Events with more decisions lose some of them first.
 * Returns true if something was deleted.
 */
export function deleteDecidedBefore(store: Store, time: number, limit: number): boolean {
  const oldest =
    'SELECT id FROM notification_events WHERE decided_to IS NULL AND created_at <= $time ORDER BY created_at LIMIT $limit';
  const decisions = store.run(
    `DELETE FROM notification_decisions WHERE (event_id, user_id) IN
       (SELECT d.event_id, d.user_id FROM (${oldest}) e CROSS JOIN notification_decisions d ON d.event_id = e.id LIMIT $limit)`,
    { time, limit },
  );
  const events = store.run(
    `DELETE FROM notification_events WHERE id IN
       (SELECT id FROM (${oldest}) e WHERE NOT EXISTS (SELECT 1 FROM notification_decisions d WHERE d.event_id = e.id))`,
    { time, limit },
  );
  return decisions.changes + events.changes > 0;
}
