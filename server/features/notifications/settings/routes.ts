import {
  isNotificationLevel,
  listedEvents,
  notificationEvents,
  type EventSwitches,
  type NotificationLevel,
  type NotificationSettingsResponse,
} from '../../../../src/contract/notifications.ts';
import { groupRoute } from '../../../groups/groups.ts';
import { badRequest, invalidRecord } from '../../../http/failures.ts';
import { boolean, type Parameter, required, string } from '../../../http/params.ts';
import { type Route, userRoute } from '../../../http/route.ts';
import type { User } from '../../../identity/identity.ts';
import type { Platform } from '../../../platform.ts';
import { projectRoute } from '../../../projects/projects.ts';
import { globalNotificationSettings, notificationSettings } from './responses.ts';
import { findSetting, type SettingKey, type StoredSetting, updateSetting } from './settings.ts';

type SwitchParameters = Readonly<Record<(typeof notificationEvents)[number], Parameter<boolean | undefined>>>;

function switchParameters(): SwitchParameters {
  return Object.fromEntries(notificationEvents.map((event) => [event, boolean()])) as SwitchParameters;
}

/** Returns the routes of the notification settings of an account, its groups and its projects. */
export function notificationSettingRoutes(platform: Platform): Route[] {
  const metadata = { specRef: 'Notification settings', status: 'stated' } as const;
  const ofContainer = { ...metadata, key: 'id', body: notificationSettings } as const;
  const change = (user: User, key: SettingKey, params: Readonly<Record<string, unknown>>): StoredSetting =>
    updateSetting(platform, user, key, {
      level: readLevel(params['level']),
      switches: switchesOf(params),
      ...(key.kind === 'global' ? { email: readEmail(user, params['notification_email']) } : {}),
    });

  return [
    userRoute(
      platform,
      { ...metadata, method: 'GET', path: '/api/v4/notification_settings', body: globalNotificationSettings },
      ({ caller }) => presentGlobal(caller.user, findSetting(platform, caller.user, { kind: 'global' })),
    ),
    userRoute(
      platform,
      {
        ...metadata,
        method: 'PUT',
        path: '/api/v4/notification_settings',
        body: globalNotificationSettings,
        params: () => ({ level: string(), notification_email: string(), ...switchParameters() }),
      },
      ({ caller, params }) => presentGlobal(caller.user, change(caller.user, { kind: 'global' }, params)),
    ),
    groupRoute(
      platform,
      {
        ...ofContainer,
        method: 'GET',
        path: '/api/v4/groups/:id/notification_settings',
        params: () => ({ id: required(string) }),
      },
      'visible',
      ({ caller, group }) => presentScoped(platform, findSetting(platform, caller.user, { kind: 'group', id: group.id })),
    ),
    groupRoute(
      platform,
      {
        ...ofContainer,
        method: 'PUT',
        path: '/api/v4/groups/:id/notification_settings',
        params: () => ({ id: required(string), level: string(), ...switchParameters() }),
      },
      'visible',
      ({ caller, group, params }) => presentScoped(platform, change(caller.user, { kind: 'group', id: group.id }, params)),
    ),
    projectRoute(
      platform,
      {
        ...ofContainer,
        method: 'GET',
        path: '/api/v4/projects/:id/notification_settings',
        params: () => ({ id: required(string) }),
      },
      'visible',
      ({ caller, project }) => presentScoped(platform, findSetting(platform, caller.user, { kind: 'project', id: project.id })),
    ),
    projectRoute(
      platform,
      {
        ...ofContainer,
        method: 'PUT',
        path: '/api/v4/projects/:id/notification_settings',
        params: () => ({ id: required(string), level: string(), ...switchParameters() }),
      },
      'visible',
      ({ caller, project, params }) => presentScoped(platform, change(caller.user, { kind: 'project', id: project.id }, params)),
    ),
  ];
}

/** @throws {WireFailure} 400 for an unknown level. */
function readLevel(value: unknown): NotificationLevel | undefined {
  if (value === undefined || isNotificationLevel(value)) return value;
  throw badRequest(`'${String(value)}' is not a valid level`);
}

/** @throws {WireFailure} 400 for an address that is not a confirmed one of the user. */
function readEmail(user: User, value: unknown): string | null | undefined {
  if (value === undefined) return undefined;
  if (value === user.email) return null;
  throw invalidRecord({ notification_email: ['must be an email you have verified'] });
}

function switchesOf(params: Readonly<Record<string, unknown>>): EventSwitches {
  return Object.fromEntries(
    notificationEvents.flatMap((event) => (typeof params[event] === 'boolean' ? [[event, params[event]]] : [])),
  );
}

function presentGlobal(user: User, { level, email }: StoredSetting): NotificationSettingsResponse {
  return { level, notification_email: email ?? user.email };
}

function presentScoped(platform: Platform, { level, switches }: StoredSetting): NotificationSettingsResponse {
  if (level !== 'custom') return { level };
  const isListed = (event: string): boolean => event !== 'new_epic' || platform.profile.tier !== 'free';
  return {
    level,
    events: Object.fromEntries(
      listedEvents.filter(isListed).map((event) => [event, switches[event] ?? (isOnWhenUnset(event) ? true : null)]),
    ),
  };
}

function isOnWhenUnset(event: string): boolean {
  return event === 'failed_pipeline' || event === 'fixed_pipeline';
}
