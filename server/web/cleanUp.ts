import { DAY } from '../clock.ts';
import type { Platform } from '../platform.ts';

/** Rows stay this long after they are over, so that who comes late is still told what happened. */
const KEPT = DAY;
/** Rows that are removed in one turn of the event loop. */
const SLICE = 500;

/** Tables of things that pass, with the column that says when; each is indexed by it. */
const passing = {
  web_sessions: 'expires_at',
  sign_in_links: 'expires_at',
  attempts: 'at',
  spent_time_steps: 'spent_at',
  oauth_device_grants: 'expires_at',
  oauth_authorization_codes: 'expires_at',
  tracked_session_requests: 'received_at',
} as const;

/** Has the rows of these tables removed a day after they are over, by the clock and not by somebody's next request. */
export function scheduleCleanUp(platform: Platform): void {
  const { store, schedule } = platform;
  for (const [table, column] of Object.entries(passing)) {
    schedule.add({
      name: `clean-up of ${table}`,
      next: () => {
        const first = store.get<{ at: number | null }>(`SELECT min(${column}) AS at FROM ${table}`)?.at ?? null;
        return first === null ? null : first + KEPT;
      },
      run: (now) => {
        const sql = `DELETE FROM ${table} WHERE ${column} <= $until ORDER BY ${column} LIMIT ${SLICE}`;
        return store.run(sql, { until: now - KEPT }).changes === SLICE;
      },
    });
  }
}
