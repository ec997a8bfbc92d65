import {
  defaultGlobalSetting,
  type EventSwitches,
  isNotificationEvent,
  type NotificationEvent,
  type NotificationLevel,
  notificationLevels,
  type NotificationSetting,
  type ScopedSetting,
} from '../../../../src/contract/notifications.ts';
import type { User } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { type Availability, isAvailable } from '../../../core/profile.ts';
import {
  clearEmail,
  groupsAround,
  levelsOf,
  type SettingKey,
  type SettingRow,
  settingRow,
  settingRowsOf,
  writeSetting,
} from './store.ts';

// Notification settings of users. They import no feature with projects or groups, so that these can present levels.

export type { SettingKey } from './store.ts';

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

/** A project with its namespace, or a group. */
export interface SettingContainer {
  readonly kind: 'project' | 'group';
  readonly id: number;
  readonly path: string;
  /** ID of the namespace of a project, or of the group itself. */
  readonly namespaceId: number;
}

export interface SettingsOfUser {
  /** Settings of the project or group, the groups above, nearest first, and the global ones. */
  readonly chain: readonly [...ScopedSetting[], ScopedSetting];
  readonly email: string | null;
  readonly ownActivity: boolean;
}

/** Returns the settings of users that matter in a project or group, by the ID of the user. */
export function settingsIn(
  core: Core,
  container: SettingContainer,
  userIds: readonly number[],
): ReadonlyMap<number, SettingsOfUser> {
  const groups = groupsAround(core.store, container.namespaceId);
  const projectId = container.kind === 'project' ? container.id : null;
  const rows = Map.groupBy(
    settingRowsOf(core.store, userIds, { projectId, groupIds: groups.map(({ id }) => id) }),
    (row) => row.user_id,
  );
  const scopes = [
    ...(projectId === null ? [] : [{ kind: 'project' as const, id: projectId, path: container.path }]),
    ...groups.map((group) => ({ kind: 'group' as const, ...group })),
  ];
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

/** Returns the numbers of a user's levels for some projects or groups (`notification_level` in `permissions`). */
export function levelNumbers(
  core: Core,
  userId: number,
  kind: 'project' | 'group',
  ids: readonly number[],
): (id: number) => number {
  const known = new Map(levelsOf(core.store, userId, kind, ids).map(({ id, level }) => [id, level]));
  return (id) => known.get(id) ?? notificationLevels.indexOf('global');
}
