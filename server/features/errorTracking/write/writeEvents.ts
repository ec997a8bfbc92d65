import { hash } from 'node:crypto';
import { HOUR } from '../../../core/clock.ts';
import type { Store } from '../../../store/open.ts';
import type { RequestTraces } from '../event/normaliseEvent.ts';
import type { TrackedEvent } from '../event/trackedEvent.ts';
import { type Grouping, type GroupingHashes, withoutWrapper } from '../grouping/grouping.ts';
import { mainException } from '../event/mainStack.ts';
import { culpritOf, searchTextOf, titleOf } from '../grouping/errorTitles.ts';
import { type AfterEvents, countInbox, MAX_STORED_PAYLOADS } from './countInbox.ts';
import {
  appendToInbox,
  type Appearance,
  countErrorsSince,
  findGrouping,
  findGroupings,
  type GroupingKey,
  type GroupingRow,
  hasEvent,
  type InboxRow,
  indexText,
  insertError,
  insertGrouping,
  setAppearance,
} from './eventStore.ts';
import { findReleaseId, insertRelease } from '../releases/releaseStore.ts';

/** A received event with all data needed to write it. */
export interface Report {
  readonly projectId: number;
  readonly event: TrackedEvent;
  readonly grouping: Grouping;
  /** Hash of the affected user, which can only be compared. */
  readonly userHash: Buffer | undefined;
  readonly receivedAt: number;
  readonly payload: ReportPayload;
}

/** Received data, compressed, and the index of the event in it. */
export interface ReportPayload {
  readonly encoding: string;
  readonly form: 'envelope' | 'store';
  readonly ordinal: number;
  readonly bytes: Buffer;
  /** Missing if the data is complete without them. */
  readonly traces?: RequestTraces;
}

/** Maximum number of new errors per project and hour. Further ones are collected in one error that says so. */
export const ERRORS_AN_HOUR = 1000;

/**
 * Appends events to the inbox and creates the errors of new groups. Returns for each event whether it was new; duplicates are not
 * stored. The caller opens the transaction.
 */
export function appendReports(store: Store, reports: readonly Report[]): boolean[] {
  const known = groupingsOf(store, reports);
  const releases: Releases = new Map();
  const placed = reports.map((report, index) => placeReport(store, known, releases, reports, report, index));
  const latest = new Map<GroupingRow, PlacedReport>();
  for (const one of placed) {
    if (one === undefined) continue;
    const other = latest.get(one.grouping);
    if (other === undefined || one.report.event.occurredAt >= other.report.event.occurredAt) latest.set(one.grouping, one);
  }
  const taken = placed.filter((one) => one !== undefined);
  const written = appendToInbox(
    store,
    taken.map((one) => rowOf(one, latest.get(one.grouping) === one)),
  );
  if (written.every(Boolean) && taken.length === reports.length) return written;
  const isNew = new Map(taken.map((one, index) => [one, written[index] ?? false]));
  for (const [grouping, chosen] of latest) {
    if (isNew.get(chosen) === false) showLatestStored(store, isNew, grouping);
  }
  return placed.map((one) => one !== undefined && isNew.get(one) === true);
}

/** An event with its grouping and release. */
interface PlacedReport {
  readonly report: Report;
  readonly eventId: Buffer;
  readonly grouping: GroupingRow;
  readonly releaseId: number | null;
}

/** Groupings by project and hash. New ones are added. */
type Groupings = ReadonlyMap<number, Map<string, GroupingRow>>;

/** Looks up the groupings of all events at once. */
function groupingsOf(store: Store, reports: readonly Report[]): Groupings {
  const groupings = new Map<number, Map<string, GroupingRow>>();
  const wanted = new Map<number, Set<string>>();
  const keys: (GroupingKey & { readonly text: string })[] = [];
  for (const { projectId, grouping } of reports) {
    let texts = wanted.get(projectId);
    if (texts === undefined) {
      texts = new Set();
      wanted.set(projectId, texts);
      groupings.set(projectId, new Map());
    }
    const text = grouping.app.toString('latin1');
    if (texts.has(text)) continue;
    texts.add(text);
    keys.push({ projectId, hash: grouping.app, text });
  }
  for (const [index, row] of findGroupings(store, keys).entries()) {
    const key = keys[index];
    if (row !== undefined && key !== undefined) groupings.get(key.projectId)?.set(key.text, row);
  }
  return groupings;
}

/** Finds or creates the grouping and release of an event. Returns undefined for a known duplicate. */
function placeReport(
  store: Store,
  groupings: Groupings,
  releases: Releases,
  reports: readonly Report[],
  report: Report,
  index: number,
): PlacedReport | undefined {
  const { projectId, event } = report;
  const eventId = Buffer.from(event.id, 'hex');
  const ofProject = groupings.get(projectId);
  const text = report.grouping.app.toString('latin1');
  // A grouping created for an earlier event may have this hash as its whole-stack hash.
  const known = ofProject?.get(text) ?? findGrouping(store, projectId, report.grouping.app);
  let releaseId = releaseOf(store, releases, report);
  if (known === undefined || releaseId === undefined) {
    // A duplicate creates no records.
    if (hasEvent(store, projectId, eventId) || isRepeated(reports, index)) return undefined;
    releaseId ??= createRelease(store, releases, report);
  }
  const grouping = known ?? createGrouping(store, report, releaseId);
  ofProject?.set(text, grouping);
  return { report, eventId, grouping, releaseId };
}

