import { changedAttributes } from '../../core/changes.ts';
import { retryAll } from '../mail/sending.ts';
import { smtpUrl, smtpUrlProblem, storeSmtp } from '../mail/smtp.ts';
import { MAX_WEIGHT, setStorageWeights, storageWeights } from '../git/storages.ts';
import { invalidRecord, MAX_NUMBER } from '../../http/failures.ts';
import type { Platform } from '../../platform.ts';
import { type Availability, isAvailable, type Profile } from '../../core/profile.ts';
import { storedSetting, storeSetting } from './store.ts';
import { type SentWeights, weightErrors } from './weights.ts';

interface Setting<T> extends Availability {
  readonly defaultValue: T;
}

/** Settings of the whole instance by their names on GitLab. Only settings with an effect are included. */
export const instanceSettings = {
  /** If false, the password grant is disabled too (docs/interface.md#password-grant), which is its only effect here. */
  password_authentication_enabled_for_git: { defaultValue: true, removedIn: '19.0' },
  /**
   * If false, the password grant requires an application. The hosted offering always requires one (docs/interface.md#password-grant).
   */
  ropc_without_client_credentials: { defaultValue: true, addedIn: '17.11', removedIn: '19.0' },
  /** Maximum offset of lists that also support keyset pagination; 0 means no limit. On GitLab, this is a limit of the plan. */
  offset_pagination_limit: { defaultValue: 50_000 },
  /** Maximum number of events of one kind that a push records one by one; more become one event, as all do with 0. */
  push_event_activities_limit: { defaultValue: 3 },
  /** Maximum size of an uploaded file, in MiB. */
  max_attachment_size: { defaultValue: 100 },
  /** Rate limits of the REST API: per address without a token, per account with one. */
  throttle_unauthenticated_api_enabled: { defaultValue: false },
  throttle_unauthenticated_api_requests_per_period: { defaultValue: 3600 },
  throttle_unauthenticated_api_period_in_seconds: { defaultValue: 3600 },
  throttle_authenticated_api_enabled: { defaultValue: false },
  throttle_authenticated_api_requests_per_period: { defaultValue: 7200 },
  throttle_authenticated_api_period_in_seconds: { defaultValue: 3600 },
  /** Maximum number of actions of a scan execution policy that count; 0 means no limit. */
  scan_execution_policies_action_limit: { defaultValue: 10, addedIn: '17.9', offerings: ['self-managed'], tiers: ['ultimate'] },
  /** Maximum number of requests of SDKs per client key and minute. Not a setting of GitLab. */
  error_tracking_requests_per_minute: { defaultValue: 1_000_000 },
  /** Project to which clients on this machine send errors at `/stream` without a key; 0 means none. Not a setting of GitLab. */
  error_tracking_stream_project_id: { defaultValue: 0 },
} as const satisfies Readonly<Record<string, Setting<boolean | number>>>;

type Settings = typeof instanceSettings;
export type SwitchName = {
  [Name in keyof Settings]: Settings[Name]['defaultValue'] extends boolean ? Name : never;
}[keyof Settings];

export const throttleNames = ['throttle_unauthenticated_api', 'throttle_authenticated_api'] as const;
export type ThrottleName = (typeof throttleNames)[number];
export type ThrottleNumber = `${ThrottleName}_${'requests_per_period' | 'period_in_seconds'}`;

export type SettingNumber =
  | ThrottleNumber
  | 'error_tracking_requests_per_minute'
  | 'scan_execution_policies_action_limit'
  | 'error_tracking_stream_project_id'
  | 'max_attachment_size'
  | 'push_event_activities_limit';

/** Returns the value of a setting that is a number, or its default value if the emulated release, tier or offering does not have it. */
export function settingNumber({ store, profile }: Platform, name: SettingNumber): number {
  const stored = hasNumber(profile, name) ? storedSetting(store, name) : undefined;
  return stored ?? instanceSettings[name].defaultValue;
}

/** Returns true if the emulated release, tier and offering have a setting that is a number. */
export function hasNumber(profile: Profile, name: SettingNumber): boolean {
  const setting: Setting<number> = instanceSettings[name];
  return isAvailable(setting, profile);
}

/** Returns the releases, tiers and offerings that have a setting. */
export function limitsOfSetting(name: SwitchName | SettingNumber): Availability {
  const { defaultValue: _, ...limits }: Setting<boolean | number> = instanceSettings[name];
  return limits;
}

/** Returns true if the emulated release and offering have a boolean setting. */
export function hasSwitch(profile: Profile, name: SwitchName): boolean {
  const setting: Setting<boolean> = instanceSettings[name];
  return isAvailable(setting, profile);
}

/** Returns the value of a boolean setting, or its default value if the emulated release does not have it. */
export function isOn({ store, profile }: Platform, name: SwitchName): boolean {
  const stored = hasSwitch(profile, name) ? storedSetting(store, name) : undefined;
  return stored === undefined ? instanceSettings[name].defaultValue : stored === 1;
}

/** Returns the maximum of `page` times `per_page`. */
export function maximumOffset({ store }: Platform): number {
  const limit = storedSetting(store, 'offset_pagination_limit') ?? instanceSettings.offset_pagination_limit.defaultValue;
  return limit === 0 ? Number.POSITIVE_INFINITY : limit;
}

