import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { ApiFailure } from '../api/failures.ts';
import { type ErrorTrackingSettings, readErrorTrackingSettings } from '../contract/errorTracking.ts';

const settingsPath = (project: number | string): string => apiPath`/projects/${project}/error_tracking/settings`;

/**
 * Enables error tracking with the integrated backend. Instances that cannot create the settings (releases before 15.10, or if the feature
 * is disabled) can still activate existing ones. Rejects with an `ApiFailure`, of kind `notFound` if neither is possible.
 */
export async function enableErrorTracking(client: Client, project: number | string): Promise<ErrorTrackingSettings> {
  const path = settingsPath(project);
  try {
    return await client.change({ method: 'PUT', path, body: { active: true, integrated: true } }, readErrorTrackingSettings);
  } catch (error) {
    if (!(error instanceof ApiFailure && error.kind === 'notFound')) throw error;
    return client.change({ method: 'PATCH', path, body: { active: true } }, readErrorTrackingSettings);
  }
}

/** Disables error tracking. Rejects with an `ApiFailure`, of kind `notFound` if it was never enabled. */
export function disableErrorTracking(client: Client, project: number | string): Promise<ErrorTrackingSettings> {
  return client.change({ method: 'PATCH', path: settingsPath(project), body: { active: false } }, readErrorTrackingSettings);
}
