import type { Store } from '../../../store/open.ts';
import type { EventLevel } from '../event/trackedEvent.ts';
import type { CountedEvent } from '../status/errorStatus.ts';
import { WRITTEN, type WrittenError } from '../status/statusStore.ts';
import type { Appearance } from './eventStore.ts';

/**
 * Statements that count the events in the inbox. Each statement processes the whole inbox, so that values shared by many events
 * are written once.
 */

export interface GroupingSum {
  /** ID of the grouping. */
  readonly id: number;
  readonly error_id: number;
  readonly events: number;
  readonly first: number;
  readonly last: number;
  /** Number of events of the error before these are counted. */
  readonly counted: number;
  readonly last_seen_at: number;
}

/** Deletes events whose grouping was deleted after they were received. */
export function removeOrphans(store: Store): void {
  store.run('DELETE FROM tracked_inbox WHERE grouping_id NOT IN (SELECT id FROM tracked_groupings)');
}

export function inboxSums(store: Store): GroupingSum[] {
  return store.all<GroupingSum>(
    `SELECT one.id, one.error_id, COUNT(*) AS events, MIN(inbox.occurred_at) AS first, MAX(inbox.occurred_at) AS last,
       error.event_count AS counted, error.last_seen_at
     FROM tracked_inbox AS inbox JOIN tracked_groupings AS one ON one.id = inbox.grouping_id
       JOIN tracked_errors AS error ON error.id = one.error_id
     GROUP BY inbox.grouping_id`,
  );
}

/**
 * Copies the inbox into the event table, without payloads, and assigns each event a payload slot. The `stored` slots of a
 * grouping are reused in turn.
 */
export function insertEvents(store: Store, stored: number): void {
  store.run(
    `INSERT INTO tracked_events
       (id, project_id, event_id, grouping_id, occurred_at, received_at, user_hash, app_release_id, environment, level, payload_id)
     SELECT inbox.id, inbox.project_id, inbox.event_id, inbox.grouping_id, inbox.occurred_at, inbox.received_at, inbox.user_hash,
       inbox.app_release_id, inbox.environment, inbox.level,
       inbox.grouping_id * 256
         + (one.payload_number - 1 + row_number() OVER (PARTITION BY inbox.grouping_id ORDER BY inbox.id)) % ?
     FROM tracked_inbox AS inbox JOIN tracked_groupings AS one ON one.id = inbox.grouping_id
     ORDER BY inbox.id`,
    [stored],
  );
}

/** Copies the payloads into the slots of their events and overwrites older payloads. */
export function placePayloads(store: Store): void {
  store.run(
    `INSERT OR REPLACE INTO tracked_payloads (id, event_id, encoding, form, ordinal, bytes, sender_address, sender_client)
     SELECT event.payload_id, event.id, inbox.encoding, inbox.form, inbox.ordinal, inbox.bytes, inbox.sender_address, inbox.sender_client
     FROM tracked_inbox AS inbox CROSS JOIN tracked_events AS event ON event.id = inbox.id ORDER BY inbox.id`,
  );
}

export function addToGrouping(store: Store, { id, events, first, last }: GroupingSum): void {
  store.run(
    `UPDATE tracked_groupings SET event_count = event_count + ?, payload_number = payload_number + ?,
       first_seen_at = MIN(first_seen_at, ?), last_seen_at = MAX(last_seen_at, ?)
     WHERE id = ?`,
    [events, events, first, last, id],
  );
}

const ADD = 'ON CONFLICT DO UPDATE SET event_count = event_count + excluded.event_count';

export function addHours(store: Store): void {
  store.run(
    `INSERT INTO tracked_hours (grouping_id, hour, event_count)
     SELECT grouping_id, occurred_at / 3600000, COUNT(*) FROM tracked_inbox WHERE true GROUP BY 1, 2 ${ADD}`,
  );
}

export function addFacets(store: Store): void {
  for (const kind of ['environment', 'level'] as const) {
    store.run(
      `INSERT INTO tracked_facets (grouping_id, kind, value, event_count)
       SELECT grouping_id, '${kind}', ${kind}, COUNT(*) FROM tracked_inbox WHERE ${kind} IS NOT NULL GROUP BY 1, 3 ${ADD}`,
    );
  }
  store.run(
    `INSERT INTO tracked_facets (grouping_id, kind, value, event_count)
     SELECT inbox.grouping_id, 'release', release.version, inbox.events
     FROM (SELECT grouping_id, app_release_id, COUNT(*) AS events FROM tracked_inbox WHERE app_release_id IS NOT NULL GROUP BY 1, 2)
       AS inbox JOIN app_releases AS release ON release.id = inbox.app_release_id
     WHERE true ${ADD}`,
  );
}

