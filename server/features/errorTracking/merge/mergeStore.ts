import type { Store } from '../../../store/open.ts';
import type { EventLevel } from '../event/trackedEvent.ts';
import type { GroupingOfError } from '../read/errorReadStore.ts';
import type { Appearance } from '../write/eventStore.ts';

/** Statements of merging and splitting. Counters of groupings stay unchanged; only the sums of errors are recalculated. */

/** Moves groupings to another error. */
export function repoint(store: Store, groupingIds: readonly number[], errorId: number): void {
  store.run('UPDATE tracked_groupings SET error_id = $errorId WHERE id IN (SELECT value FROM json_each($ids))', {
    errorId,
    ids: JSON.stringify(groupingIds),
  });
}

export function repointAll(store: Store, fromErrorId: number, toErrorId: number): void {
  store.run('UPDATE tracked_groupings SET error_id = $toErrorId WHERE error_id = $fromErrorId', { fromErrorId, toErrorId });
}

export function removeError(store: Store, id: number): void {
  store.run('DELETE FROM tracked_errors WHERE id = $id', { id });
}

/** Recalculates the sums of an error from its groupings. A user in several groupings counts once. */
export function recalculateSums(store: Store, id: number): void {
  store.run(
    `UPDATE tracked_errors SET
       event_count = (SELECT COALESCE(SUM(event_count), 0) FROM tracked_groupings WHERE error_id = $id),
       user_count = (SELECT COUNT(DISTINCT person.user_hash) FROM tracked_groupings AS one
         JOIN tracked_users AS person ON person.grouping_id = one.id WHERE one.error_id = $id)
     WHERE id = $id`,
    { id },
  );
}

/**
 * Adjusts the number of events, and of events in that hour, that an error had when it was ignored, so that only later events are
 * counted.
 */
export function addToCounted(store: Store, id: number, events: number, ofHour: number): void {
  store.run(
    `UPDATE tracked_errors SET counted_events = MAX(0, counted_events + $events), counted_of_hour = MAX(0, counted_of_hour + $ofHour)
     WHERE id = $id`,
    { id, events, ofHour },
  );
}

/** Counts the events of a grouping that were received until a time, and those of them that occurred in an hour. */
export function countBefore(
  store: Store,
  groupingId: number,
  at: number,
  hour: number,
): { readonly events: number; readonly ofHour: number } {
  const row = store.get<{ readonly events: number; readonly ofHour: number }>(
    `SELECT COUNT(*) AS events, COUNT(CASE WHEN occurred_at / 3600000 = $hour THEN 1 END) AS ofHour
     FROM tracked_events WHERE grouping_id = $groupingId AND received_at <= $at`,
    { groupingId, at, hour },
  );
  return row ?? { events: 0, ofHour: 0 };
}

/** Columns of an error that belong to its oldest and newest events. */
export interface Ends {
  readonly title: string;
  readonly type: string | null;
  readonly message: string | null;
  readonly culprit: string;
  readonly platform: string;
  readonly level: EventLevel;
  readonly first_seen_at: number;
  readonly last_seen_at: number;
  readonly first_release_id: number | null;
  readonly last_release_id: number | null;
}

export function endsOf(store: Store, id: number): Ends | undefined {
  return store.get<Ends>(
    `SELECT title, type, message, culprit, platform, level, first_seen_at, last_seen_at, first_release_id, last_release_id
     FROM tracked_errors WHERE id = $id`,
    { id },
  );
}

/** Number of events searched for the earliest or latest one. Nearly all are received in the order in which they occur. */
const SEARCHED_EVENTS = 1000;

/** Returns the release of the earliest or latest event of a grouping. */
export function releaseAtEnd(store: Store, { id }: Pick<GroupingOfError, 'id'>, end: 'first' | 'last'): number | null {
  const direction = end === 'first' ? 'ASC' : 'DESC';
  const row = store.get<{ readonly app_release_id: number | null }>(
    `SELECT app_release_id FROM
       (SELECT id, occurred_at, app_release_id FROM tracked_events WHERE grouping_id = $id ORDER BY id ${direction} LIMIT ${SEARCHED_EVENTS})
     ORDER BY occurred_at ${direction}, id ${direction} LIMIT 1`,
    { id },
  );
  return row?.app_release_id ?? null;
}

export function fingerprintById(store: Store, id: number): number {
  const row = store.get<{ readonly fingerprint: number }>('SELECT fingerprint FROM tracked_errors WHERE id = $id', { id });
  if (row === undefined) throw new Error(`error ${id} does not exist`);
  return row.fingerprint;
}

/** Sets the columns of an error that show its latest event. */
export function setLatest(
  store: Store,
  row: Appearance & { readonly id: number; readonly at: number; readonly releaseId: number | null },
): void {
  store.run(
    `UPDATE tracked_errors SET title = $title, type = $type, message = $message, culprit = $culprit, platform = $platform, level = $level,
       last_seen_at = $at, last_release_id = $releaseId WHERE id = $id`,
    { ...row },
  );
}
