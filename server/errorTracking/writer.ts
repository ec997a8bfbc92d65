import { hash } from 'node:crypto';
import { HOUR } from '../clock.ts';
import type { Platform } from '../platform.ts';
import type { Store } from '../store/open.ts';
import type { TrackedEvent } from './event/event.ts';
import type { Grouping } from './grouping/grouping.ts';
import { mainException } from './event/stacks.ts';
import { culpritOf, searchTextOf, titleOf } from './grouping/titles.ts';
import {
  addLatestToError,
  addToError,
  addToFacet,
  addToGrouping,
  addToHour,
  addToUser,
  type Appearance,
  countErrorsSince,
  type FacetKind,
  findGrouping,
  type GroupingRow,
  hasEvent,
  indexWords,
  insertError,
  insertEvent,
  insertGrouping,
  insertPayload,
  isUserElsewhere,
  setEarliest,
  trimPayloads,
  type WrittenError,
} from './writerStore.ts';
import { releaseIdOf } from './releases/releaseStore.ts';

/** An event that was received, and everything that was found out about it before it is written. */
export interface Report {
  readonly projectId: number;
  readonly event: TrackedEvent;
  readonly grouping: Grouping;
  /** Who saw it; hashed, so that only equality can be seen. */
  readonly userHash: Buffer | undefined;
  readonly receivedAt: number;
  readonly payload: ReportPayload;
}

/** What was received, compressed, and which of its events is meant. */
export interface ReportPayload {
  readonly encoding: string;
  readonly form: 'envelope' | 'store';
  readonly ordinal: number;
  readonly bytes: Buffer;
}

/** So many of what was received are kept of each grouping, the latest (decisions.md §5). */
export const PAYLOADS_KEPT = 200;
/** Payloads are dropped so many at a time. */
const PAYLOADS_BEYOND = 50;
/** So many errors of a project may begin in one hour; what would be more goes into one error that says so. */
export const ERRORS_AN_HOUR = 1000;

/** So many events are written in one transaction, so that nobody waits long behind them. */
const MOST_AT_ONCE = 200;

/** What some events add to their grouping. */
interface Addition {
  readonly grouping: GroupingRow;
  events: number;
  first: Seen;
  last: Seen;
  readonly seen: Seen[];
  readonly hours: Map<number, number>;
  readonly facets: Map<string, { readonly kind: FacetKind; readonly value: string; events: number }>;
  readonly users: Map<string, { readonly hash: Buffer; events: number }>;
}

/** What some events add to their error. */
interface OfError {
  /** Any of its groupings, for what was known of the error before. */
  readonly grouping: GroupingRow;
  events: number;
  users: number;
  first: Seen;
  last: Seen;
  readonly seen: Seen[];
}

interface Seen {
  readonly report: Report;
  readonly releaseId: number | null;
}

/** What some events of one transaction did to their error: told inside of it, when they are counted. */
export interface Happened {
  readonly error: WrittenError;
  /** In the order in which they came. */
  readonly reports: readonly Report[];
  /** The first of them made the error. */
  readonly isNew: boolean;
}

export type AfterEvents = (happened: Happened) => void;

/**
 * Writes events: those that come in one turn of the event loop share a transaction (and so a flush to disk), and what they add up to is
 * written once for each grouping. The promise is fulfilled after the commit: acknowledged means durable. It says whether the event was
 * new; an event that the project has already is not counted again.
 */
export function createWriter(platform: Platform, afterEvents: AfterEvents): (report: Report) => Promise<boolean> {
  const { store } = platform;
  interface Waiting {
    readonly report: Report;
    readonly resolve: (isNew: boolean) => void;
    readonly reject: (error: unknown) => void;
  }
  let waiting: Waiting[] = [];

  const commit = async (): Promise<void> => {
    // Taken only inside the transaction, when everybody of this turn has come.
    let sharing: readonly Waiting[] = [];
    try {
      const kept = await store.sharedTransaction(() => {
        sharing = waiting.slice(0, MOST_AT_ONCE);
        waiting = waiting.slice(MOST_AT_ONCE);
        if (waiting.length > 0) setImmediate(() => void commit());
        return writeReports(
          store,
          sharing.map(({ report }) => report),
          afterEvents,
        );
      });
      for (const [index, { resolve }] of sharing.entries()) resolve(kept[index] ?? false);
    } catch (error) {
      if (sharing.length === 0) {
        sharing = waiting;
        waiting = [];
      }
      if (sharing.length === 1) {
        sharing[0]?.reject(error);
        return;
      }
      // One that cannot be written must not take the others with it.
      for (const one of sharing) {
        store
          .sharedTransaction(() => writeReports(store, [one.report], afterEvents))
          .then(([isNew]) => one.resolve(isNew ?? false), one.reject);
      }
    }
  };

  return (report) =>
    new Promise((resolve, reject) => {
      waiting.push({ report, resolve, reject });
      if (waiting.length === 1) void commit();
    });
}

