import type { TrackingCore } from '../trackingCore.ts';
import { DAY } from '../../../core/clock.ts';
import { RETENTION_DAYS } from '../../../core/retention.ts';
import type { Core } from '../../../core/core.ts';
import {
  type IngestStatsRow,
  ingestStatsRows,
  type Outcome,
  refusalRow,
  type RefusalRow,
  deleteIngestStatsBefore,
  oldestIngestDay,
} from './ingestStatsStore.ts';
import { type RefusalCode, refusals } from './ingestRefusal.ts';
import { deleteKeyUseBefore, oldestKeyUseDay } from './keyUseStore.ts';

/** Number of counters deleted per turn of the event loop. */
const ROWS_PER_TURN = 500;

/** Data that SDKs sent to a project, and its outcome. */
export interface IngestReport {
  /** Start of the statistics, in milliseconds since 1970. */
  readonly since: number;
  /** Counters by outcome, the largest first. */
  readonly counts: Readonly<Record<Outcome, readonly IngestStatsRow[]>>;
  readonly lastRefused: LastRefused | undefined;
}

export interface LastRefused extends RefusalRow {
  readonly code: RefusalCode;
  /** Advice on sending an accepted request, as a sentence. */
  readonly passes: string;
}

/** Returns the statistics up to now. The caller checks access. */
export function ingestReport({ store, clock, ingestStats }: TrackingCore, projectId: number): IngestReport {
  ingestStats.flush();
  const sinceDay = Math.floor(clock.now() / DAY) - RETENTION_DAYS;
  const counts: Record<Outcome, IngestStatsRow[]> = {
    accepted: [],
    repeated: [],
    ignored: [],
    dropped: [],
    discarded: [],
    refused: [],
  };
  for (const row of ingestStatsRows(store, projectId, sinceDay)) counts[row.outcome].push(row);
  const refused = refusalRow(store, projectId, sinceDay * DAY);
  const code = refused && codeNamed(refused.code);
  return {
    since: sinceDay * DAY,
    counts,
    lastRefused: refused === undefined || code === undefined ? undefined : { ...refused, code, passes: refusals[code].passes },
  };
}

/** Returns when the oldest counter, refusal or use of a client key expires, at the end of a day, or null if there is none. */
export function endOfOldestIngestStats({ store }: Pick<Core, 'store'>): number | null {
  const days = [oldestIngestDay(store), oldestKeyUseDay(store)].filter((day) => day !== null);
  return days.length === 0 ? null : (Math.min(...days) + RETENTION_DAYS + 1) * DAY;
}

/** Deletes expired counters, refusals and uses of client keys. Returns true if there may be more. */
export function removeOldIngestStats({ store }: Pick<Core, 'store'>, now: number): boolean {
  const day = Math.floor(now / DAY) - RETENTION_DAYS;
  const counters = deleteIngestStatsBefore(store, day, ROWS_PER_TURN);
  return Math.max(counters, deleteKeyUseBefore(store, day, ROWS_PER_TURN)) === ROWS_PER_TURN;
}

export function codeNamed(text: string): RefusalCode | undefined {
  return Object.keys(refusals).find((code): code is RefusalCode => code === text);
}
