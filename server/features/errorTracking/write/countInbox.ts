import type { Store } from '../../../store/open.ts';
import {
  addFacets,
  addHours,
  addLatestToError,
  addToError,
  addToGrouping,
  addUsers,
  clearInbox,
  earliestRelease,
  type GroupingSum,
  inboxSums,
  insertEvents,
  type LatestRow,
  latestRows,
  placePayloads,
  removeOrphans,
  seenRows,
} from './countInboxStore.ts';
import { setEarliest } from './eventStore.ts';
import type { CountedEvents } from '../status/errorStatus.ts';
import type { WrittenError } from '../status/statusStore.ts';

/** Maximum number of payloads stored per grouping, the latest ones (docs/interface.md#tracked-errors). */
export const MAX_STORED_PAYLOADS = 200;

export type AfterEvents = (happened: CountedEvents) => void;

/** Counts the events in the inbox and empties it. The caller opens the transaction. */
export function countInbox(store: Store, afterEvents: AfterEvents, storedPayloads = MAX_STORED_PAYLOADS): void {
  removeOrphans(store);
  const sums = inboxSums(store);
  if (sums.length === 0) return;
  insertEvents(store, storedPayloads);
  placePayloads(store);
  addHours(store);
  addFacets(store);
  const newUsers = addUsers(store);
  for (const sum of sums) addToGrouping(store, sum);
  const latest = latestOf(store);
  for (const [id, groupings] of Map.groupBy(sums, ({ error_id: errorId }) => errorId)) {
    const error = addToErrorCounts(store, id, groupings, newUsers.get(id) ?? 0, latest);
    if (error === undefined) continue;
    const first = Math.min(...groupings.map((sum) => sum.first));
    if (first < error.first_seen_at) setEarliest(store, { id, at: first, releaseId: earliestRelease(store, id) });
    afterEvents({ error, isNew: groupings[0]?.counted === 0, seen: () => seenRows(store, id) });
  }
  clearInbox(store);
}

/** Returns the latest event of each grouping. */
function latestOf(store: Store): Map<number, LatestRow> {
  const latest = new Map<number, LatestRow>();
  for (const row of latestRows(store)) {
    const other = latest.get(row.grouping_id);
    if (other === undefined || row.occurred_at >= other.occurred_at) latest.set(row.grouping_id, row);
  }
  return latest;
}

function addToErrorCounts(
  store: Store,
  id: number,
  groupings: readonly GroupingSum[],
  users: number,
  latestOfGroupings: ReadonlyMap<number, LatestRow>,
): WrittenError | undefined {
  let events = 0;
  let latest: LatestRow | undefined;
  for (const sum of groupings) {
    events += sum.events;
    const own = latestOfGroupings.get(sum.id);
    if (latest === undefined || (own !== undefined && own.occurred_at >= latest.occurred_at)) latest = own;
  }
  return latest === undefined || latest.occurred_at < (groupings[0]?.last_seen_at ?? 0)
    ? addToError(store, id, events, users)
    : addLatestToError(store, id, events, users, latest);
}
