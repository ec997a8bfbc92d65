import { settingsResponse } from './responses.ts';
import { demandOneOf } from '../../http/combinations.ts';
import { boolean, integer, opaque, string, limited } from '../../http/params.ts';
import { administratorRoute, type Route } from '../../http/route.ts';
import type { Platform } from '../../platform.ts';
import { findProject } from '../projects/projects.ts';
import { planLimitRoutes } from './planLimitRoutes.ts';
import { weights } from './weights.ts';
import { allSettings, changeSettings, limitsOfSetting, type SwitchName } from './settings.ts';

/** Returns the routes of the instance settings, for administrators. Unknown parameters are ignored. */
export function settingRoutes(platform: Platform): Route[] {
  const metadata = {
    path: '/api/v4/application/settings',
    specRef: 'Instance settings',
    status: 'inferred',
    body: settingsResponse,
  } as const;
  const toggle = (name: SwitchName) => limited(platform.profile, limitsOfSetting(name), boolean());

  return [
    administratorRoute(platform, { ...metadata, method: 'GET' }, () => allSettings(platform)),
    administratorRoute(
      platform,
      {
        ...metadata,
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
          push_event_activities_limit: integer(),
          max_attachment_size: integer(),
          scan_execution_policies_action_limit: limited(
            platform.profile,
            limitsOfSetting('scan_execution_policies_action_limit'),
            integer(),
          ),
          error_tracking_requests_per_minute: integer(),
          error_tracking_stream_project_id: integer(),
          repository_storages_weighted: weights(),
          smtp_url: string(),
          smtp_password: opaque(),
        }),
      },
      ({ params, caller, linkParameters }) => {
        if (Object.keys(linkParameters()).length === 0 && params.smtp_password === undefined)
          demandOneOf({}, Object.keys(allSettings(platform)));
        changeSettings(platform, params, (id) => findProject(platform, id, caller) !== undefined);
        return allSettings(platform);
      },
    ),
    ...planLimitRoutes(platform),
  ];
}
