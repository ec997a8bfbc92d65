import type { TrackingCore } from '../trackingCore.ts';
import { invalidRecord } from '../../../core/errors.ts';
import type { Core } from '../../../core/core.ts';
import type { Store } from '../../../store/open.ts';
import { latestStored, readEvent, type TrackedError } from '../read/readErrors.ts';
import type { TrackedEvent } from '../event/trackedEvent.ts';
import { hashesBy } from '../grouping/grouping.ts';
import { hasSourceMaps } from '../sourceMaps/mapEvent.ts';
import {
  addToCounted,
  countBefore,
  endsOf,
  fingerprintById,
  releaseAtEnd,
  removeError,
  repoint,
  repointAll,
  setLatest,
  recalculateSums,
} from './mergeStore.ts';
import { setResponsibility } from '../edits/editStore.ts';
import { eventRows, type GroupingOfError, groupingRows } from '../read/errorReadStore.ts';
import { searchTextOf } from '../grouping/errorTitles.ts';
import { insertMerged, takeMerged } from './mergedErrorStore.ts';
import { appearanceOf, fingerprintOf } from '../write/writeEvents.ts';
import { eventCount, eventsInHour } from '../status/statusStore.ts';
import { type Appearance, indexText, insertError, setEarliest } from '../write/eventStore.ts';

/** Number of groupings of a merged error, the most frequent ones, that searches find. */
const MAX_INDEXED = 20;
/** Number of groupings per error, the most frequent ones, whose latest event is mapped in advance. */
const MAX_MAPPED = 50;

/** Returns the latest event of a grouping as it was grouped, or undefined if no payload is stored. */
export type LatestOf = (grouping: GroupingOfError) => TrackedEvent | undefined;

/**
 * Loads the latest events of errors with frames mapped by source maps. This can take long, so it is done before the transaction.
 */
export async function mappedLatest(core: Core, errors: readonly TrackedError[]): Promise<LatestOf> {
  const { store } = core;
  const mapped = new Map<number, TrackedEvent>();
  for (const { id: errorId, project_id: projectId } of errors) {
    if (!hasSourceMaps(core, projectId)) continue;
    for (const { id, hash, algorithm } of groupingRows(store, errorId).slice(0, MAX_MAPPED)) {
      const [row] = eventRows(store, [id], { limit: 1, withPayload: true });
      const read = row && (await readEvent(core, projectId, row));
      // Unmapped events are loaded again when needed. Maps uploaded later did not affect the grouping.
      if (read !== undefined && read.event !== read.sent && hashesBy(algorithm, read.event, projectId).app.equals(hash)) {
        mapped.set(id, read.event);
      }
    }
  }
  return (grouping) => mapped.get(grouping.id) ?? latestStored(store, grouping);
}

/**
 * Merges errors of one project into `into`, which keeps its status. The others are deleted, and new events like theirs are added
 * to `into`. Throws `Invalid` if that is not possible.
 */
export function mergeErrors(
  core: TrackingCore,
  into: TrackedError,
  others: readonly TrackedError[],
  latestOf: LatestOf = (grouping) => latestStored(core.store, grouping),
): void {
  const { store, changes, inbox } = core;
  if (others.length === 0) throw invalidRecord({ fingerprints: ['must name at least one other error'] });
  for (const other of others) {
    if (other.id === into.id) throw invalidRecord({ fingerprints: ['An error cannot be merged with itself.'] });
    refuseOverflow(other);
  }
  refuseOverflow(into);
  inbox.flush();
  store.transaction(() => {
    for (const other of others) {
      const ends = endsOf(store, other.id);
      const own = endsOf(store, into.id);
      if (ends === undefined || own === undefined) throw new Error('an error to merge does not exist');
      addToCounted(store, into.id, eventCount(store, other.id), eventsInHour(store, other.id, into.counted_hour));
      repointAll(store, other.id, into.id);
      insertMerged(store, other.id, into.id);
      removeError(store, other.id);
      if (ends.last_seen_at > own.last_seen_at) {
        setLatest(store, { ...onlyAppearance(ends), id: into.id, at: ends.last_seen_at, releaseId: ends.last_release_id });
      }
      if (ends.first_seen_at < own.first_seen_at) {
        setEarliest(store, { id: into.id, at: ends.first_seen_at, releaseId: ends.first_release_id });
      }
    }
    recalculateSums(store, into.id);
    reindex(store, into.id, latestOf);
    const merged = others.map(({ fingerprint }) => fingerprint);
    const { project_id: projectId, fingerprint, title } = into;
    changes.publish({ kind: 'errorsMerged', projectId, fingerprint, title, merged });
  });
}

/**
 * Splits the grouping of a hash off an error into a new unresolved error, which receives new events with that hash. Returns its
 * ID and fingerprint. Throws `Invalid` if that is not possible.
 */
export function splitError(
  core: TrackingCore,
  error: TrackedError,
  hash: Buffer,
  latestOf: LatestOf = (grouping) => latestStored(core.store, grouping),
): { readonly id: number; readonly fingerprint: number } {
  const { store, inbox } = core;
  refuseOverflow(error);
  inbox.flush();
  return store.transaction(() => {
    const all = groupingRows(store, error.id);
    const split = all.find((one) => Buffer.from(one.hash).equals(hash));
    if (split === undefined) throw invalidRecord({ hash: ['is no hash of this error'] });
    if (split.event_count === 0) throw invalidRecord({ hash: ['has no events that could be split off'] });
    const latest = latestOf(split);
    const twin = latest && twinOf(error, split, latest, all);
    const ids = new Set(twin === undefined ? [split.id] : [split.id, twin.id]);
    const id = separateGroupings(core, error, ids, fingerprintOf(hash), latestOf);
    if (id === undefined) throw new Error('the grouping to split off has no events');
    return { id, fingerprint: fingerprintById(store, id) };
  });
}

