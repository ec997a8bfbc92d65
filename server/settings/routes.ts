import { changedAttributes } from '../changes.ts';
import { settingsAnswer } from './answers.ts';
import { demandOneOf } from '../http/combinations.ts';
import { invalidRecord, LARGEST_NUMBER } from '../http/failures.ts';
import { absent, boolean, integer } from '../http/params.ts';
import { administratorRoute, type Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import { findProject } from '../projects/projects.ts';
import { hasSwitch, isOn, maximumOffset, settingNumber, type SwitchName, throttleNames, type SettingNumber } from './settings.ts';
import { storeSetting } from './store.ts';

const switches: readonly SwitchName[] = [
  'password_authentication_enabled_for_git',
  'ropc_without_client_credentials',
  'throttle_unauthenticated_api_enabled',
  'throttle_authenticated_api_enabled',
];
const numbers: readonly SettingNumber[] = [
  ...throttleNames.flatMap((name) => [`${name}_requests_per_period`, `${name}_period_in_seconds`] as const),
  'error_tracking_requests_per_minute',
  'error_tracking_stream_project_id',
];
/** Those for which nothing is a value, too. */
const fromZero: readonly SettingNumber[] = ['error_tracking_stream_project_id'];

/** Settings of the whole instance, for administrators. Parameters that this server does not know are ignored. */
export function settingRoutes(platform: Platform): Route[] {
  const { store, profile } = platform;
  const facts = {
    path: '/api/v4/application/settings',
    clause: 'decisions 3, instance settings',
    status: 'inferred',
    body: settingsAnswer,
  } as const;
  const toggle = (name: SwitchName) => (hasSwitch(profile, name) ? boolean() : absent<boolean>());

  const present = (): Readonly<Record<string, unknown>> => {
    const known = switches.filter((name) => hasSwitch(profile, name));
    const offset = maximumOffset(platform);
    return {
      ...Object.fromEntries(known.map((name) => [name, isOn(platform, name)])),
      offset_pagination_limit: Number.isFinite(offset) ? offset : 0,
      ...Object.fromEntries(numbers.map((name) => [name, settingNumber(platform, name)])),
    };
  };

  return [
    administratorRoute(platform, { ...facts, method: 'GET' }, present),
    administratorRoute(
      platform,
      {
        ...facts,
        method: 'PUT',
        params: () => ({
          password_authentication_enabled_for_git: toggle('password_authentication_enabled_for_git'),
          ropc_without_client_credentials: toggle('ropc_without_client_credentials'),
          offset_pagination_limit: integer(),
          throttle_unauthenticated_api_enabled: boolean(),
          throttle_unauthenticated_api_requests_per_period: integer(),
          throttle_unauthenticated_api_period_in_seconds: integer(),
          throttle_authenticated_api_enabled: boolean(),
          throttle_authenticated_api_requests_per_period: integer(),
          throttle_authenticated_api_period_in_seconds: integer(),
          error_tracking_requests_per_minute: integer(),
          error_tracking_stream_project_id: integer(),
        }),
      },
      ({ params, caller, linkParameters }) => {
        if (Object.keys(linkParameters()).length === 0) demandOneOf({}, Object.keys(present()));
        const { offset_pagination_limit: offset, error_tracking_stream_project_id: streamed } = params;
        const negative = ['offset_pagination_limit' as const, ...fromZero].filter((name) => (params[name] ?? 0) < 0);
        if (negative.length > 0) {
          throw invalidRecord(Object.fromEntries(negative.map((name) => [name, ['must be greater than or equal to 0']])));
        }
        const low = numbers.filter((name) => !fromZero.includes(name) && (params[name] ?? 1) < 1);
        if (low.length > 0) throw invalidRecord(Object.fromEntries(low.map((name) => [name, ['must be greater than 0']])));
        const high = ['offset_pagination_limit' as const, ...numbers].filter((name) => (params[name] ?? 0) > LARGEST_NUMBER);
        if (high.length > 0) {
          throw invalidRecord(
            Object.fromEntries(high.map((name) => [name, [`must be less than or equal to ${LARGEST_NUMBER}`]])),
          );
        }
        if (streamed !== undefined && streamed !== 0 && findProject(platform, streamed, caller) === undefined) {
          throw invalidRecord({ error_tracking_stream_project_id: ['is no project'] });
        }
        store.transaction(() => {
          const before = present();
          for (const name of switches) {
            const wish = params[name];
            if (wish !== undefined) storeSetting(store, name, wish ? 1 : 0);
          }
          if (offset !== undefined) storeSetting(store, 'offset_pagination_limit', offset);
          for (const name of numbers) {
            const wish = params[name];
            if (wish !== undefined) storeSetting(store, name, wish);
          }
          const attributes = changedAttributes(
            Object.fromEntries(Object.keys(before).map((name) => [name, name])),
            before,
            present(),
          );
          if (attributes.length > 0) platform.changes.publish({ kind: 'settingsChanged', attributes });
        });
        return present();
      },
    ),
  ];
}
