import {
  isNotificationLevel,
  listedEvents,
  type NotificationEvent,
  notificationEvents,
  type NotificationLevel,
  type NotificationSettingsResponse,
} from '../../../../src/contract/notifications.ts';
import { type FoundGroup, groupRoute } from '../../groups/groups.ts';
import { isSentEmpty } from '../../../http/combinations.ts';
import { invalidRecord, refusedChange } from '../../../core/errors.ts';
import { boolean, limited, type Parameter, type ParametersOf, required, string } from '../../../http/params.ts';
import { type RequestOf, type Route, type SignedInRequest, userRoute } from '../../../http/route.ts';
import type { User } from '../../../core/caller.ts';
import type { Core } from '../../../core/core.ts';
import { type ProjectRequest, projectRoute } from '../../projectAccess/projectAccess.ts';
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

const metadata = { specRef: 'Notification settings', status: 'stated' } as const;
const ofContainer = { ...metadata, key: 'id', body: notificationSettings } as const;

const showParameters = () => ({ id: required(string) });

const switchParameters = (core: Core): Readonly<Record<string, Parameter<boolean | undefined>>> =>
  Object.fromEntries(notificationEvents.map((event) => [event, limited(core.profile, availabilityOf(event), boolean())]));

const changeParameters = (core: Core) => ({ ...switchParameters(core), level: string(), notification_email: string() });

const changeInParameters = (core: Core) => ({ ...switchParameters(core), id: required(string), level: string() });

/** Returns the routes of the notification settings of an account, its groups and its projects. */
export function notificationSettingRoutes(core: Core): Route[] {
  const inGroup = '/api/v4/groups/:id/notification_settings';
  const inProject = '/api/v4/projects/:id/notification_settings';
  return [
    userRoute(
      { ...metadata, method: 'GET', path: '/api/v4/notification_settings', body: globalNotificationSettings },
      (request) => showGlobal(core, request),
    ),
    userRoute(
      {
        ...metadata,
        method: 'PUT',
        path: '/api/v4/notification_settings',
        body: globalNotificationSettings,
        params: () => changeParameters(core),
      },
      (request) => changeGlobal(core, request),
    ),
    groupRoute({ ...ofContainer, method: 'GET', path: inGroup, params: showParameters }, 'visible', (request) =>
      showOfGroup(core, request),
    ),
    groupRoute({ ...ofContainer, method: 'PUT', path: inGroup, params: () => changeInParameters(core) }, 'visible', (request) =>
      changeOfGroup(core, request),
    ),
    projectRoute({ ...ofContainer, method: 'GET', path: inProject, params: showParameters }, 'visible', (request) =>
      showOfProject(core, request),
    ),
    projectRoute(
      { ...ofContainer, method: 'PUT', path: inProject, params: () => changeInParameters(core) },
      'visible',
      (request) => changeOfProject(core, request),
    ),
  ];
}

function showGlobal(core: Core, { caller: { user } }: SignedInRequest<unknown>): NotificationSettingsResponse {
  return presentGlobal(user, findSetting(core, user, { kind: 'global' }));
}

function changeGlobal(core: Core, request: RequestOf<typeof changeParameters>): NotificationSettingsResponse {
  return presentGlobal(request.caller.user, change(core, request, { kind: 'global' }));
}

function showOfGroup(core: Core, { caller, group }: RequestOf<typeof showParameters> & FoundGroup): NotificationSettingsResponse {
  return presentScoped(core, findSetting(core, caller.user, { kind: 'group', id: group.id }));
}

function changeOfGroup(core: Core, request: RequestOf<typeof changeInParameters> & FoundGroup): NotificationSettingsResponse {
  return presentScoped(core, change(core, request, { kind: 'group', id: request.group.id }));
}

function showOfProject(
  core: Core,
  { caller, project }: ProjectRequest<ParametersOf<typeof showParameters>>,
): NotificationSettingsResponse {
  return presentScoped(core, findSetting(core, caller.user, { kind: 'project', id: project.id }));
}

function changeOfProject(
  core: Core,
  request: ProjectRequest<ParametersOf<typeof changeInParameters>>,
): NotificationSettingsResponse {
  return presentScoped(core, change(core, request, { kind: 'project', id: request.project.id }));
}

function change(core: Core, request: SettingRequest, key: SettingKey): StoredSetting {
  const { user } = request.caller;
  const level = readLevel(request);
  const email = key.kind === 'global' ? readEmail(core, user, request.params['notification_email']) : undefined;
  return updateSetting(core, user, key, { level, email, switches: switchesOf(core, request) });
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
