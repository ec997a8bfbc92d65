import type { TrackingCore } from '../trackingCore.ts';
import { DAY, HOUR } from '../../../core/clock.ts';
import type { Core } from '../../../core/core.ts';
import type { Store } from '../../../store/open.ts';
import { type StoredForm, unpack } from '../body/decodeBody.ts';
import { parseEnvelope } from '../body/envelope.ts';
import type { TrackedEvent } from '../event/trackedEvent.ts';
import { problemsIn } from '../event/scrubbedPayload.ts';
import { withoutDoubtfulFrames, withSourceMaps } from '../sourceMaps/mapEvent.ts';
import { cutEvent } from '../event/cutEvent.ts';
import { normaliseEvent } from '../event/normaliseEvent.ts';
import {
  type ErrorFilter,
  type ErrorPage,
  type ErrorRow,
  errorRow,
  type EventRow,
  eventRows,
  eventRowsBetween,
  type GroupingOfError,
  groupingRows,
  hourRows,
  listErrorRows,
  type TimeRange,
} from './errorReadStore.ts';
import { readPayload, readStorePayload } from '../body/storePayload.ts';
import { remainingFingerprint } from '../merge/mergedErrorStore.ts';

export type { ErrorFilter, ErrorOrder, ErrorPage, ErrorPosition, ErrorRow as TrackedError, EventRow } from './errorReadStore.ts';
export { positionOf } from './errorReadStore.ts';

/** Returns a page of the errors of a project. The caller checks access. */
export function listErrors(core: TrackingCore, projectId: number, filter: ErrorFilter, page: ErrorPage): Promise<ErrorRow[]> {
  core.inbox.flush();
  return listErrorRows(core.store, projectId, filter, page);
}

export function findError(core: TrackingCore, projectId: number, fingerprint: number): ErrorRow | undefined {
  core.inbox.flush();
  return errorRow(core.store, projectId, fingerprint);
}

/** Returns the error that a fingerprint leads to: the one with it, or the one that this error was merged into. */
export function findRemainingError(core: TrackingCore, projectId: number, fingerprint: number): ErrorRow | undefined {
  const remaining = remainingFingerprint(core.store, projectId, fingerprint);
  return findError(core, projectId, remaining ?? fingerprint);
}

/** Numbers of events in consecutive spans of time. */
export type Frequency = [seconds: number, count: number][];

/**
 * Returns the number of events per hour of each error: pairs of the start of the hour, in seconds, and the count. Covers the last
 * 24 hours, the current hour last.
 */
export function frequencyOf(core: Core, errors: readonly ErrorRow[], now: number): Map<number, Frequency> {
  const first = Math.floor(now / HOUR) - 23;
  const ids = errors.map(({ id }) => id);
  const hours = new Map(ids.map((id) => [id, Array.from<number>({ length: 24 }).fill(0)]));
  for (const { error_id: id, hour, count } of hourRows(core.store, ids, first)) {
    const counts = hours.get(id);
    if (counts !== undefined && hour - first < counts.length) counts[hour - first] = count;
  }
  const frequency = (counts: readonly number[]): Frequency => counts.map((count, index) => [(first + index) * 3600, count]);
  return new Map([...hours].map(([id, counts]) => [id, frequency(counts)]));
}

/** Number of days that `dailyOf` covers. */
const SHOWN_DAYS = 28;

/**
 * Returns the number of events per day (UTC) of an error: pairs of the start of the day, in seconds, and the count. Covers 28 days, the
 * current day last.
 */
export function dailyOf(core: Core, error: ErrorRow, now: number): readonly (readonly [seconds: number, count: number])[] {
  const first = Math.floor(now / DAY) - SHOWN_DAYS + 1;
  const counts = Array.from({ length: SHOWN_DAYS }, () => 0);
  for (const { hour, count } of hourRows(core.store, [error.id], (first * DAY) / HOUR)) {
    const index = Math.floor((hour * HOUR) / DAY) - first;
    counts[index] = (counts[index] ?? 0) + count;
  }
  return counts.slice(0, SHOWN_DAYS).map((count, index) => [((first + index) * DAY) / 1000, count] as const);
}

