import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { findProjects, presentProjectIdentity } from '../projectAccess/projectAccess.ts';
import type { DeployKey, ProjectKey } from './manageDeployKeys.ts';
import type { deployKey, instanceKey } from './responses.ts';
import { projectsOfKey } from './store.ts';

/** Maximum number of projects of each kind in a response. */
const MAX_PROJECTS = 100;

function members(key: DeployKey) {
  return {
    id: key.id,
    title: key.title,
    created_at: isoTime(key.created_at),
    expires_at: key.expires_at === null ? null : isoTime(key.expires_at),
    key: key.key,
    fingerprint: key.fingerprint,
    fingerprint_sha256: key.fingerprint_sha256,
  };
}

export function presentProjectKey(key: ProjectKey): ResponseOf<typeof deployKey> {
  return { ...members(key), can_push: key.can_push === 1 };
}

export function presentInstanceKey(core: Core, key: DeployKey, caller: Caller): ResponseOf<typeof instanceKey> {
  const projects = (canPush: 0 | 1) =>
    [...findProjects(core, projectsOfKey(core.store, key.id, canPush, MAX_PROJECTS), caller).values()].map(({ project }) =>
      presentProjectIdentity(project),
    );
  return { ...members(key), projects_with_write_access: projects(1), projects_with_readonly_access: projects(0) };
}
