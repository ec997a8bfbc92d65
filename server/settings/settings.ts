import type { Platform } from '../platform.ts';
import { type Availability, isAvailable, type Profile } from '../profile.ts';
import { storedSetting } from './store.ts';

interface Setting<T> extends Availability {
  readonly usual: T;
}

/** Settings of the whole instance, by their names on the real platform: exactly those that something here obeys. */
export const instanceSettings = {
  /** Off, it also ends the password grant (description, Authentication), which is all that obeys it here. */
  password_authentication_enabled_for_git: { usual: true, last: '19.0' },
  /** Off, the password grant demands an application everywhere; the hosted offering demands one in any case (oauth.md §5). */
  ropc_without_client_credentials: { usual: true, first: '17.11', last: '19.0' },
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
