import type { Platform } from '../../platform.ts';
import { writeSettings } from './settings/errorTrackingSettings.ts';

export { userHasher } from './event/userHashes.ts';
export { type ErrorHistory, openHistory, type PastEvent, type RepeatedEvent } from './errorHistory.ts';

/** Turns error tracking by this server on or off for a project. */
export function setErrorTracking(platform: Platform, projectId: number, active: boolean): void {
  writeSettings(platform, projectId, { active, integrated: true });
}
