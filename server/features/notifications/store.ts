import type { Store } from '../../store/open.ts';

export interface EventRow {
  readonly id: number;
  readonly event: string;
  readonly actor_id: number | null;
  readonly project_id: number | null;
  readonly group_id: number | null;
  readonly target_type: string;
  readonly target_id: number;
  /** {@link EventDetails} as JSON. */
  readonly details: string;
  readonly created_at: number;
  /** Users up to this ID have been decided. Null when all have. */
  readonly decided_to: number | null;
  readonly content_id: number | null;
}

export function insertEvent(store: Store, event: Omit<EventRow, 'id' | 'decided_to' | 'content_id'>): number {
  return store.run(
    `INSERT INTO notification_events (event, actor_id, project_id, group_id, target_type, target_id, details, created_at)
     VALUES ($event, $actor_id, $project_id, $group_id, $target_type, $target_id, $details, $created_at)`,
    { ...event },
  ).lastId;
}

/** Returns the oldest event of which not all users have been decided. */
export function nextPending(store: Store): EventRow | undefined {
  return store.get<EventRow>('SELECT * FROM notification_events WHERE decided_to IS NOT NULL ORDER BY id LIMIT 1');
}

/** Records the progress of an event; null when all users have been decided. */
export function writeProgress(store: Store, id: number, decidedTo: number | null, contentId: number | null): void {
  store.run('UPDATE notification_events SET decided_to = $decidedTo, content_id = $contentId WHERE id = $id', {
    id,
    decidedTo,
    contentId,
  });
}

export function insertDecision(
  store: Store,
  decision: {
    readonly eventId: number;
    readonly userId: number;
    readonly mailId: number | null;
    readonly mailed: 0 | 1;
    readonly facts: string;
  },
): void {
  store.run(
    `INSERT INTO notification_decisions (event_id, user_id, mail_id, mailed, facts)
     VALUES ($eventId, $userId, $mailId, $mailed, $facts)`,
    decision,
  );
}
