import { DAY } from '../core/clock.ts';
import type { Platform } from '../platform.ts';

/** Time that rows are kept after their end, so that late requests still get an accurate error. */
const STORED_FOR = DAY;
/** Number of rows that are deleted per turn of the event loop. */
const SLICE = 500;

/** Tables of temporary rows with the indexed column of their end. */
const temporaryTables = {
  web_sessions: 'expires_at',
  sign_in_links: 'expires_at',
  attempts: 'at',
  spent_time_steps: 'spent_at',
  oauth_device_grants: 'expires_at',
  oauth_authorization_codes: 'expires_at',
} as const;

/** Schedules the deletion of the rows of these tables a day after their end, independently of requests. */
export function scheduleCleanUp(platform: Platform): void {
  const { store, schedule } = platform;
  for (const [table, column] of Object.entries(temporaryTables)) {
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
}
