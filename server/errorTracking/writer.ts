import { hash } from 'node:crypto';
import { HOUR } from '../clock.ts';
import type { Store } from '../store/open.ts';
import type { TrackedEvent } from './event/event.ts';
import type { Grouping } from './grouping/grouping.ts';
import { mainException } from './event/stacks.ts';
import { culpritOf, searchTextOf, titleOf } from './grouping/titles.ts';
import { type AfterEvents, countInbox, PAYLOADS_KEPT } from './counting.ts';
import {
  appendEvent,
  type Appearance,
  countErrorsSince,
  findGrouping,
  type GroupingRow,
  hasEvent,
  indexWords,
  insertError,
  insertGrouping,
  isInInbox,
  setAppearance,
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

/** So many errors of a project may begin in one hour; what would be more goes into one error that says so. */
export const ERRORS_AN_HOUR = 1000;

/**
 * Puts events into the inbox, and begins the errors of those that are the first of their kind. Answers for each whether it was new; one that
 * the project has already is not taken again. Runs in a transaction of the caller's.
 */
export function appendReports(store: Store, reports: readonly Report[]): boolean[] {
  const groupings = new Map<string, GroupingRow>();
  const releases = new Map<string, number>();
  const placed = reports.map((report, index) => place(store, groupings, releases, reports, report, index));
  const latest = new Map<GroupingRow, Placed>();
  for (const one of placed) {
    if (one === undefined) continue;
    const other = latest.get(one.grouping);
    if (other === undefined || one.report.event.occurredAt >= other.report.event.occurredAt) latest.set(one.grouping, one);
  }
  const ids = placed.map((one) => {
    if (one === undefined) return undefined;
    return appendEvent(store, rowOf(one), one.report.payload, latest.get(one.grouping) === one ? shownOf(one) : undefined);
  });
  for (const [grouping, chosen] of latest) {
    if (ids[placed.indexOf(chosen)] === undefined) showAnother(store, placed, ids, grouping);
  }
  return ids.map((id) => id !== undefined);
}

/** An event that may be taken, and where it belongs. */
interface Placed {
  readonly report: Report;
  readonly eventId: Buffer;
  readonly grouping: GroupingRow;
  readonly releaseId: number | null;
}

/** Finds grouping and release of an event, or begins them; undefined for an event that the project has already. */
function place(
  store: Store,
  groupings: Map<string, GroupingRow>,
  releases: Map<string, number>,
  reports: readonly Report[],
  report: Report,
  index: number,
): Placed | undefined {
  const { projectId, event } = report;
  const eventId = Buffer.from(event.id, 'hex');
  if (hasEvent(store, projectId, eventId)) return undefined;
  const key = `${projectId}:${report.grouping.app.toString('latin1')}`;
  const known = groupings.get(key) ?? findGrouping(store, projectId, report.grouping.app);
  // Nothing is begun for an event that is not taken.
  if (known === undefined && (isInInbox(store, projectId, eventId) || isAmong(reports, index))) return undefined;
  const releaseId = releaseOf(store, releases, report);
  const grouping = known ?? beginGrouping(store, report, releaseId);
  groupings.set(key, grouping);
  return { report, eventId, grouping, releaseId };
}

/** Whether one of the reports before it is of the same event. */
function isAmong(reports: readonly Report[], index: number): boolean {
  const { projectId, event } = reports[index] ?? {};
  return reports.slice(0, index).some((other) => other.projectId === projectId && other.event.id === event?.id);
}

function rowOf({ report, eventId, grouping, releaseId }: Placed): Parameters<typeof appendEvent>[1] {
  const { projectId, event, receivedAt } = report;
  return {
    projectId,
    eventId,
    groupingId: grouping.id,
    occurredAt: event.occurredAt,
    receivedAt,
    userHash: report.userHash ?? null,
    releaseId,
    environment: event.environment ?? null,
    level: event.level,
  };
}

function shownOf({ report, grouping }: Placed): Appearance {
  return grouping.is_overflow === 1 ? overflow : appearanceOf(report.event);
}

/** The event that was to say how its error looks was not new, so that the latest one that was taken says it. */
function showAnother(
  store: Store,
  placed: readonly (Placed | undefined)[],
  ids: readonly (number | undefined)[],
  grouping: GroupingRow,
): void {
  let latest: { readonly id: number; readonly placed: Placed } | undefined;
  for (const [index, one] of placed.entries()) {
    const id = ids[index];
    if (one?.grouping !== grouping || id === undefined) continue;
    if (latest === undefined || one.report.event.occurredAt >= latest.placed.report.event.occurredAt)
      latest = { id, placed: one };
  }
  if (latest !== undefined) setAppearance(store, latest.id, shownOf(latest.placed));
}

/** The same, and counts them at once. */
export function writeReports(
  store: Store,
  reports: readonly Report[],
  afterEvents: AfterEvents,
  payloadsKept = PAYLOADS_KEPT,
): boolean[] {
  const kept = appendReports(store, reports);
  countInbox(store, afterEvents, payloadsKept);
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
function beginGrouping(store: Store, report: Report, releaseId: number | null): GroupingRow {
  const { projectId, event, grouping, receivedAt } = report;
  const values = { projectId, algorithm: grouping.version, at: event.occurredAt };
  const whole = grouping.whole();
  const hasOther = !whole.equals(grouping.app);
  const byWhole = hasOther ? findGrouping(store, projectId, whole) : undefined;
  if (byWhole !== undefined) {
    return { ...byWhole, id: insertGrouping(store, { ...values, errorId: byWhole.error_id, hash: grouping.app }) };
  }
  if (countErrorsSince(store, projectId, receivedAt - HOUR, ERRORS_AN_HOUR) >= ERRORS_AN_HOUR) return overflowOf(store, report);
  const errorId = insertError(store, {
    ...appearanceOf(event),
    projectId,
    fingerprint: fingerprintOf(grouping.app),
    isOverflow: false,
    createdAt: receivedAt,
    at: event.occurredAt,
    releaseId,
  });
  indexWords(store, errorId, searchTextOf(event));
  const id = insertGrouping(store, { ...values, errorId, hash: grouping.app });
  if (hasOther) insertGrouping(store, { ...values, errorId, hash: whole });
  return { id, error_id: errorId, is_overflow: 0 };
}

const overflow: Appearance = {
  title: 'Too many different errors',
  type: null,
  message: `More than ${ERRORS_AN_HOUR} different errors began within an hour; the events of all others are counted here.`,
  culprit: '',
  platform: 'other',
  level: 'error',
};

function overflowOf(store: Store, { projectId, event, grouping, receivedAt }: Report): GroupingRow {
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
  indexWords(store, errorId, overflow.title);
  const id = insertGrouping(store, { projectId, errorId, hash: own, algorithm: grouping.version, at });
  return { id, error_id: errorId, is_overflow: 1 };
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
