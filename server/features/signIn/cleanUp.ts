import type { Core } from '../../core/core.ts';
import { removeExpiredRows } from '../../core/expiredRows.ts';

/** Schedules the deletion of ended sessions, sign-in links, failed attempts and used one-time codes. */
export function scheduleSignInCleanUp(core: Core): void {
  removeExpiredRows(core, 'web_sessions', 'expires_at');
  removeExpiredRows(core, 'sign_in_links', 'expires_at');
  removeExpiredRows(core, 'attempts', 'at');
  removeExpiredRows(core, 'spent_time_steps', 'spent_at');
}