/** Answers for each report whether it was new. Runs in a transaction of the caller's. */
export function writeReports(store: Store, reports: readonly Report[], afterEvents: AfterEvents): boolean[] {
  const additions = new Map<number, Addition>();
  const groupings = new Map<string, GroupingRow>();
  const releases = new Map<string, number>();
  const began = new Set<number>();
  const kept = reports.map((report) => {
    const { projectId, event, receivedAt, payload } = report;
    const eventId = Buffer.from(event.id, 'hex');
    const releaseId = releaseOf(store, releases, report);
    const key = `${projectId}:${report.grouping.app.toString('latin1')}`;
    let grouping = groupings.get(key) ?? findGrouping(store, projectId, report.grouping.app);
    if (grouping === undefined) {
      // Before anything is begun for it.
      if (hasEvent(store, projectId, eventId)) return false;
      grouping = beginGrouping(store, report, releaseId, began);
    }
    groupings.set(key, grouping);
    const row = insertEvent(store, {
      projectId,
      eventId,
      groupingId: grouping.id,
      occurredAt: event.occurredAt,
      receivedAt,
      userHash: report.userHash ?? null,
      releaseId,
      environment: event.environment ?? null,
      level: event.level,
    });
    if (row === undefined) return false;
    insertPayload(store, { eventRow: row, ...payload });
    add(additions, grouping, { report, releaseId });
    return true;
  });
  const errors = new Map<number, OfError>();
  for (const [groupingId, addition] of additions) {
    const users = writeAddition(store, groupingId, addition);
    const { grouping, events, first, last, seen } = addition;
    const error = errors.get(grouping.error_id);
    if (error === undefined) {
      errors.set(grouping.error_id, { grouping, events, users, first, last, seen });
    } else {
      error.events += addition.events;
      error.users += users;
      error.seen.push(...addition.seen);
      if (isBefore(addition.first, error.first)) error.first = addition.first;
      if (!isBefore(addition.last, error.last)) error.last = addition.last;
    }
  }
  for (const [id, { grouping, events, users, first, last, seen }] of errors) {
    const { event } = last.report;
    const appearance = grouping.is_overflow === 1 ? overflow : appearanceOf(event);
    const state =
      event.occurredAt < grouping.last_seen_at
        ? addToError(store, { id, events, users })
        : addLatestToError(store, { id, events, users, at: event.occurredAt, releaseId: last.releaseId, ...appearance });
    if (state === undefined) continue;
    if (first.report.event.occurredAt < state.first_seen_at) {
      setEarliest(store, { id, at: first.report.event.occurredAt, releaseId: first.releaseId });
    }
    afterEvents({ error: state, reports: seen.map(({ report }) => report), isNew: began.has(id) });
  }
  return kept;
}

function releaseOf(store: Store, known: Map<string, number>, { projectId, event, receivedAt }: Report): number | null {
  if (event.appRelease === undefined) return null;
  const key = `${projectId}:${event.appRelease}`;
  let id = known.get(key);
  if (id === undefined) {
    id = releaseIdOf(store, projectId, event.appRelease, receivedAt);
    known.set(key, id);
  }
  return id;
}

/** The grouping of the first event of its kind: of an error that knows the whole stack, else of a new one. */
function beginGrouping(store: Store, report: Report, releaseId: number | null, began: Set<number>): GroupingRow {
  const { projectId, event, grouping, receivedAt } = report;
  const values = { projectId, algorithm: grouping.version, at: event.occurredAt };
  const whole = grouping.whole();
  const hasOther = !whole.equals(grouping.app);
  const byWhole = hasOther ? findGrouping(store, projectId, whole) : undefined;
  if (byWhole !== undefined) {
    return { ...byWhole, id: insertGrouping(store, { ...values, errorId: byWhole.error_id, hash: grouping.app }) };
  }
  if (countErrorsSince(store, projectId, receivedAt - HOUR, ERRORS_AN_HOUR) >= ERRORS_AN_HOUR)
    return overflowOf(store, report, began);
  const errorId = insertError(store, {
    ...appearanceOf(event),
    projectId,
    fingerprint: fingerprintOf(grouping.app),
    isOverflow: false,
    createdAt: receivedAt,
    at: event.occurredAt,
    releaseId,
  });
  began.add(errorId);
  indexWords(store, errorId, searchTextOf(event));
  const id = insertGrouping(store, { ...values, errorId, hash: grouping.app });
  if (hasOther) insertGrouping(store, { ...values, errorId, hash: whole });
  return { id, error_id: errorId, last_seen_at: event.occurredAt, is_overflow: 0 };
}

