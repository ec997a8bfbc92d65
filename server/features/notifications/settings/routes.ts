import {
  isNotificationLevel,
  listedEvents,
  type NotificationEvent,
  notificationEvents,
  type NotificationLevel,
  type NotificationSettingsResponse,
} from '../../../../src/contract/notifications.ts';
import { groupRoute } from '../../groups/groups.ts';
import { isSentEmpty } from '../../../http/combinations.ts';
import { invalidRecord, refusedChange } from '../../../core/errors.ts';
import { boolean, type Parameter, required, string, limited } from '../../../http/params.ts';
import { type Route, type SignedInRequest, userRoute } from '../../../http/route.ts';
import type { User } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { projectRoute } from '../../projectAccess/projectAccess.ts';
import { notificationAddress } from '../../emails/emails.ts';
import { globalNotificationSettings, notificationSettings } from './responses.ts';
import {
  findSetting,
  isEventAvailable,
  type SettingInput,
  type SettingKey,
  type StoredSetting,
  updateSetting,
  availabilityOf,
} from '../../notificationSettings/notificationSettings.ts';

/** Returns the routes of the notification settings of an account, its groups and its projects. */
export function notificationSettingRoutes(core: Core): Route[] {
  const metadata = { specRef: 'Notification settings', status: 'stated' } as const;
  const ofContainer = { ...metadata, key: 'id', body: notificationSettings } as const;

  const switchParameters = (): Readonly<Record<string, Parameter<boolean | undefined>>> =>
    Object.fromEntries(notificationEvents.map((event) => [event, limited(core.profile, availabilityOf(event), boolean())]));
  const change = (request: SettingRequest, key: SettingKey): StoredSetting => {
    const { user } = request.caller;
    const level = readLevel(request);
    const email = key.kind === 'global' ? readEmail(core, user, request.params['notification_email']) : undefined;
    return updateSetting(core, user, key, { level, email, switches: switchesOf(core, request) });
  };

  return [
    userRoute(
      { ...metadata, method: 'GET', path: '/api/v4/notification_settings', body: globalNotificationSettings },
      ({ caller }) => presentGlobal(caller.user, findSetting(core, caller.user, { kind: 'global' })),
    ),
    userRoute(
      {
        ...metadata,
        method: 'PUT',
        path: '/api/v4/notification_settings',
        body: globalNotificationSettings,
        params: () => ({ ...switchParameters(), level: string(), notification_email: string() }),
      },
      (request) => presentGlobal(request.caller.user, change(request, { kind: 'global' })),
    ),
    groupRoute(
      {
        ...ofContainer,
        method: 'GET',
        path: '/api/v4/groups/:id/notification_settings',
        params: () => ({ id: required(string) }),
      },
      'visible',
      ({ caller, group }) => presentScoped(core, findSetting(core, caller.user, { kind: 'group', id: group.id })),
    ),
    groupRoute(
      {
        ...ofContainer,
        method: 'PUT',
        path: '/api/v4/groups/:id/notification_settings',
        params: () => ({ ...switchParameters(), id: required(string), level: string() }),
      },
      'visible',
      (request) => presentScoped(core, change(request, { kind: 'group', id: request.group.id })),
    ),
    projectRoute(
      {
        ...ofContainer,
        method: 'GET',
        path: '/api/v4/projects/:id/notification_settings',
        params: () => ({ id: required(string) }),
      },
      'visible',
      ({ caller, project }) => presentScoped(core, findSetting(core, caller.user, { kind: 'project', id: project.id })),
    ),
    projectRoute(
      {
        ...ofContainer,
        method: 'PUT',
        path: '/api/v4/projects/:id/notification_settings',
        params: () => ({ ...switchParameters(), id: required(string), level: string() }),
      },
      'visible',
      (request) => presentScoped(core, change(request, { kind: 'project', id: request.project.id })),
    ),
  ];
}

type SettingRequest = Pick<SignedInRequest<Readonly<Record<string, unknown>>>, 'caller' | 'params' | 'linkParameters'>;

/** @throws {Invalid | Refused} For an unknown or empty level. */
function readLevel({ params, linkParameters }: SettingRequest): NotificationLevel | undefined {
  const { level } = params;
  if (isSentEmpty(linkParameters(), 'level')) throw invalidRecord({ level: ["can't be blank"] });
  if (level === undefined || isNotificationLevel(level)) return level;
  throw refusedChange(`'${String(level)}' is not a valid level`);
}

/** @throws {Invalid} For an address that is not a confirmed one of the user. */
function readEmail(core: Core, user: User, value: unknown): string | null | undefined {
  if (typeof value !== 'string') return undefined;
  const address = notificationAddress(core, user, value);
  if (address === undefined) throw invalidRecord({ notification_email: ['must be an email you have verified'] });
  return address;
}

/** Reads the switches. One that is sent empty uses the default of its event again, as on GitLab. */
function switchesOf(core: Core, { params, linkParameters }: SettingRequest): SettingInput['switches'] {
  const sent = linkParameters();
  const valueOf = (event: NotificationEvent): boolean | null | undefined => {
    const value = params[event];
    if (typeof value === 'boolean') return value;
    return isSentEmpty(sent, event) && isEventAvailable(core, event) ? null : undefined;
  };
  const values = notificationEvents.map((event) => [event, valueOf(event)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

function presentGlobal(user: User, { level, email }: StoredSetting): NotificationSettingsResponse {
  return { level, notification_email: email ?? user.email };
}

function presentScoped(core: Core, { level, switches }: StoredSetting): NotificationSettingsResponse {
  if (level !== 'custom') return { level };
  const events = listedEvents.filter((event) => isEventAvailable(core, event));
  return {
    level,
    events: Object.fromEntries(events.map((event) => [event, switches[event] ?? null])),
  };
}
