import type { Client } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { ApiFailure } from '../api/failures.ts';
import { type ErrorTrackingSettings, readErrorTrackingSettings } from '../contract/errorTracking.ts';

const settingsOf = (project: number | string): string => apiPath`/projects/${project}/error_tracking/settings`;

/**
 * Has errors of a project tracked by the platform itself. Instances without the request that creates settings (before release 15.10, or
 * where it is switched off) can still switch those on that they have. Rejects with an `ApiFailure`, with `notFound` where neither is
 * possible.
 */
export async function enableErrorTracking(client: Client, project: number | string): Promise<ErrorTrackingSettings> {
  const path = settingsOf(project);
  try {
    return await client.change({ method: 'PUT', path, body: { active: true, integrated: true } }, readErrorTrackingSettings);
  } catch (error) {
    if (!(error instanceof ApiFailure && error.kind === 'notFound')) throw error;
    return client.change({ method: 'PATCH', path, body: { active: true } }, readErrorTrackingSettings);
  }
}

/** Has errors of a project tracked no longer. Rejects with an `ApiFailure`, with `notFound` where they never were. */
export function disableErrorTracking(client: Client, project: number | string): Promise<ErrorTrackingSettings> {
  return client.change({ method: 'PATCH', path: settingsOf(project), body: { active: false } }, readErrorTrackingSettings);
}