const switches: readonly SwitchName[] = [
  'password_authentication_enabled_for_git',
  'ropc_without_client_credentials',
  'throttle_unauthenticated_api_enabled',
  'throttle_authenticated_api_enabled',
];
const numbers: readonly SettingNumber[] = [
  ...throttleNames.flatMap((name) => [`${name}_requests_per_period`, `${name}_period_in_seconds`] as const),
  'push_event_activities_limit',
  'max_attachment_size',
  'scan_execution_policies_action_limit',
  'error_tracking_requests_per_minute',
  'error_tracking_stream_project_id',
];
/** Maximum of `max_attachment_size`: an upload is in memory as a whole, and takes about four times its size there. */
const MAX_ATTACHMENT_SIZE = 100;
/** Settings for which 0 is a valid value. */
const zeroAllowed: readonly SettingNumber[] = [
  'error_tracking_stream_project_id',
  'push_event_activities_limit',
  'scan_execution_policies_action_limit',
];
const MAX_POLICY_ACTIONS = 20;

/** All settings that the emulated release and offering have, without passwords. */
export function allSettings(platform: Platform): Readonly<Record<string, boolean | number | string | object>> {
  const available = switches.filter((name) => hasSwitch(platform.profile, name));
  const offset = maximumOffset(platform);
  return {
    ...Object.fromEntries(available.map((name) => [name, isOn(platform, name)])),
    offset_pagination_limit: Number.isFinite(offset) ? offset : 0,
    ...Object.fromEntries(
      numbers.filter((name) => hasNumber(platform.profile, name)).map((name) => [name, settingNumber(platform, name)]),
    ),
    repository_storages_weighted: storageWeights(platform),
    smtp_url: smtpUrl(platform),
  };
}

/** Returns all settings in a form that can be compared and recorded. */
function auditedSettings(platform: Platform): Readonly<Record<string, boolean | number | string>> {
  const settings = Object.entries(allSettings(platform));
  return Object.fromEntries(settings.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : value]));
}

const MAX_PASSWORD_LENGTH = 1000;

/** Changes of settings. Omitted settings do not change. */
export type SettingsInput = { readonly [Name in SwitchName]?: boolean | undefined } & {
  readonly [Name in SettingNumber | 'offset_pagination_limit']?: number | undefined;
} & {
  /** Weights of the storages of new repositories. Storages that are not named get the weight 0. */
  readonly repository_storages_weighted?: SentWeights | undefined;
  /** SMTP server that mails are sent to; empty for that of the command line, if any. */
  readonly smtp_url?: string | undefined;
  /** Stored sealed, and never returned. Empty for none. */
  readonly smtp_password?: string | undefined;
};

/**
 * Changes settings and publishes the changed ones for audit events. `isProject` returns true if the caller can see a project with an ID.
 *
 * @throws {WireFailure} 400 for invalid numbers; no setting is changed then.
 */
export function changeSettings(platform: Platform, input: SettingsInput, isProject: (id: number) => boolean): void {
  const { store, changes } = platform;
  const { offset_pagination_limit: offset, error_tracking_stream_project_id: streamProjectId } = input;
  const refuse = (names: readonly string[], text: string): void => {
    if (names.length > 0) throw invalidRecord(Object.fromEntries(names.map((name) => [name, [text]])));
  };
  refuse(
    ['offset_pagination_limit' as const, ...zeroAllowed].filter((name) => (input[name] ?? 0) < 0),
    'must be greater than or equal to 0',
  );
  refuse(
    numbers.filter((name) => !zeroAllowed.includes(name) && (input[name] ?? 1) < 1),
    'must be greater than 0',
  );
  refuse(
    ['offset_pagination_limit' as const, ...numbers].filter((name) => (input[name] ?? 0) > MAX_NUMBER),
    `must be less than or equal to ${MAX_NUMBER}`,
  );
  if ((input.max_attachment_size ?? 0) > MAX_ATTACHMENT_SIZE) {
    refuse(['max_attachment_size'], `must be less than or equal to ${MAX_ATTACHMENT_SIZE}`);
  }
  if ((input.scan_execution_policies_action_limit ?? 0) > MAX_POLICY_ACTIONS) {
    refuse(['scan_execution_policies_action_limit'], `must be less than or equal to ${MAX_POLICY_ACTIONS}`);
  }
  if (streamProjectId !== undefined && streamProjectId !== 0 && !isProject(streamProjectId)) {
    refuse(['error_tracking_stream_project_id'], 'is no project');
  }
  const { repository_storages_weighted: weights } = input;
  const invalidWeights = weights === undefined ? [] : weightErrors(weights, platform.repositories.storages, MAX_WEIGHT);
  if (invalidWeights.length > 0) throw invalidRecord({ repository_storages_weighted: invalidWeights });
  const urlProblem = smtpUrlProblem(input.smtp_url);
  if (urlProblem !== undefined) refuse(['smtp_url'], urlProblem);
  if ((input.smtp_password ?? '').length > MAX_PASSWORD_LENGTH) {
    refuse(['smtp_password'], `is too long (maximum is ${MAX_PASSWORD_LENGTH} characters)`);
  }
  store.transaction(() => {
    const before = auditedSettings(platform);
    for (const name of switches) {
      const value = input[name];
      if (value !== undefined) storeSetting(store, name, value ? 1 : 0);
    }
    if (offset !== undefined) storeSetting(store, 'offset_pagination_limit', offset);
    for (const name of numbers) {
      const value = input[name];
      if (value !== undefined) storeSetting(store, name, value);
    }
    if (weights !== undefined) setStorageWeights(platform, weights);
    storeSmtp(platform, { url: input.smtp_url, password: input.smtp_password });
    if (input.smtp_url !== undefined || input.smtp_password !== undefined) retryAll(platform);
    const names = Object.fromEntries(Object.keys(before).map((name) => [name, name]));
    const attributes = [
      ...changedAttributes(names, before, auditedSettings(platform)),
      ...(input.smtp_password === undefined ? [] : [{ attribute: 'smtp_password', from: '[masked]', to: '[masked]' }]),
    ];
    if (attributes.length > 0) changes.publish({ kind: 'settingsChanged', attributes });
  });
}
