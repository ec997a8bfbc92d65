import { notFound } from '../../../core/errors.ts';
import { boolean, type ParametersOf, required, string } from '../../../http/params.ts';
import type { ResponseOf } from '../../../http/responses.ts';
import type { Route } from '../../../http/route.ts';
import type { Core } from '../../../core/core.ts';
import { type ProjectRequest, projectRoute } from '../../projectAccess/projectAccess.ts';
import {
  changeSettings,
  type ErrorTrackingSettings,
  scrubsSecrets,
  setScrubbing,
  settingsOf,
  writeSettings,
} from './errorTrackingSettings.ts';
import { errorTrackingScrubbing, errorTrackingSettings } from './settingsResponses.ts';

const projectParameters = () => ({ id: required(string) });
const replaceParameters = () => ({ ...projectParameters(), active: required(boolean), integrated: required(boolean) });
const changeParameters = () => ({ ...projectParameters(), active: required(boolean), integrated: boolean() });
const scrubbingParameters = () => ({ ...projectParameters(), enabled: required(boolean) });

type SettingsResponse = ResponseOf<typeof errorTrackingSettings>;
type ScrubbingResponse = ResponseOf<typeof errorTrackingScrubbing>;

/** Routes of the error tracking settings (docs/interface.md#error-tracking-settings). */
export function errorTrackingSettingRoutes(core: Core): Route[] {
  const settings = {
    path: '/api/v4/projects/:id/error_tracking/settings',
    specRef: 'Error tracking settings',
    status: 'stated',
    key: 'id',
    body: errorTrackingSettings,
  } as const;
  // A separate resource, because the members of the settings are specified.
  const scrubbing = {
    path: '/api/v4/projects/:id/error_tracking/scrubbing',
    specRef: 'Error tracking settings',
    status: 'local',
    key: 'id',
    body: errorTrackingScrubbing,
  } as const;
  return [
    projectRoute({ ...settings, method: 'GET', params: projectParameters }, 'maintainer', (request) =>
      showSettings(core, request),
    ),
    projectRoute({ ...settings, method: 'PUT', params: replaceParameters }, 'maintainer', (request) =>
      replaceSettings(core, request),
    ),
    projectRoute({ ...settings, method: 'PATCH', params: changeParameters }, 'maintainer', (request) =>
      changeSomeSettings(core, request),
    ),
    projectRoute({ ...scrubbing, method: 'GET', params: projectParameters }, 'maintainer', (request) =>
      showScrubbing(core, request),
    ),
    projectRoute({ ...scrubbing, method: 'PUT', params: scrubbingParameters }, 'maintainer', (request) =>
      changeScrubbing(core, request),
    ),
  ];
}

function showSettings(core: Core, { project }: ProjectRequest<ParametersOf<typeof projectParameters>>): SettingsResponse {
  return present(core, demand(settingsOf(core, project.id)));
}

function replaceSettings(
  core: Core,
  { project, params }: ProjectRequest<ParametersOf<typeof replaceParameters>>,
): SettingsResponse {
  return present(core, writeSettings(core, project.id, params));
}

function changeSomeSettings(
  core: Core,
  { project, params }: ProjectRequest<ParametersOf<typeof changeParameters>>,
): SettingsResponse {
  return present(core, demand(changeSettings(core, project.id, params)));
}

function showScrubbing(core: Core, { project }: ProjectRequest<ParametersOf<typeof projectParameters>>): ScrubbingResponse {
  return { enabled: demand(scrubsSecrets(core, project.id)) };
}

function changeScrubbing(
  core: Core,
  { project, params }: ProjectRequest<ParametersOf<typeof scrubbingParameters>>,
): ScrubbingResponse {
  return { enabled: demand(setScrubbing(core, project.id, params.enabled)) };
}

/** Returns the JSON of settings. Without the integrated backend there is no project or URL to show. */
function present({ dialect }: Core, { active, integrated }: ErrorTrackingSettings): SettingsResponse {
  return dialect.trackerMembers.externalUrl === 'tracker_external_url'
    ? { active, project_name: null, tracker_external_url: null, api_url: null, integrated }
    : { active, project_name: null, sentry_external_url: null, api_url: null, integrated };
}

/** Throws `NotFound` if error tracking of the project has never been configured. */
function demand<Setting>(settings: Setting | undefined): Setting {
  if (settings === undefined) throw notFound('Error Tracking Setting', 'error tracking of the project has never been configured');
  return settings;
}
