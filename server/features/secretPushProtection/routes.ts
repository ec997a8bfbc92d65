import { isoTime } from '../../core/clock.ts';
import { forbidden } from '../../core/errors.ts';
import { unauthorized } from '../../http/failures.ts';
import { boolean, deprecated, required, string } from '../../http/params.ts';
import { demandOneOf } from '../../http/combinations.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import {
  type FoundProject,
  holdsRole,
  projectRoute,
  secretPushProtectionTiers,
  securitySettings,
  setSecretPushProtection,
} from '../projects/projects.ts';
import { securitySettingsResponse } from './responses.ts';

const names = ['secret_push_protection_enabled', 'pre_receive_secret_detection_enabled'] as const;

/** Returns the routes of the security settings of projects. */
export function securitySettingRoutes(core: Core): Route[] {
  const metadata = {
    specRef: 'Secret push protection',
    status: 'inferred',
    key: 'id',
    path: '/api/v4/projects/:id/security_settings',
    tiers: secretPushProtectionTiers,
    body: securitySettingsResponse,
  } as const;
  const present = ({ project }: FoundProject): ResponseOf<typeof securitySettingsResponse> => {
    const row = securitySettings(core, project.id);
    const enabled = row?.secret_push_protection_enabled === 1;
    return {
      project_id: project.id,
      created_at: isoTime(row?.created_at ?? project.created_at),
      updated_at: isoTime(row?.updated_at ?? project.created_at),
      secret_push_protection_enabled: enabled,
      pre_receive_secret_detection_enabled: enabled,
    };
  };
  return [
    projectRoute({ ...metadata, method: 'GET', params: () => ({ id: required(string) }) }, 'visible', (request) => {
      // GitLab responds with 401 instead of 403 here.
      if (!holdsRole(request.access, 'developer')) throw unauthorized('reading requires at least the developer role', 'ability');
      return present(request);
    }),
    projectRoute(
      {
        ...metadata,
        method: 'PUT',
        params: () => ({
          id: required(string),
          secret_push_protection_enabled: boolean(),
          pre_receive_secret_detection_enabled: deprecated('pre-receive-secret-detection', boolean()),
        }),
      },
      'visible',
      (request) => {
        const { params, project, access } = request;
        demandOneOf(request, names);
        if (!holdsRole(access, 'maintainer')) throw unauthorized('changes require at least the maintainer role', 'ability');
        if (project.archived === 1) throw forbidden(undefined, 'the project is archived', 'project.archived');
        const enabled = params.secret_push_protection_enabled ?? params.pre_receive_secret_detection_enabled ?? false;
        setSecretPushProtection(core, project.id, enabled);
        return present(request);
      },
    ),
  ];
}