/** Returns true if an earlier report has the same event. */
function isRepeated(reports: readonly Report[], index: number): boolean {
  const { projectId, event } = reports[index] ?? {};
  return reports.slice(0, index).some((other) => other.projectId === projectId && other.event.id === event?.id);
}

function rowOf({ report, eventId, grouping, releaseId }: PlacedReport, isShown: boolean): InboxRow {
  const { projectId, event, receivedAt, userHash, payload } = report;
  return {
    projectId,
    eventId,
    groupingId: grouping.id,
    occurredAt: event.occurredAt,
    receivedAt,
    userHash,
    releaseId,
    environment: event.environment,
    level: event.level,
    payload,
    appearance: isShown ? appearanceText(report, grouping) : null,
  };
}

function appearanceText({ event }: Report, grouping: GroupingRow): string {
  return JSON.stringify(grouping.is_overflow === 1 ? overflow : appearanceOf(event));
}

/** Selects another event to show for an error, because the selected one was a duplicate: the latest that was stored. */
function showLatestStored(store: Store, isNew: ReadonlyMap<PlacedReport, boolean>, grouping: GroupingRow): void {
  let latest: PlacedReport | undefined;
  for (const [one, isTaken] of isNew) {
    if (one.grouping !== grouping || !isTaken) continue;
    if (latest === undefined || one.report.event.occurredAt >= latest.report.event.occurredAt) latest = one;
  }
  if (latest !== undefined)
    setAppearance(store, latest.report.projectId, latest.eventId, appearanceText(latest.report, grouping));
}

/** Appends events and counts them at once. */
export function writeReports(
  store: Store,
  reports: readonly Report[],
  afterEvents: AfterEvents,
  storedPayloads = MAX_STORED_PAYLOADS,
): boolean[] {
  const stored = appendReports(store, reports);
  countInbox(store, afterEvents, storedPayloads);
  return stored;
}

/** Release IDs by project and version, or undefined for unknown releases. */
type Releases = Map<number, Map<string, number | undefined>>;

/** Returns the release of an event: null if it has none, undefined if the release is unknown. */
function releaseOf(store: Store, releases: Releases, { projectId, event }: Report): number | null | undefined {
  const version = event.appRelease;
  if (version === undefined) return null;
  let ofProject = releases.get(projectId);
  if (ofProject === undefined) {
    ofProject = new Map();
    releases.set(projectId, ofProject);
  }
  if (!ofProject.has(version)) ofProject.set(version, findReleaseId(store, projectId, version));
  return ofProject.get(version);
}

function createRelease(store: Store, releases: Releases, { projectId, event, receivedAt }: Report): number | null {
  const version = event.appRelease;
  if (version === undefined) return null;
  const id = insertRelease(store, projectId, version, receivedAt);
  releases.get(projectId)?.set(version, id);
  return id;
}

/**
 * Creates the grouping of a new kind of event: in the error with the same whole stack, in the one that a former version of the
 * algorithm would choose, or in a new error.
 */
function createGrouping(store: Store, report: Report, releaseId: number | null): GroupingRow {
  const { projectId, event, grouping, receivedAt } = report;
  const values = { projectId, algorithm: grouping.version, at: event.occurredAt };
  const whole = grouping.whole();
  const hasOther = !whole.equals(grouping.app);
  const byWhole = hasOther ? findGrouping(store, projectId, whole) : undefined;
  const known = byWhole ?? findFormer(store, projectId, grouping.former());
  if (known !== undefined) {
    const id = insertGrouping(store, { ...values, errorId: known.error_id, hash: grouping.app });
    if (hasOther && byWhole === undefined) insertGrouping(store, { ...values, errorId: known.error_id, hash: whole });
    return { ...known, id };
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
  indexText(store, errorId, searchTextOf(event));
  const id = insertGrouping(store, { ...values, errorId, hash: grouping.app });
  if (hasOther) insertGrouping(store, { ...values, errorId, hash: whole });
  return { id, error_id: errorId, is_overflow: 0 };
}

/** Returns the grouping by a former version of the algorithm. */
function findFormer(store: Store, projectId: number, former: readonly GroupingHashes[]): GroupingRow | undefined {
  for (const { app, whole } of former) {
    const found = findGrouping(store, projectId, app) ?? findGrouping(store, projectId, whole());
    if (found !== undefined) return found;
  }
  return undefined;
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
  indexText(store, errorId, overflow.title);
  const id = insertGrouping(store, { projectId, errorId, hash: own, algorithm: grouping.version, at });
  return { id, error_id: errorId, is_overflow: 1 };
}

/** Returns 48 bits of the first hash, which are exact as a JSON number and the same on other servers with the same events. */
export function fingerprintOf(first: Buffer): number {
  return first.readUIntBE(0, 6);
}

export function appearanceOf(event: TrackedEvent): Appearance {
  const exception = mainException(withoutWrapper(event));
  return {
    title: titleOf(event),
    type: exception?.type ?? null,
    message: (exception === undefined ? event.message?.text : exception.value) ?? null,
    culprit: culpritOf(event),
    platform: event.platform,
    level: event.level,
  };
}
