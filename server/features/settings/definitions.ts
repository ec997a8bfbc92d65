import type { Availability } from '../../core/profile.ts';
import type { Range } from './checks.ts';

// Settings of the whole instance by their names on GitLab. Only settings with an effect are included. These tables are the source of the
// parameters and responses of the API and of the checks.

interface SwitchDefinition extends Availability {
  readonly defaultValue: boolean;
}

interface NumberDefinition extends Availability, Range {
  readonly defaultValue: number;
}

function switchTable<Name extends string>(table: Readonly<Record<Name, SwitchDefinition>>) {
  return table;
}

function numberTable<Name extends string>(table: Readonly<Record<Name, NumberDefinition>>) {
  return table;
}

export const switches = switchTable({
  /** If false, git refuses passwords, and so does the password grant (docs/interface.md#password-grant). */
  password_authentication_enabled_for_git: { defaultValue: true },
  /**
   * If false, the password grant requires an application. The hosted offering always requires one (docs/interface.md#password-grant).
   */
  ropc_without_client_credentials: { defaultValue: true, addedIn: '17.11', removedIn: '19.0' },
  /** Rate limits of the REST API: per address without a token, per account with one. */
  throttle_unauthenticated_api_enabled: { defaultValue: false },
  throttle_authenticated_api_enabled: { defaultValue: false },
});

export const numbers = numberTable({
  /** Maximum offset of lists that also support keyset pagination; 0 means no limit. On GitLab, this is a limit of the plan. */
  offset_pagination_limit: { defaultValue: 50_000, minimum: 0, offerings: ['self-managed'] },
  throttle_unauthenticated_api_requests_per_period: { defaultValue: 3600, minimum: 1 },
  throttle_unauthenticated_api_period_in_seconds: { defaultValue: 3600, minimum: 1 },
  throttle_authenticated_api_requests_per_period: { defaultValue: 7200, minimum: 1 },
  throttle_authenticated_api_period_in_seconds: { defaultValue: 3600, minimum: 1 },
  /** Maximum number of events of one kind that a push records one by one; more become one event, as all do with 0. */
  push_event_activities_limit: { defaultValue: 3, minimum: 0 },
  /** Maximum number of branches, and of tags, of a push for which hooks are called; a push of more calls none. */
  push_event_hooks_limit: { defaultValue: 3, minimum: 0 },
  /** Maximum size of an uploaded file, in MiB. An upload is in memory as a whole, and takes about four times its size there. */
  max_attachment_size: { defaultValue: 100, minimum: 1, maximum: 100 },
  /** Maximum number of actions of a scan execution policy that count; 0 means no limit. */
  scan_execution_policies_action_limit: {
    defaultValue: 10,
    minimum: 0,
    maximum: 20,
    addedIn: '17.9',
    offerings: ['self-managed'],
    tiers: ['ultimate'],
  },
  /** Maximum number of requests of SDKs per client key and minute. Not a setting of GitLab. */
  error_tracking_requests_per_minute: { defaultValue: 1_000_000, minimum: 1 },
  /** Project to which clients on this machine send errors at `/stream` without a key; 0 means none. Not a setting of GitLab. */
  error_tracking_stream_project_id: { defaultValue: 0, minimum: 0 },
});

export type SwitchName = keyof typeof switches;
export type NumberName = keyof typeof numbers;
