import {
  effectiveSetting,
  type EventReach,
  type EventSwitches,
  isSwitchedOn,
  type NotificationEvent,
  notificationEvents,
  type NotificationLevel,
  type NotificationSettingsResponse,
  reachOf,
  type ScopedSetting,
} from '../contract/notifications.ts';
import { chainOf, type NotificationScope } from './scopes.ts';

// Rules that explain notification settings, without requests and without VS Code.

/** Switches of level `custom`: null if a switch uses its default, no entry if the instance does not report it. */
export type SwitchStates = Readonly<Partial<Record<NotificationEvent, boolean | null>>>;

/** Settings of a scope as far as the API reports them. */
export interface KnownSetting {
  readonly level: NotificationLevel;
  /** Only level `custom` reports switches, and not in the global settings. */
  readonly switches: SwitchStates;
  /** Global settings only. */
  readonly email?: string;
}

/** Change of the settings of a scope. Omitted values are kept. Null resets a switch to its default. */
export interface SettingChange {
  readonly level?: NotificationLevel;
  readonly switches?: SwitchStates;
  readonly email?: string;
}

/** Setting that applies to a scope, and the scope that it was made in. */
export interface AppliedSetting {
  readonly source: NotificationScope;
  readonly setting: KnownSetting;
}

/** Returns the known settings of a scope, undefined while they are unknown. */
export type SettingLookup = (scope: NotificationScope) => KnownSetting | undefined;

export function knownSetting({ level, notification_email: email, events }: NotificationSettingsResponse): KnownSetting {
  const switches = Object.fromEntries(
    notificationEvents.flatMap((event) => {
      const state = events?.[event];
      return state === undefined ? [] : [[event, state]];
    }),
  );
  return { level, switches, ...(email === undefined ? {} : { email }) };
}

/**
 * Returns the next scope whose settings are needed to say which setting applies, or undefined if that is known. Settings further up are not
 * needed if a nearer one applies.
 */
export function neededScope(scope: NotificationScope, lookup: SettingLookup): NotificationScope | undefined {
  for (const link of chainOf(scope)) {
    const setting = lookup(link);
    if (setting === undefined) return link;
    if (setting.level !== 'global') return undefined;
  }
  return undefined;
}

/** Returns the setting that applies to a scope, or undefined if it is not known yet. */
export function appliedSetting(scope: NotificationScope, lookup: SettingLookup): AppliedSetting | undefined {
  if (neededScope(scope, lookup) !== undefined) return undefined;
  const known = chainOf(scope).flatMap((source) => {
    const setting = lookup(source);
    return setting === undefined ? [] : [{ source, setting }];
  });
  const scoped = known.map(scopedSetting);
  const last = scoped.at(-1);
  if (last === undefined) return undefined;
  const found = effectiveSetting([...scoped.slice(0, -1), last]);
  return known.find(({ source }) => source.kind === found.scope.kind && source.path === found.scope.path);
}

function scopedSetting({ source, setting }: AppliedSetting): ScopedSetting {
  const { kind, id = 0, path } = source;
  return { scope: { kind, id, path }, level: setting.level, switches: setSwitches(setting.switches) };
}

/** Returns the switches that are on or off, without those that use their default. */
function setSwitches(switches: SwitchStates): EventSwitches {
  return Object.fromEntries(Object.entries(switches).filter(([, state]) => typeof state === 'boolean'));
}

/** Returns true if the switch is on while it is not set. */
export function isOnByDefault(event: NotificationEvent): boolean {
  return isSwitchedOn({}, event);
}

/** Returns when an event is mailed with this setting; undefined if the instance does not report its switch. */
export function reachIn({ level, switches }: KnownSetting, event: NotificationEvent): EventReach | undefined {
  if (level === 'custom' && switches[event] === undefined) return undefined;
  return reachOf({ level, switches: setSwitches(switches) }, event);
}

/** Returns true if it is known which events the setting mails. Custom global settings are unknown unless they were set here. */
export function isReported({ level, switches }: KnownSetting): boolean {
  return level !== 'custom' || switches.new_note !== undefined;
}

/** Returns true if the event is mailed to somebody who takes part in its thread. */
export function isMailed(reach: EventReach | undefined): boolean {
  return reach === 'always' || reach === 'participating';
}

const reaches: readonly EventReach[] = ['never', 'mention', 'participating', 'always'];

/**
 * Returns the switches with which level `custom` mails at least what the setting mails. Unreported switches are omitted,
 * so that the instance keeps them.
 */
export function switchesLike(setting: KnownSetting): EventSwitches {
  return Object.fromEntries(
    notificationEvents.flatMap((event) => {
      const reach = reachIn(setting, event);
      if (reach === undefined) return [];
      const without = reachOf({ level: 'custom', switches: { failed_pipeline: false, fixed_pipeline: false } }, event);
      return [[event, reach === 'always' || reaches.indexOf(reach) > reaches.indexOf(without)]];
    }),
  );
}

/** Returns the change that sets a switch. A level other than `custom` is changed to it, with the events of the applied setting. */
export function changeOfSwitch(own: KnownSetting, applied: KnownSetting, event: NotificationEvent, isOn: boolean): SettingChange {
  if (own.level === 'custom') return { switches: { [event]: isOn } };
  return { level: 'custom', switches: { ...switchesLike(applied), [event]: isOn } };
}

/** Difference between two settings. */
export interface SettingDifference {
  /** Undefined if the level is the same. */
  readonly level: { readonly before: NotificationLevel; readonly after: NotificationLevel } | undefined;
  readonly switches: readonly {
    readonly event: NotificationEvent;
    readonly before: boolean | null | undefined;
    readonly after: boolean | null;
  }[];
}

/** Returns what a change would alter, or undefined if nothing. Switches count only with level `custom`. */
export function differenceOf(before: KnownSetting, change: SettingChange): SettingDifference | undefined {
  const level = change.level ?? before.level;
  const switches =
    level === 'custom'
      ? notificationEvents.flatMap((event) => {
          const after = change.switches?.[event];
          const now = before.level === 'custom' ? before.switches[event] : undefined;
          if (after === undefined || after === now) return [];
          // Another level has no switches that a default could differ from.
          return after === null && before.level !== 'custom' ? [] : [{ event, before: now, after }];
        })
      : [];
  if (level === before.level && switches.length === 0) return undefined;
  return { level: level === before.level ? undefined : { before: before.level, after: level }, switches };
}

/** Returns the change that makes another setting the same as this one. */
export function changeTo({ level, switches }: KnownSetting): SettingChange {
  return level === 'custom' ? { level, switches } : { level };
}

/** Returns true if both have the same level and, with level `custom`, no reported switch differs. */
export function isSameSetting(one: KnownSetting, other: KnownSetting): boolean {
  if (one.level !== other.level) return false;
  if (one.level !== 'custom') return true;
  return notificationEvents.every((event) => {
    const [left, right] = [one.switches[event], other.switches[event]];
    return left === undefined || right === undefined || (left ?? isOnByDefault(event)) === (right ?? isOnByDefault(event));
  });
}
