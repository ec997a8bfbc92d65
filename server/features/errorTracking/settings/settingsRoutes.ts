import { notFound } from '../../../http/failures.ts';
import { boolean, required, string } from '../../../http/params.ts';
import type { Route } from '../../../http/route.ts';
import type { Core } from '../../../core/core.ts';
import { projectRoute } from '../../projects/projects.ts';
import {
  changeSettings,
  type ErrorTrackingSettings,
  scrubsSecrets,
  setScrubbing,
  settingsOf,
  writeSettings,
} from './errorTrackingSettings.ts';
import { errorTrackingScrubbing, errorTrackingSettings } from './settingsResponses.ts';

/** Routes of the error tracking settings (docs/interface.md#error-tracking-settings). */
export function errorTrackingSettingRoutes(core: Core): Route[] {
  const metadata = {
    path: '/api/v4/projects/:id/error_tracking/settings',
    specRef: 'Error tracking settings',
    status: 'stated',
    key: 'id',
    body: errorTrackingSettings,
  } as const;
  const scrubbing = {
    path: '/api/v4/projects/:id/error_tracking/scrubbing',
    specRef: 'Error tracking settings',
    status: 'local',
    key: 'id',
    body: errorTrackingScrubbing,
  } as const;

  // Without the integrated backend there is no project or URL to show.
  const present = ({ active, integrated }: ErrorTrackingSettings): object => ({
    active,
    project_name: null,
    [core.dialect.trackerMembers.externalUrl]: null,
    api_url: null,
    integrated,
  });
  const demand = <Setting>(settings: Setting | undefined): Setting => {
    if (settings === undefined)
      throw notFound('Error Tracking Setting', 'error tracking of the project has never been configured');
    return settings;
  };

  return [
    projectRoute({ ...metadata, method: 'GET', params: () => ({ id: required(string) }) }, 'maintainer', ({ project }) =>
      present(demand(settingsOf(core, project.id))),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'PUT',
        addedIn: '15.10',
        params: () => ({ id: required(string), active: required(boolean), integrated: required(boolean) }),
      },
      'maintainer',
      ({ params, project }) => present(writeSettings(core, project.id, params)),
    ),
    projectRoute(
      {
        ...metadata,
        method: 'PATCH',
        params: () => ({ id: required(string), active: required(boolean), integrated: boolean() }),
      },
      'maintainer',
      ({ params, project }) => present(demand(changeSettings(core, project.id, params))),
    ),
    // A separate resource, because the members of the settings are specified.
    projectRoute({ ...scrubbing, method: 'GET', params: () => ({ id: required(string) }) }, 'maintainer', ({ project }) => ({
      enabled: demand(scrubsSecrets(core, project.id)),
    })),
    projectRoute(
      { ...scrubbing, method: 'PUT', params: () => ({ id: required(string), enabled: required(boolean) }) },
      'maintainer',
      ({ params, project }) => ({ enabled: demand(setScrubbing(core, project.id, params.enabled)) }),
    ),
  ];
}