/**
 * Moves groupings of an error into a new unresolved error. Returns its ID, or undefined if the groupings have no events. Throws `Invalid`
 * if no events would remain. The caller opens the transaction. The fingerprint is the first free one, starting at `wanted`.
 */
export function separateGroupings(
  core: TrackingCore,
  error: TrackedError,
  ids: ReadonlySet<number>,
  wanted: number,
  latestOf: LatestOf,
): number | undefined {
  const { store, clock, changes } = core;
  const filled = groupingRows(store, error.id).filter((one) => one.event_count > 0);
  const moved = filled.filter((one) => ids.has(one.id));
  const remaining = filled.filter((one) => !ids.has(one.id));
  const [first, last] = [earliestOf(moved), latestSeenOf(moved)];
  if (first === undefined || last === undefined) return undefined;
  if (remaining.length === 0) throw invalidRecord({ hash: ['is the only one of this error that has events'] });
  const latest = latestOf(last);
  const appearance = latest === undefined ? error : appearanceOf(latest);
  // It gets back what it had before it was merged.
  const merged = takeMerged(store, error.id, wanted);
  const id = insertError(store, {
    ...onlyAppearance(appearance),
    projectId: error.project_id,
    fingerprint: wanted,
    isOverflow: false,
    createdAt: clock.now(),
    at: first.first_seen_at,
    releaseId: releaseAtEnd(store, first, 'first'),
  });
  const releaseId = releaseAtEnd(store, last, 'last');
  setLatest(store, { ...onlyAppearance(appearance), id, at: last.last_seen_at, releaseId });
  if (error.status === 'ignored') {
    for (const one of moved) {
      const counted = countBefore(store, one.id, error.status_at ?? 0, error.counted_hour);
      addToCounted(store, error.id, -counted.events, -counted.ofHour);
    }
  }
  repoint(store, [...ids], id);
  if (merged !== undefined) setResponsibility(store, id, merged);
  if (first.first_seen_at <= error.first_seen_at) setFirstOf(store, error, remaining);
  if (last.last_seen_at >= error.last_seen_at) setLastOf(store, error, remaining, latestOf);
  for (const one of [id, error.id]) {
    recalculateSums(store, one);
    reindex(store, one, latestOf);
  }
  const { project_id: projectId, fingerprint: from } = error;
  changes.publish({ kind: 'errorSplit', projectId, fingerprint: fingerprintById(store, id), title: appearance.title, from });
  return id;
}

function earliestOf(groupings: readonly GroupingOfError[]): GroupingOfError | undefined {
  return groupings.toSorted((one, other) => one.first_seen_at - other.first_seen_at)[0];
}

function latestSeenOf(groupings: readonly GroupingOfError[]): GroupingOfError | undefined {
  return groupings.toSorted((one, other) => other.last_seen_at - one.last_seen_at)[0];
}

/** Throws `Invalid` for the error that collects events of too many different errors. */
function refuseOverflow(error: TrackedError): void {
  if (error.is_overflow === 0) return;
  throw invalidRecord({ base: [`"${error.title}" counts events of many errors, and can be neither merged nor split.`] });
}

/** Updates the first event of an error, which belonged to a grouping that was moved. */
function setFirstOf(store: Store, error: TrackedError, remaining: readonly GroupingOfError[]): void {
  const first = earliestOf(remaining);
  if (first === undefined) return;
  setEarliest(store, { id: error.id, at: first.first_seen_at, releaseId: releaseAtEnd(store, first, 'first') });
}

/** Updates the latest event of an error, which belonged to a grouping that was moved. */
function setLastOf(store: Store, error: TrackedError, remaining: readonly GroupingOfError[], latestOf: LatestOf): void {
  const last = latestSeenOf(remaining);
  if (last === undefined) return;
  const latest = latestOf(last);
  const appearance = onlyAppearance(latest === undefined ? error : appearanceOf(latest));
  setLatest(store, { ...appearance, id: error.id, at: last.last_seen_at, releaseId: releaseAtEnd(store, last, 'last') });
}

/**
 * Returns the grouping by whole stack that was created together with a grouping by application frames and has no events. It moves
 * with that grouping, so that a split undoes a merge.
 */
function twinOf(
  { project_id: projectId }: TrackedError,
  split: GroupingOfError,
  latest: TrackedEvent,
  all: readonly GroupingOfError[],
): GroupingOfError | undefined {
  const whole = hashesBy(split.algorithm, latest, projectId).whole();
  // The writer inserts the two directly after each other.
  return all.find(({ id, hash, event_count: count }) => id === split.id + 1 && count === 0 && whole.equals(hash));
}

function reindex(store: Store, errorId: number, latestOf: LatestOf): void {
  const text = groupingRows(store, errorId)
    .filter(({ event_count: count }) => count > 0)
    .slice(0, MAX_INDEXED)
    .map(latestOf)
    .filter((event) => event !== undefined)
    .map(searchTextOf);
  if (text.length > 0) indexText(store, errorId, text.join('\n'));
}

function onlyAppearance({ title, type, message, culprit, platform, level }: Appearance): Appearance {
  return { title, type, message, culprit, platform, level };
}
