import type { Client, Page } from '../api/client.ts';
import type { Query } from '../api/encode.ts';
import { ApiFailure } from '../api/failures.ts';
import { isJsonObject, stringMember } from '../contract/json.ts';
import { notificationEvents, readNotificationSettings } from '../contract/notifications.ts';
import { type NotificationScope, readGroupScope, readProjectScope, settingsPath } from './scopes.ts';
import { isOnByDefault, type KnownSetting, knownSetting, type SettingChange, type SwitchStates } from './settings.ts';

/** Lists of groups and projects that the user is a member of. */
export type ScopeListAddress =
  | { readonly kind: 'groups' | 'projects'; readonly search: string }
  | { readonly kind: 'projectsOf'; readonly group: NotificationScope };

/** Requests of notification settings. All reject with an `ApiFailure`. */
export interface NotificationApi {
  readonly read: (scope: NotificationScope, signal?: AbortSignal) => Promise<KnownSetting>;
  /**
   * Changes settings and returns those after the change. A switch that the instance cannot reset is set to its default. `known` are the
   * settings before the change.
   */
  readonly write: (scope: NotificationScope, change: SettingChange, known: KnownSetting | undefined) => Promise<KnownSetting>;
  readonly list: (address: ScopeListAddress, signal?: AbortSignal) => Promise<Page<NotificationScope>>;
  readonly follow: (address: ScopeListAddress, link: string, signal?: AbortSignal) => Promise<Page<NotificationScope>>;
  /** Returns the confirmed addresses of the user, the primary one first. */
  readonly emails: () => Promise<readonly string[]>;
}

/** Groups per page. They are nested by their paths, so a page has many. */
const GROUPS = 100;
/** Projects per page, each of which needs a request for its settings. */
const PROJECTS = 20;

const guest = 10;

export function createNotificationApi(client: Client): NotificationApi {
  const readSettings = (value: unknown): KnownSetting | undefined => {
    const response = readNotificationSettings(value);
    return response && knownSetting(response);
  };

  async function put(scope: NotificationScope, change: SettingChange): Promise<KnownSetting> {
    const { level, switches, email } = change;
    const body = {
      ...(level === undefined ? {} : { level }),
      ...(email === undefined ? {} : { notification_email: email }),
      ...switches,
    };
    return client.change({ method: 'PUT', path: settingsPath(scope), body }, readSettings);
  }

  async function write(scope: NotificationScope, change: SettingChange, known: KnownSetting | undefined): Promise<KnownSetting> {
    // The global settings do not report switches, so whether a reset has an effect would be unknown.
    const sent = scope.kind === 'global' ? { ...change, switches: withoutNull(change.switches ?? {}) } : change;
    let after = await put(scope, sent);
    const refused = notificationEvents.filter((event) => {
      const state = after.switches[event];
      return sent.switches?.[event] === null && typeof state === 'boolean' && state !== isOnByDefault(event);
    });
    if (refused.length > 0)
      after = await put(scope, { switches: Object.fromEntries(refused.map((event) => [event, isOnByDefault(event)])) });
    if (after.level !== 'custom') return after;
    return { ...after, switches: { ...unreported(scope, { ...known?.switches, ...sent.switches }), ...after.switches } };
  }

  function queryOf(address: ScopeListAddress): readonly [path: string, query: Query] {
    switch (address.kind) {
      case 'groups':
        return ['/groups', { min_access_level: guest, ...searchFor(address.search), per_page: GROUPS }];
      case 'projects':
        return [
          '/projects',
          { membership: true, simple: true, order_by: 'last_activity_at', ...searchFor(address.search), per_page: PROJECTS },
        ];
      case 'projectsOf': {
        const path = settingsPath(address.group).replace(/notification_settings$/, 'projects');
        return [path, { simple: true, order_by: 'name', sort: 'asc', per_page: PROJECTS }];
      }
    }
  }

  const readerOf = (address: ScopeListAddress) => (address.kind === 'groups' ? readGroupScope : readProjectScope);

  return {
    read: (scope, signal) => client.get(settingsPath(scope), readSettings, {}, signal),
    write,
    list: (address, signal) => {
      const [path, query] = queryOf(address);
      return client.list(path, readerOf(address), query, signal);
    },
    follow: (address, link, signal) => client.follow(link, readerOf(address), signal),
    emails: async () => {
      const primary = await client.get('/user', (value) =>
        isJsonObject(value) ? (stringMember(value, 'email') ?? '') : undefined,
      );
      return [...new Set([primary, ...(await otherEmails(client))])].filter((address) => address !== '');
    },
  };
}

/** Returns the confirmed addresses besides the primary one; none if the instance does not list them. */
async function otherEmails(client: Client): Promise<readonly string[]> {
  try {
    const { items } = await client.list('/user/emails', readConfirmedEmail, { per_page: 100 });
    return items;
  } catch (error) {
    if (error instanceof ApiFailure && (error.kind === 'notFound' || error.kind === 'forbidden')) return [];
    throw error;
  }
}

function readConfirmedEmail(value: unknown): string | undefined {
  if (!isJsonObject(value) || value.confirmed_at === null) return undefined;
  return stringMember(value, 'email');
}

function searchFor(search: string): Query {
  return search === '' ? {} : { search };
}

/** Returns the switches that are known only because they were sent: all global ones, and `approver` of the others. */
function unreported({ kind }: NotificationScope, sent: SwitchStates): SwitchStates {
  if (kind === 'global') return sent;
  return sent.approver === undefined ? {} : { approver: sent.approver };
}

function withoutNull(switches: SwitchStates): SwitchStates {
  return Object.fromEntries(
    notificationEvents.flatMap((event) => {
      const state = switches[event];
      return state === undefined ? [] : [[event, state ?? isOnByDefault(event)]];
    }),
  );
}
