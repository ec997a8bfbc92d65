import { isJsonObject, type JsonObject, stringMember } from './json.ts';

// Notification levels, events and the rules that decide whether a setting lets an event through. The server mails by these rules, and the
// extension explains settings with them. Levels and events: docs/interface.md#notification-settings.

/** All levels. The position of a level is its number in `permissions` of projects. */
export const notificationLevels = ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'] as const;

export type NotificationLevel = (typeof notificationLevels)[number];

/** Events that level `custom` can switch, in the order in which `events` of the API lists them. */
export const listedEvents = [
  'new_release',
  'new_note',
  'new_issue',
  'reopen_issue',
  'close_issue',
  'reassign_issue',
  'issue_due',
  'new_merge_request',
  'push_to_merge_request',
  'reopen_merge_request',
  'close_merge_request',
  'reassign_merge_request',
  'change_reviewer_merge_request',
  'merge_merge_request',
  'failed_pipeline',
  'fixed_pipeline',
  'success_pipeline',
  'moved_project',
  'merge_when_pipeline_succeeds',
  'new_epic',
] as const;

/** All events with a switch. `approver` can be set, but is not returned. */
export const notificationEvents = [...listedEvents, 'approver'] as const;

export type NotificationEvent = (typeof notificationEvents)[number];

/** The switches that were set. An event without an entry uses its default. */
export type EventSwitches = Readonly<Partial<Record<NotificationEvent, boolean>>>;

/** A level with its switches, which only level `custom` uses. */
export interface NotificationSetting {
  readonly level: NotificationLevel;
  readonly switches: EventSwitches;
}

/** Where a setting was made. */
export interface SettingScope {
  readonly kind: 'global' | 'group' | 'project';
  /** ID of the group or project; 0 for the global setting. */
  readonly id: number;
  /** Full path of the group or project; empty for the global setting. */
  readonly path: string;
}

export type ScopedSetting = NotificationSetting & { readonly scope: SettingScope };

/** Setting of a user who never changed any: the global level is `participating`, that of groups and projects `global`. */
export const defaultGlobalSetting: NotificationSetting = { level: 'participating', switches: {} };

export function isNotificationLevel(value: unknown): value is NotificationLevel {
  return notificationLevels.some((level) => level === value);
}

export function isNotificationEvent(value: unknown): value is NotificationEvent {
  return notificationEvents.some((event) => event === value);
}

/**
 * Returns the setting that applies: the first whose level is not `global`. `chain` starts with the project or group itself, continues with
 * its group and the groups above, nearest first, and ends with the global setting, which applies if no other does.
 */
export function effectiveSetting(chain: readonly [...ScopedSetting[], ScopedSetting]): ScopedSetting {
  const [last] = chain.slice(-1);
  const found = chain.find(({ level }) => level !== 'global') ?? last;
  if (found === undefined) throw new Error('a chain of settings ends with the global setting');
  return found;
}

/** Events whose switch counts as on until it is set. */
const onByDefault: ReadonlySet<NotificationEvent> = new Set(['failed_pipeline', 'fixed_pipeline']);

/** Returns true if level `custom` mails the event. A fixed pipeline is also mailed to those who want successful ones. */
export function isSwitchedOn(switches: EventSwitches, event: NotificationEvent): boolean {
  if (switches[event] ?? onByDefault.has(event)) return true;
  return event === 'fixed_pipeline' && switches.success_pipeline === true;
}

/**
 * Relation of a user to an event: the user takes part in the thread, is mentioned, watches the project, selected the event, or subscribed
 * to the thread.
 */
export type RecipientType = 'participating' | 'mention' | 'watch' | 'custom' | 'subscription';

/** Events that level `watch` does not mail to those who only watch. */
export const notWatched: ReadonlySet<NotificationEvent> = new Set([
  'push_to_merge_request',
  'issue_due',
  'success_pipeline',
  'approver',
]);

/** Events that level `participating` mails whatever the relation is. */
const alwaysParticipating: ReadonlySet<NotificationEvent> = new Set(['failed_pipeline', 'fixed_pipeline', 'moved_project']);

/**
 * Returns true if the setting lets the event through for somebody with this relation to it. Subscriptions pass every level. A moved project
 * is mailed at every level but `disabled` (docs/interface.md#notification-mail).
 */
export function passesLevel({ level, switches }: NotificationSetting, type: RecipientType, event: NotificationEvent): boolean {
  if (type === 'subscription') return true;
  switch (level) {
    case 'disabled':
    case 'global':
      return false;
    case 'mention':
      return type === 'mention' || event === 'moved_project';
    case 'participating':
      return type === 'participating' || type === 'mention' || alwaysParticipating.has(event);
    case 'watch':
      return type !== 'watch' || !notWatched.has(event);
    case 'custom':
      return type === 'mention' || event === 'moved_project' || isSwitchedOn(switches, event);
  }
}

/**
 * Relation that candidates have to an event without a thread. Only the user of a pipeline, the members who can read a release, the owners and
 * maintainers of a moved project and the approvers of a merge request are candidates of these.
 */
export const relationWithoutThread: Readonly<Partial<Record<NotificationEvent, 'watch' | 'custom'>>> = {
  failed_pipeline: 'watch',
  fixed_pipeline: 'watch',
  success_pipeline: 'watch',
  approver: 'watch',
  new_release: 'custom',
  moved_project: 'custom',
};

/** When an event is mailed: whenever the user is a candidate, only in threads they take part in, only if mentioned, or not at all. */
export type EventReach = 'always' | 'participating' | 'mention' | 'never';

/**
 * Returns when a setting lets an event through, without subscriptions. The setting is the one that applies, see {@link effectiveSetting}.
 * Events without a thread are mailed always or never.
 */
export function reachOf(setting: NotificationSetting, event: NotificationEvent): EventReach {
  const relation = relationWithoutThread[event];
  if (relation !== undefined) return passesLevel(setting, relation, event) ? 'always' : 'never';
  if ((setting.level === 'watch' || setting.level === 'custom') && passesLevel(setting, setting.level, event)) return 'always';
  return (['participating', 'mention'] as const).find((type) => passesLevel(setting, type, event)) ?? 'never';
}

/** Settings as the API returns them. */
export interface NotificationSettingsResponse {
  readonly level: NotificationLevel;
  /** Only in the global settings. */
  readonly notification_email?: string;
  /** Only of groups and projects with level `custom`. Null if the switch was never set. */
  readonly events?: Readonly<Record<string, boolean | null>>;
}

export function readNotificationSettings(value: unknown): NotificationSettingsResponse | undefined {
  if (!isJsonObject(value) || !isNotificationLevel(value.level)) return undefined;
  const email = stringMember(value, 'notification_email');
  return {
    level: value.level,
    ...(email === undefined ? {} : { notification_email: email }),
    ...(isJsonObject(value.events) ? { events: readEvents(value.events) } : {}),
  };
}

function readEvents(events: JsonObject): Readonly<Record<string, boolean | null>> {
  return Object.fromEntries(
    Object.entries(events).flatMap(([name, value]) => (typeof value === 'boolean' || value === null ? [[name, value]] : [])),
  );
}
