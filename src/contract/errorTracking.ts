import { booleanMember, isJsonObject, stringMember } from './json.ts';

/** Error tracking settings of a project. All names and addresses are null for the integrated backend. */
export interface ErrorTrackingSettings {
  readonly active: boolean;
  readonly integrated: boolean;
  readonly project_name: string | null;
  readonly tracker_external_url: string | null;
  readonly api_url: string | null;
}

/** Reads the settings. One member has a different name in each dialect. */
export function readErrorTrackingSettings(value: unknown): ErrorTrackingSettings | undefined {
  if (!isJsonObject(value) || typeof value.active !== 'boolean') return undefined;
  return {
    active: value.active,
    integrated: booleanMember(value, 'integrated'),
    project_name: stringMember(value, 'project_name') ?? null,
    tracker_external_url: stringMember(value, 'tracker_external_url') ?? stringMember(value, 'sentry_external_url') ?? null,
    api_url: stringMember(value, 'api_url') ?? null,
  };
}
