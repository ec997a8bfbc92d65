import type { Platform } from '../platform.ts';
import { type Availability, isAvailable } from '../profile.ts';
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
} as const satisfies Readonly<Record<string, Setting<boolean | number>>>;

type Settings = typeof instanceSettings;
export type SwitchName = { [Name in keyof Settings]: Settings[Name]['usual'] extends boolean ? Name : never }[keyof Settings];

/** Whether a switch is on; as usual where the emulated release does not have it. */
export function isOn({ store, profile }: Platform, name: SwitchName): boolean {
  const setting: Setting<boolean> = instanceSettings[name];
  const stored = isAvailable(setting, profile) ? storedSetting(store, name) : undefined;
  return stored === undefined ? setting.usual : stored === 1;
}

/** `page` times `per_page` may not lie above it. */
export function maximumOffset({ store }: Platform): number {
  const limit = storedSetting(store, 'offset_pagination_limit') ?? instanceSettings.offset_pagination_limit.usual;
  return limit === 0 ? Number.POSITIVE_INFINITY : limit;
}
