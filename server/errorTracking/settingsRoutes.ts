import { notFound } from '../http/failures.ts';
import { boolean, required, string } from '../http/params.ts';
import type { Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import { projectRoute } from '../projects/projects.ts';
import { changeSettings, type ErrorTrackingSettings, settingsOf, writeSettings } from './settings.ts';
import { errorTrackingSettings } from './settingsAnswers.ts';

/** Whether errors of a project are tracked (errors.md §6.1). */
export function errorTrackingSettingRoutes(platform: Platform): Route[] {
  const facts = {
    path: '/api/v4/projects/:id/error_tracking/settings',
    clause: 'Error tracking settings',
    status: 'stated',
    key: 'id',
    body: errorTrackingSettings,
  } as const;

  // Settings are those of the integrated backend, or of none: what another one would be called is never known.
  const present = ({ active, integrated }: ErrorTrackingSettings): object => ({
    active,
    project_name: null,
    [platform.wording.trackerMembers.externalUrl]: null,
    api_url: null,
    integrated,
  });
  const demand = (settings: ErrorTrackingSettings | undefined): ErrorTrackingSettings => {
    if (settings === undefined) throw notFound('Error Tracking Setting', 'nobody has set error tracking of this project yet');
    return settings;
  };

  return [
    projectRoute(platform, { ...facts, method: 'GET', params: () => ({ id: required(string) }) }, 'maintainer', ({ project }) =>
      present(demand(settingsOf(platform, project.id))),
    ),
    projectRoute(
      platform,
      {
        ...facts,
        method: 'PUT',
        first: '15.10',
        params: () => ({ id: required(string), active: required(boolean), integrated: required(boolean) }),
      },
      'maintainer',
      ({ params, project }) => present(writeSettings(platform, project.id, params)),
    ),
    projectRoute(
      platform,
      {
        ...facts,
        method: 'PATCH',
        params: () => ({ id: required(string), active: required(boolean), integrated: boolean() }),
      },
      'maintainer',
      ({ params, project }) => present(demand(changeSettings(platform, project.id, params))),
    ),
  ];
}
