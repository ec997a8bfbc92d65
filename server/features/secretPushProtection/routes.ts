import { isoTime } from '../../core/clock.ts';
import { forbidden, unauthorized } from '../../core/errors.ts';
import { boolean, deprecated, required, string, type ParametersOf } from '../../http/params.ts';
import { demandOneOf } from '../../http/combinations.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, type ProjectRequest, projectRoute } from '../projectAccess/projectAccess.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { secretPushProtectionTiers, securitySettings, setSecretPushProtection } from './setting.ts';
import { securitySettingsResponse } from './responses.ts';

const names = ['secret_push_protection_enabled', 'pre_receive_secret_detection_enabled'] as const;

const metadata = {
  specRef: 'Secret push protection',
  status: 'inferred',
  key: 'id',
  path: '/api/v4/projects/:id/security_settings',
  tiers: secretPushProtectionTiers,
  body: securitySettingsResponse,
} as const;

const showSettingsParameters = () => ({ id: required(string) });

const changeSettingsParameters = () => ({
  id: required(string),
  secret_push_protection_enabled: boolean(),
  pre_receive_secret_detection_enabled: deprecated('pre-receive-secret-detection', boolean()),
});

/** Returns the routes of the security settings of projects. */
export function securitySettingRoutes(core: Core): Route[] {
  return [
    projectRoute({ ...metadata, method: 'GET', params: showSettingsParameters }, 'visible', (request) =>
      showSettings(core, request),
    ),
    projectRoute({ ...metadata, method: 'PUT', params: changeSettingsParameters }, 'visible', (request) =>
      changeSettings(core, request),
    ),
  ];
}

function showSettings(core: Core, request: ProjectRequest<ParametersOf<typeof showSettingsParameters>>): unknown {
  // GitLab responds with 401 instead of 403 here.
  if (!holdsRole(request.access, 'developer')) throw unauthorized('reading requires at least the developer role', 'ability');
  return present(core, request);
}

function changeSettings(core: Core, request: ProjectRequest<ParametersOf<typeof changeSettingsParameters>>): unknown {
  const { params, project, access } = request;
  demandOneOf(request, names);
  if (!holdsRole(access, 'maintainer')) throw unauthorized('changes require at least the maintainer role', 'ability');
  if (project.archived === 1) throw forbidden(undefined, 'the project is archived', 'project.archived');
  const enabled = params.secret_push_protection_enabled ?? params.pre_receive_secret_detection_enabled ?? false;
  setSecretPushProtection(core, project.id, enabled);
  return present(core, request);
}

function present(core: Core, { project }: FoundProject): ResponseOf<typeof securitySettingsResponse> {
  const row = securitySettings(core, project.id);
  const enabled = row?.secret_push_protection_enabled === 1;
  return {
    project_id: project.id,
    created_at: isoTime(row?.created_at ?? project.created_at),
    updated_at: isoTime(row?.updated_at ?? project.created_at),
    secret_push_protection_enabled: enabled,
    pre_receive_secret_detection_enabled: enabled,
  };
}
