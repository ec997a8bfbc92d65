import {
  defaultGlobalSetting,
  type EventSwitches,
  isNotificationEvent,
  type NotificationEvent,
  type NotificationLevel,
  notificationLevels,
  type NotificationSetting,
  type ScopedSetting,
  type SettingScope,
} from '../../../src/contract/notifications.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { type Availability, isAvailable } from '../../core/profile.ts';
import {
  type After,
  clearEmail,
  levelSql,
  type SettingKey,
  type SettingRow,
  settingRow,
  settingRowsOf,
  userIdsWithLevel,
  writeSetting,
} from './store.ts';

export type { After, SettingKey } from './store.ts';

// Notification settings of users. Which groups are around a project is up to the callers, so that projects can present levels.

export interface StoredSetting extends NotificationSetting {
  /** Address that notifications are sent to instead of the primary one. Global settings only. */
  readonly email: string | null;
  /** True if the user is also notified of what they do themselves. Global settings only. */
  readonly ownActivity: boolean;
}

/** Events that not every release and tier has. */
const limitedEvents: Partial<Record<NotificationEvent, Availability>> = {
  new_epic: { tiers: ['premium', 'ultimate'] },
  approver: { addedIn: '16.7' },
};

/** Returns the releases and tiers that have an event. */
export function availabilityOf(event: NotificationEvent): Availability {
  return limitedEvents[event] ?? {};
}

/** Returns true if the emulated platform has this event. */
export function isEventAvailable({ profile }: Core, event: NotificationEvent): boolean {
  return isAvailable(availabilityOf(event), profile);
}

const defaultSetting: NotificationSetting = { level: 'global', switches: {} };

/** Returns the settings of a user; the default ones if they were never changed. */
export function findSetting(core: Core, user: Pick<User, 'id'>, key: SettingKey): StoredSetting {
  return settingOf(settingRow(core.store, user.id, key), key.kind);
}

function settingOf(row: SettingRow | undefined, kind: SettingKey['kind']): StoredSetting {
  if (row === undefined) {
    return { ...(kind === 'global' ? defaultGlobalSetting : defaultSetting), email: null, ownActivity: false };
  }
  return {
    level: levelOf(row.level),
    switches: switchesOf(row.switches),
    email: row.email,
    ownActivity: row.own_activity === 1,
  };
}

function levelOf(number: number): NotificationLevel {
  const level = notificationLevels[number];
  if (level === undefined) throw new Error(`there is no notification level ${number}`);
  return level;
}

function switchesOf(text: string): EventSwitches {
  const stored: unknown = JSON.parse(text);
  return Object.fromEntries(
    Object.entries(stored ?? {}).filter(([name, value]) => isNotificationEvent(name) && typeof value === 'boolean'),
  );
}

export interface SettingInput {
  readonly level?: NotificationLevel | undefined;
  /** Switches to change; others are kept. Null removes a switch, so that the event uses its default again. */
  readonly switches?: Readonly<Partial<Record<NotificationEvent, boolean | null>>> | undefined;
  /** Global settings only. Null stands for the primary address. */
  readonly email?: string | null | undefined;
  readonly ownActivity?: boolean | undefined;
}

/** Changes settings; omitted values are kept. The caller has checked the address. Returns the settings after the change. */
export function updateSetting(core: Core, user: Pick<User, 'id'>, key: SettingKey, input: SettingInput): StoredSetting {
  const { store, clock } = core;
  return store.transaction(() => {
    const before = findSetting(core, user, key);
    const after: StoredSetting = {
      level: input.level ?? before.level,
      switches: withoutNull({ ...before.switches, ...input.switches }),
      email: input.email === undefined ? before.email : input.email,
      ownActivity: input.ownActivity ?? before.ownActivity,
    };
    writeSetting(store, user.id, key, {
      level: notificationLevels.indexOf(after.level),
      switches: JSON.stringify(after.switches),
      email: after.email,
      own_activity: after.ownActivity ? 1 : 0,
      now: clock.now(),
    });
    return after;
  });
}

function withoutNull(switches: Readonly<Partial<Record<NotificationEvent, boolean | null>>>): EventSwitches {
  return Object.fromEntries(Object.entries(switches).filter(([, value]) => value !== null));
}

/** Makes notifications go to the primary address again if they were sent to this one. */
export function releaseNotificationEmail({ store }: Core, userId: number, email: string): void {
  clearEmail(store, userId, email);
}

export interface SettingsOfUser {
  /** Settings of the scopes, in their order, and the global ones. */
  readonly chain: readonly [...ScopedSetting[], ScopedSetting];
  readonly email: string | null;
  readonly ownActivity: boolean;
}

/** Returns the settings of users for some groups and at most one project, and their global ones, by the ID of the user. */
export function settingsIn(
  core: Core,
  scopes: readonly SettingScope[],
  userIds: readonly number[],
): ReadonlyMap<number, SettingsOfUser> {
  const projectId = scopes.find(({ kind }) => kind === 'project')?.id ?? null;
  const groupIds = scopes.filter(({ kind }) => kind === 'group').map(({ id }) => id);
  const rows = Map.groupBy(settingRowsOf(core.store, userIds, { projectId, groupIds }), (row) => row.user_id);
  return new Map(
    userIds.map((userId) => {
      const own = rows.get(userId) ?? [];
      const globalRow = own.find((row) => row.project_id === null && row.group_id === null);
      const global = settingOf(globalRow, 'global');
      const scoped = scopes.map((scope): ScopedSetting => {
        const row = own.find((one) => (scope.kind === 'project' ? one.project_id : one.group_id) === scope.id);
        const { level, switches } = settingOf(row, scope.kind);
        return { scope, level, switches };
      });
      const last: ScopedSetting = {
        scope: { kind: 'global', id: 0, path: '' },
        level: global.level,
        switches: global.switches,
      };
      return [userId, { chain: [...scoped, last], email: global.email, ownActivity: global.ownActivity }];
    }),
  );
}

/**
 * Returns the SQL of the number of the level of the user `$viewer` for a project or group (`notification_level` in `permissions`). `id` is the
 * SQL of its ID.
 */
export function levelNumberSql(kind: 'project' | 'group', id: string): string {
  return `coalesce(${levelSql(kind, id)}, ${notificationLevels.indexOf('global')})`;
}

/** Returns the IDs of users who set a level for exactly this group or project, or globally, in the order of their IDs. */
export function usersWithLevel({ store }: Core, key: SettingKey, level: NotificationLevel, at: After): readonly number[] {
  return userIdsWithLevel(store, key, notificationLevels.indexOf(level), at);
}