/** Returns the events of an error that occurred in a range of time, the latest first unless `after` is set. */
export function eventsBetween(
  core: Core,
  error: ErrorRow,
  range: TimeRange,
  page: { readonly before?: number | undefined; readonly after?: number | undefined; readonly limit: number },
): Promise<EventRow[]> {
  return eventRowsBetween(core.store, filledGroupings(core, error), range, page);
}

/** Returns events of an error, the latest first. */
export function eventsOf(
  core: Core,
  error: ErrorRow,
  page: {
    readonly before?: number | undefined;
    readonly after?: number | undefined;
    readonly limit: number;
    readonly withPayload?: boolean;
  },
): EventRow[] {
  return eventRows(core.store, filledGroupings(core, error), page);
}

/** Returns the IDs of the groupings of an error that have events. */
function filledGroupings(core: Core, error: ErrorRow): number[] {
  return groupingRows(core.store, error.id)
    .filter((grouping) => grouping.event_count > 0)
    .map(({ id }) => id);
}

/** An event whose payload is stored. */
export interface ReadEvent {
  readonly row: EventRow;
  /** The event with frames mapped by the current source maps of the project, as it is shown. */
  readonly shown: TrackedEvent;
  /** Same, as it is grouped: with exceptions and frames beyond the limits, and as it was sent where a map may be of another build. */
  readonly event: TrackedEvent;
  /** The event as it was sent. */
  readonly sent: TrackedEvent;
}

/** Returns undefined if the payload of the event is no longer stored. */
export async function readEvent(core: Core, projectId: number, row: EventRow): Promise<ReadEvent | undefined> {
  const sent = storedEvent(row);
  if (sent === undefined) return undefined;
  const mapped = await withSourceMaps(core, projectId, sent);
  return { row, shown: cutEvent(mapped), event: withoutDoubtfulFrames(mapped, sent), sent };
}

/** Returns the latest event of an error whose payload is stored, or undefined. */
export async function readLatest(core: Core, error: ErrorRow): Promise<ReadEvent | undefined> {
  const [row] = eventsOf(core, error, { limit: 1, withPayload: true });
  return row && readEvent(core, error.project_id, row);
}

/** Returns the latest event of a grouping as it was sent; undefined if its payload is no longer stored. */
export function latestStored(store: Store, { id }: Pick<GroupingOfError, 'id'>): TrackedEvent | undefined {
  const [row] = eventRows(store, [id], { limit: 1, withPayload: true });
  return row && storedEvent(row);
}

/** Returns the same event without applying source maps. */
export function latestEventOf(core: Core, error: ErrorRow): { readonly row: EventRow; readonly event: TrackedEvent } | undefined {
  const [row] = eventsOf(core, error, { limit: 1, withPayload: true });
  const event = row && storedEvent(row);
  return row && event && { row, event };
}

/** Returns the event in a stored payload, or undefined if the payload is no longer stored. */
export function storedEvent(row: EventRow): TrackedEvent | undefined {
  if (row.bytes === null || row.form === null) return undefined;
  const text = unpack({ form: storedForm(row.encoding), data: Buffer.from(row.bytes) });
  const id = Buffer.from(row.event_id).toString('hex');
  const about = {
    headerId: id,
    receivedAt: row.received_at,
    sentAt: undefined,
    peerAddress: row.sender_address ?? undefined,
    client: () => row.sender_client ?? undefined,
    scrub: false,
  };
  if (row.form === 'store') {
    const payload = readStorePayload(text);
    const event = normaliseEvent(payload, about);
    return { ...event, occurredAt: row.occurred_at, problems: problemsIn(payload) ?? event.problems };
  }
  const { header, items } = parseEnvelope(text);
  const item = items.filter(({ type }) => type === 'event')[row.ordinal ?? 0];
  if (item === undefined) throw new Error(`the stored envelope of event ${id} does not contain the event`);
  return { ...normaliseEvent(readPayload(item.payload), { ...about, sentAt: header['sent_at'] }), occurredAt: row.occurred_at };
}

const storedForms: readonly StoredForm[] = ['gzip', 'deflate', 'raw-deflate', 'br', 'zstd'];

function storedForm(text: string | null): StoredForm {
  const form = storedForms.find((one) => one === text);
  if (form === undefined) throw new Error(`the stored payload has the unknown encoding ${text}`);
  return form;
}
