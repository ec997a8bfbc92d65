import { recordActivity, scheduleEventRetention } from './activity/activity.ts';
import { recordAudit } from './audit/audit.ts';
import { followRepositories } from './mergeRequests/branchUpdates.ts';
import { followLive } from './stream/occurrences.ts';
import type { Platform } from './platform.ts';
import { scheduleMemberExpiry } from './projects/projects.ts';

/** Everything that hangs off a change, in this order, and the work of the features that falls due by the clock. */
export function attachSubscribers(platform: Platform): void {
  recordActivity(platform);
  recordAudit(platform);
  followRepositories(platform);
  followLive(platform);
  scheduleMemberExpiry(platform);
  scheduleEventRetention(platform);
}
