import type { Platform } from '../platform.ts';
import { writeSettings } from './settings.ts';

/** Has this server track the errors of a project, or no longer. */
export function setErrorTracking(platform: Platform, projectId: number, active: boolean): void {
  writeSettings(platform, projectId, { active, integrated: true });
}
