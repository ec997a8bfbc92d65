import { recordActivity, scheduleEventRetention } from './activity/activity.ts';
import { recordAudit } from './audit/audit.ts';
import { scheduleDueIssues } from './issues/dueIssues.ts';
import { followRepositories } from './mergeRequests/branchUpdates.ts';
import { followLive } from './stream/occurrences.ts';
import type { Platform } from './platform.ts';
import { scheduleMemberExpiry } from './projects/projects.ts';
import { schedulePublications } from './releases/releases.ts';

/** Attaches the subscribers of changes, in this order, and schedules the work of the features. */
export function attachSubscribers(platform: Platform): void {
  recordActivity(platform);
  recordAudit(platform);
  followRepositories(platform);
  followLive(platform);
  scheduleMemberExpiry(platform);
  scheduleEventRetention(platform);
  scheduleDueIssues(platform);
  schedulePublications(platform);
}
