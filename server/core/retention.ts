import { DAY } from './clock.ts';
import type { DueWork } from './schedule.ts';

/** Days that the server keeps reported errors (docs/interface.md#tracked-errors), and whatever else it records without being asked. */
export const RETENTION_DAYS = 90;

/** Rows that are deleted when they are too old. */
export interface Retention {
  /** Name of the scheduled work. */
  readonly name: string;
  /** Time that rows are kept, in milliseconds. Default: {@link RETENTION_DAYS}. */
  readonly period?: number;
  /** Returns the time of the oldest row in milliseconds since the epoch, or null if there is none. */
  oldest(): number | null;
  /** Deletes rows up to a time, at most as many as take a few milliseconds. Returns true if there may be more. */
  deleteUntil(time: number): boolean;
}

/** Returns the scheduled work that deletes rows past their retention. */
export function retentionWork({ name, period = RETENTION_DAYS * DAY, oldest, deleteUntil }: Retention): DueWork {
  return {
    name,
    next: () => {
      const time = oldest();
      return time === null ? null : time + period;
    },
    run: (now) => deleteUntil(now - period),
  };
}