const overflow: Appearance = {
  title: 'Too many different errors',
  type: null,
  message: `More than ${ERRORS_AN_HOUR} different errors began within an hour; the events of all others are counted here.`,
  culprit: '',
  platform: 'other',
  level: 'error',
};

function overflowOf(store: Store, { projectId, event, grouping, receivedAt }: Report, began: Set<number>): GroupingRow {
  const own = hash('sha256', `${projectId}:overflow`, 'buffer');
  const found = findGrouping(store, projectId, own);
  if (found !== undefined) return found;
  const at = event.occurredAt;
  const errorId = insertError(store, {
    ...overflow,
    projectId,
    fingerprint: fingerprintOf(own),
    isOverflow: true,
    createdAt: receivedAt,
    at,
    releaseId: null,
  });
  began.add(errorId);
  indexWords(store, errorId, overflow.title);
  const id = insertGrouping(store, { projectId, errorId, hash: own, algorithm: grouping.version, at });
  return { id, error_id: errorId, last_seen_at: at, is_overflow: 1 };
}

/** 48 bits of the first hash: exact as a JSON number, and the same after the same events elsewhere. */
export function fingerprintOf(first: Buffer): number {
  return first.readUIntBE(0, 6);
}

export function appearanceOf(event: TrackedEvent): Appearance {
  const exception = mainException(event);
  return {
    title: titleOf(event),
    type: exception?.type ?? null,
    message: (exception === undefined ? event.message?.text : exception.value) ?? null,
    culprit: culpritOf(event),
    platform: event.platform,
    level: event.level,
  };
}

function add(additions: Map<number, Addition>, grouping: GroupingRow, seen: Seen): void {
  const { event, userHash } = seen.report;
  let addition = additions.get(grouping.id);
  if (addition === undefined) {
    addition = {
      grouping,
      events: 0,
      first: seen,
      last: seen,
      seen: [],
      hours: new Map(),
      facets: new Map(),
      users: new Map(),
    };
    additions.set(grouping.id, addition);
  }
  addition.events += 1;
  addition.seen.push(seen);
  if (isBefore(seen, addition.first)) addition.first = seen;
  if (!isBefore(seen, addition.last)) addition.last = seen;
  const hour = Math.floor(event.occurredAt / HOUR);
  addition.hours.set(hour, (addition.hours.get(hour) ?? 0) + 1);
  for (const [kind, value] of facetsOf(event)) {
    const facet = addition.facets.get(kind + value);
    if (facet === undefined) addition.facets.set(kind + value, { kind, value, events: 1 });
    else facet.events += 1;
  }
  if (userHash !== undefined) {
    const user = addition.users.get(userHash.toString('latin1'));
    if (user === undefined) addition.users.set(userHash.toString('latin1'), { hash: userHash, events: 1 });
    else user.events += 1;
  }
}

function facetsOf({ level, environment, appRelease }: TrackedEvent): readonly (readonly [FacetKind, string])[] {
  const facets: [FacetKind, string][] = [['level', level]];
  if (environment !== undefined) facets.push(['environment', environment]);
  if (appRelease !== undefined) facets.push(['release', appRelease]);
  return facets;
}

function isBefore(one: Seen, other: Seen): boolean {
  return one.report.event.occurredAt < other.report.event.occurredAt;
}

/** Answers how many users are new to the error. */
function writeAddition(store: Store, groupingId: number, addition: Addition): number {
  const { grouping, events, first, last } = addition;
  const have = addToGrouping(store, {
    id: groupingId,
    events,
    payloads: events,
    first: first.report.event.occurredAt,
    last: last.report.event.occurredAt,
  });
  if (have > PAYLOADS_KEPT + PAYLOADS_BEYOND) trimPayloads(store, groupingId, PAYLOADS_KEPT);
  for (const [hour, count] of addition.hours) addToHour(store, groupingId, hour, count);
  for (const facet of addition.facets.values()) addToFacet(store, groupingId, facet.kind, facet.value, facet.events);
  let users = 0;
  for (const user of addition.users.values()) {
    if (addToUser(store, groupingId, user.hash, user.events) && !isUserElsewhere(store, grouping.error_id, groupingId, user.hash))
      users += 1;
  }
  return users;
}