/** Adds the users. Returns the number of new users by error. */
export function addUsers(store: Store): Map<number, number> {
  const rows = store.all<{ readonly error_id: number; readonly users: number }>(
    `SELECT error_id, COUNT(*) AS users FROM (
       SELECT DISTINCT one.error_id, inbox.user_hash
       FROM tracked_inbox AS inbox JOIN tracked_groupings AS one ON one.id = inbox.grouping_id WHERE inbox.user_hash IS NOT NULL
     ) AS seen WHERE NOT EXISTS (
       SELECT 1 FROM tracked_groupings AS one JOIN tracked_users AS person ON person.grouping_id = one.id
       WHERE one.error_id = seen.error_id AND person.user_hash = seen.user_hash
     ) GROUP BY error_id`,
  );
  store.run(
    `INSERT INTO tracked_users (grouping_id, user_hash, event_count)
     SELECT grouping_id, user_hash, COUNT(*) FROM tracked_inbox WHERE user_hash IS NOT NULL GROUP BY 1, 2 ${ADD}`,
  );
  return new Map(rows.map(({ error_id: id, users }) => [id, users]));
}

export interface LatestRow extends Appearance {
  readonly grouping_id: number;
  readonly occurred_at: number;
  readonly app_release_id: number | null;
}

/** Returns candidates for the latest event of each grouping, in the order in which they were received. */
export function latestRows(store: Store): LatestRow[] {
  return store.all<LatestRow>(
    `SELECT grouping_id, occurred_at, app_release_id, appearance ->> 'title' AS title, appearance ->> 'type' AS type,
       appearance ->> 'message' AS message, appearance ->> 'culprit' AS culprit, appearance ->> 'platform' AS platform,
       appearance ->> 'level' AS level
     FROM tracked_inbox WHERE appearance IS NOT NULL ORDER BY id`,
  );
}

/** Returns the release of the earliest event of an error in the inbox. */
export function earliestRelease(store: Store, errorId: number): number | null {
  const row = store.get<{ readonly id: number | null }>(
    `SELECT inbox.app_release_id AS id FROM tracked_inbox AS inbox JOIN tracked_groupings AS one ON one.id = inbox.grouping_id
     WHERE one.error_id = ? ORDER BY inbox.occurred_at, inbox.id LIMIT 1`,
    [errorId],
  );
  return row?.id ?? null;
}

/** Returns the events of an error in the inbox, in the order in which they were received. */
export function seenRows(store: Store, errorId: number): CountedEvent[] {
  return store.all<CountedEvent>(
    `SELECT inbox.occurred_at, inbox.received_at, (SELECT version FROM app_releases WHERE id = inbox.app_release_id) AS release
     FROM tracked_inbox AS inbox JOIN tracked_groupings AS one ON one.id = inbox.grouping_id
     WHERE one.error_id = ? ORDER BY inbox.id`,
    [errorId],
  );
}

export function clearInbox(store: Store): void {
  store.run('DELETE FROM tracked_inbox');
}

export function isInboxEmpty(store: Store): boolean {
  return store.get('SELECT 1 FROM tracked_inbox LIMIT 1') === undefined;
}

const ADD_TO_ERROR = `UPDATE tracked_errors SET event_count = event_count + ?, user_count = user_count + ? WHERE id = ?
  RETURNING ${WRITTEN}`;
const ADD_LATEST_TO_ERROR = `UPDATE tracked_errors SET event_count = event_count + ?, user_count = user_count + ?, title = ?, type = ?,
    message = ?, culprit = ?, platform = ?, level = ?, last_seen_at = ?, last_release_id = ?
  WHERE id = ? RETURNING ${WRITTEN}`;

export function addToError(store: Store, id: number, events: number, users: number): WrittenError | undefined {
  return store.get<WrittenError>(ADD_TO_ERROR, [events, users, id]);
}

/**
 * Adds events that include the latest one, whose title and other members the error takes. One statement, so that indexes are
 * written once.
 */
export function addLatestToError(
  store: Store,
  id: number,
  events: number,
  users: number,
  latest: LatestRow,
): WrittenError | undefined {
  const { title, type, message, culprit, platform, level, occurred_at: at, app_release_id: releaseId } = latest;
  return store.get<WrittenError>(ADD_LATEST_TO_ERROR, [
    events,
    users,
    title,
    type,
    message,
    culprit,
    platform,
    level satisfies EventLevel,
    at,
    releaseId,
    id,
  ]);
}
