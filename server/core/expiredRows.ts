import { DAY } from './clock.ts';
import type { Core } from './core.ts';

/** Time that rows are kept after their end, so that late requests still get an accurate error. */
const STORED_FOR = DAY;
/** Number of rows that are deleted per turn of the event loop. */
const SLICE = 500;

/**
 * Schedules the deletion of temporary rows a day after their end, independently of requests.
 * @param column Indexed column with the end of a row, in milliseconds.
 */
export function removeExpiredRows({ store, schedule }: Pick<Core, 'store' | 'schedule'>, table: string, column: string): void {
  schedule.add({
    name: `clean-up of ${table}`,
    next: () => {
      const first = store.get<{ at: number | null }>(`SELECT min(${column}) AS at FROM ${table}`)?.at ?? null;
      return first === null ? null : first + STORED_FOR;
    },
    run: (now) => {
      const sql = `DELETE FROM ${table} WHERE ${column} <= $until ORDER BY ${column} LIMIT ${SLICE}`;
      return store.run(sql, { until: now - STORED_FOR }).changes === SLICE;
    },
  });
}
