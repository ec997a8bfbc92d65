import { DAY } from '../../clock.ts';
import type { Platform } from '../../platform.ts';
import {
  type IngestStatsRow,
  ingestStatsRows,
  type Outcome,
  refusalRow,
  type RefusalRow,
  deleteIngestStatsBefore,
  oldestIngestDay,
} from './ingestStatsStore.ts';
import { type RefusalCode, refusals } from '../wire/ingestRefusal.ts';

/** Numbers of what SDKs send are kept for so many days, as events are. */
const DAYS = 90;
/** Counters that are removed in one turn of the event loop. */
const SLICE = 500;

/** What SDKs have sent to a project, and what became of it. */
export interface IngestReport {
  /** Milliseconds since 1970; what was before is not counted any more. */
  readonly since: number;
  /** The most first. */
  readonly counts: Readonly<Record<Outcome, readonly IngestStatsRow[]>>;
  readonly lastRefused: LastRefused | undefined;
}

export interface LastRefused extends RefusalRow {
  readonly code: RefusalCode;
  /** What would have passed, as a sentence. */
  readonly passes: string;
}

/** Everything that was counted until this moment. Whether the caller may see it is the caller's to know. */
export function ingestReport({ store, clock, ingestStats }: Platform, projectId: number): IngestReport {
  ingestStats.flush();
  const sinceDay = Math.floor(clock.now() / DAY) - DAYS;
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

/** When the oldest counter or refusal is no longer told, at the end of a day; null when there is none. */
export function endOfOldestIngestStats({ store }: Pick<Platform, 'store'>): number | null {
  const day = oldestIngestDay(store);
  return day === null ? null : (day + DAYS + 1) * DAY;
}

/** Removes counters and refusals that are no longer told. True when there may be more. */
export function removeOldIngestStats({ store }: Pick<Platform, 'store'>, now: number): boolean {
  return deleteIngestStatsBefore(store, Math.floor(now / DAY) - DAYS, SLICE) === SLICE;
}

export function codeNamed(text: string): RefusalCode | undefined {
  return Object.keys(refusals).find((code): code is RefusalCode => code === text);
}
