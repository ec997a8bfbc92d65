import type { GitCore } from '../../repositories/repositories.ts';
import { settingsResponse } from './responses.ts';
import { demandOneOf } from '../../http/combinations.ts';
import { boolean, integer, opaque, string, limited } from '../../http/params.ts';
import { administratorRoute, type RequestOf, type Route } from '../../http/route.ts';
import { findProject } from '../projectAccess/projectAccess.ts';
import { weights } from './weights.ts';
import { mapValues } from '../../support/mapValues.ts';
import { numbers, switches } from '../settings/settings.ts';
import { allSettings, changeSettings } from './settings.ts';

const changeParameters = (core: GitCore) => ({
  ...mapValues(switches, (definition) => limited(core.profile, definition, boolean())),
  ...mapValues(numbers, (definition) => limited(core.profile, definition, integer())),
  repository_storages_weighted: weights(),
  smtp_url: string(),
  smtp_password: opaque(),
});

/** Returns the routes of the instance settings, for administrators. Unknown parameters are ignored beside a known one. */
export function settingRoutes(core: GitCore): Route[] {
  const metadata = {
    path: '/api/v4/application/settings',
    specRef: 'Instance settings',
    status: 'inferred',
    body: settingsResponse,
  } as const;
  return [
    administratorRoute({ ...metadata, method: 'GET' }, () => allSettings(core)),
    administratorRoute({ ...metadata, method: 'PUT', params: () => changeParameters(core) }, (request) => change(core, request)),
  ];
}

function change(core: GitCore, { params, caller, hasSent }: RequestOf<typeof changeParameters>): ReturnType<typeof allSettings> {
  demandOneOf({ hasSent }, [...Object.keys(allSettings(core)), 'smtp_password']);
  changeSettings(core, params, (id) => findProject(core, id, caller) !== undefined);
  return allSettings(core);
}
