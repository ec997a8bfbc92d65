import { integerMember, isJsonObject, type JsonObject, listOf, stringMember } from '../contract/json.ts';
import { isNotificationLevel, notificationEvents } from '../contract/notifications.ts';
import { type NotificationScope, readStoredScope } from './scopes.ts';
import type { KnownSetting, SettingChange, SwitchStates } from './settings.ts';

/** Settings of one scope that a timed profile replaces. */
export interface ProfileEntry {
  readonly scope: NotificationScope;
  /** Settings before the profile, which are restored. */
  readonly before: KnownSetting;
  /** Settings that the profile makes. If others are found at its end, they were changed by hand and are kept. */
  readonly after: KnownSetting;
}

/** Timed profile that is on. */
export interface TimedProfile {
  /** Key of the account. */
  readonly account: string;
  readonly name: string;
  /** End in milliseconds since the epoch. */
  readonly until: number;
  readonly entries: readonly ProfileEntry[];
}

/** Named settings that can be applied as a timed profile. */
export interface SavedProfile {
  readonly name: string;
  readonly changes: readonly ProfileChange[];
}

export interface ProfileChange {
  readonly scope: NotificationScope;
  readonly change: SettingChange;
}

export function readTimedProfile(value: unknown): TimedProfile | undefined {
  if (!isJsonObject(value)) return undefined;
  const account = stringMember(value, 'account');
  const until = integerMember(value, 'until');
  if (account === undefined || until === undefined) return undefined;
  return { account, name: stringMember(value, 'name') ?? '', until, entries: listOf(value.entries, readEntry) };
}

export function readSavedProfile(value: unknown): SavedProfile | undefined {
  if (!isJsonObject(value)) return undefined;
  const name = stringMember(value, 'name');
  return name === undefined ? undefined : { name, changes: listOf(value.changes, readChange) };
}

export function readEntry(value: unknown): ProfileEntry | undefined {
  if (!isJsonObject(value)) return undefined;
  const [scope, before, after] = [readStoredScope(value.scope), readSetting(value.before), readSetting(value.after)];
  return scope === undefined || before === undefined || after === undefined ? undefined : { scope, before, after };
}

function readChange(value: unknown): ProfileChange | undefined {
  if (!isJsonObject(value)) return undefined;
  const [scope, change] = [readStoredScope(value.scope), readSetting(value.change)];
  return scope === undefined || change === undefined ? undefined : { scope, change };
}

function readSetting(value: unknown): KnownSetting | undefined {
  if (!isJsonObject(value) || !isNotificationLevel(value.level)) return undefined;
  const email = stringMember(value, 'email');
  const switches = isJsonObject(value.switches) ? readSwitches(value.switches) : {};
  return { level: value.level, switches, ...(email === undefined ? {} : { email }) };
}

function readSwitches(switches: JsonObject): SwitchStates {
  return Object.fromEntries(
    notificationEvents.flatMap((event) => {
      const state = switches[event];
      return typeof state === 'boolean' || state === null ? [[event, state]] : [];
    }),
  );
}
