import { changedAttributes } from '../changes.ts';
import { invalidRecord, MAX_NUMBER } from '../http/failures.ts';
import type { Platform } from '../platform.ts';
import { type Availability, isAvailable, type Profile } from '../profile.ts';
import { storedSetting, storeSetting } from './store.ts';

interface Setting<T> extends Availability {
  readonly usual: T;
}

/** Settings of the whole instance, by their names on the real platform: exactly those that something here obeys. */
export const instanceSettings = {
  /** Off, it also ends the password grant (docs/interface.md#password-grant), which is all that obeys it here. */
  password_authentication_enabled_for_git: { usual: true, removedIn: '19.0' },
  /**
   * Off, the password grant demands an application everywhere; the hosted offering demands one in any case
   * (docs/interface.md#password-grant).
   */
  ropc_without_client_credentials: { usual: true, addedIn: '17.11', removedIn: '19.0' },
  /** Largest offset of a list that keyset pagination can answer too; 0 is none. A limit of the plan on the real platform. */
  offset_pagination_limit: { usual: 50_000 },
  /** Limits of how often the REST API is called: by whoever has no token, by address, and by everybody else, by account. */
  throttle_unauthenticated_api_enabled: { usual: false },
  throttle_unauthenticated_api_requests_per_period: { usual: 3600 },
  throttle_unauthenticated_api_period_in_seconds: { usual: 3600 },
  throttle_authenticated_api_enabled: { usual: false },
  throttle_authenticated_api_requests_per_period: { usual: 7200 },
  throttle_authenticated_api_period_in_seconds: { usual: 3600 },
  /** Of this server alone: how often SDKs may send with one client key. */
  error_tracking_requests_per_minute: { usual: 1_000_000 },
  /** Of this server alone: the project to which programs of this machine send errors at `/stream`, without a key; 0 is none. */
  error_tracking_stream_project_id: { usual: 0 },
} as const satisfies Readonly<Record<string, Setting<boolean | number>>>;

type Settings = typeof instanceSettings;
export type SwitchName = { [Name in keyof Settings]: Settings[Name]['usual'] extends boolean ? Name : never }[keyof Settings];

export const throttleNames = ['throttle_unauthenticated_api', 'throttle_authenticated_api'] as const;
export type ThrottleName = (typeof throttleNames)[number];
export type ThrottleNumber = `${ThrottleName}_${'requests_per_period' | 'period_in_seconds'}`;

export type SettingNumber = ThrottleNumber | 'error_tracking_requests_per_minute' | 'error_tracking_stream_project_id';

export function settingNumber({ store }: Platform, name: SettingNumber): number {
  return storedSetting(store, name) ?? instanceSettings[name].usual;
}

/** Whether the emulated release and offering have a switch. */
export function hasSwitch(profile: Profile, name: SwitchName): boolean {
  const setting: Setting<boolean> = instanceSettings[name];
  return isAvailable(setting, profile);
}

/** Whether a switch is on; as usual where the emulated release does not have it. */
export function isOn({ store, profile }: Platform, name: SwitchName): boolean {
  const stored = hasSwitch(profile, name) ? storedSetting(store, name) : undefined;
  return stored === undefined ? instanceSettings[name].usual : stored === 1;
}

/** `page` times `per_page` may not lie above it. */
export function maximumOffset({ store }: Platform): number {
  const limit = storedSetting(store, 'offset_pagination_limit') ?? instanceSettings.offset_pagination_limit.usual;
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
  'error_tracking_requests_per_minute',
  'error_tracking_stream_project_id',
];
/** Those for which nothing is a value, too. */
const fromZero: readonly SettingNumber[] = ['error_tracking_stream_project_id'];

/** All settings that the emulated release and offering have. */
export function allSettings(platform: Platform): Readonly<Record<string, boolean | number>> {
  const known = switches.filter((name) => hasSwitch(platform.profile, name));
  const offset = maximumOffset(platform);
  return {
    ...Object.fromEntries(known.map((name) => [name, isOn(platform, name)])),
    offset_pagination_limit: Number.isFinite(offset) ? offset : 0,
    ...Object.fromEntries(numbers.map((name) => [name, settingNumber(platform, name)])),
  };
}

/** What is left out stays. */
export type SettingsInput = { readonly [Name in SwitchName]?: boolean | undefined } & {
  readonly [Name in SettingNumber | 'offset_pagination_limit']?: number | undefined;
};

/**
 * Changes settings, with one audit event for each that is another one then. `isProject` says of a number whether whoever asks sees a project
 * that has it. Throws 400, with nothing done, for a number that a setting cannot have.
 */
export function changeSettings(platform: Platform, input: SettingsInput, isProject: (id: number) => boolean): void {
  const { store, changes } = platform;
  const { offset_pagination_limit: offset, error_tracking_stream_project_id: streamed } = input;
  const refuse = (names: readonly string[], text: string): void => {
    if (names.length > 0) throw invalidRecord(Object.fromEntries(names.map((name) => [name, [text]])));
  };
  refuse(
    ['offset_pagination_limit' as const, ...fromZero].filter((name) => (input[name] ?? 0) < 0),
    'must be greater than or equal to 0',
  );
  refuse(
    numbers.filter((name) => !fromZero.includes(name) && (input[name] ?? 1) < 1),
    'must be greater than 0',
  );
  refuse(
    ['offset_pagination_limit' as const, ...numbers].filter((name) => (input[name] ?? 0) > MAX_NUMBER),
    `must be less than or equal to ${MAX_NUMBER}`,
  );
  if (streamed !== undefined && streamed !== 0 && !isProject(streamed)) {
    refuse(['error_tracking_stream_project_id'], 'is no project');
  }
  store.transaction(() => {
    const before = allSettings(platform);
    for (const name of switches) {
      const value = input[name];
      if (value !== undefined) storeSetting(store, name, value ? 1 : 0);
    }
    if (offset !== undefined) storeSetting(store, 'offset_pagination_limit', offset);
    for (const name of numbers) {
      const value = input[name];
      if (value !== undefined) storeSetting(store, name, value);
    }
    const names = Object.fromEntries(Object.keys(before).map((name) => [name, name]));
    const attributes = changedAttributes(names, before, allSettings(platform));
    if (attributes.length > 0) changes.publish({ kind: 'settingsChanged', attributes });
  });
}
