import { recordActivity, scheduleEventRetention } from './features/activity/activity.ts';
import { recordAudit } from './features/audit/audit.ts';
import { scheduleDueIssues } from './features/issues/dueIssues.ts';
import { followRepositories } from './features/mergeRequests/branchUpdates.ts';
import { followLive } from './features/stream/occurrences.ts';
import type { Platform } from './platform.ts';
import { scheduleMemberExpiry } from './features/projects/projects.ts';
import { schedulePublications } from './features/releases/releases.ts';

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
