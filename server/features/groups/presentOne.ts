import type { ResponseOf } from '../../http/responses.ts';
import { registrationTokenMember } from '../registrationTokens/registrationTokens.ts';
import { enterprisePasswords } from '../users/users.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { isAvailable } from '../../core/profile.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { presentProjects } from '../projects/projects.ts';
import { projectsOfGroup, viewerId } from '../projectAccess/projectAccess.ts';
import type { FoundGroup } from './access.ts';
import { presentGroup } from './present.ts';
import type { oneGroup } from './responses.ts';

/** Presents a group with details for the caller, with its projects if `withProjects` is set. */
export function presentOneGroup(
  core: Core,
  { group, access }: FoundGroup,
  { caller, baseUrl }: { readonly caller: Caller | undefined; readonly baseUrl: string },
  withProjects: boolean,
): ResponseOf<typeof oneGroup> {
  const ownsTopGroup = group.parent_id === null && holdsRole(access, 'owner');
  return {
    ...presentGroup(group, baseUrl),
    shared_with_groups: [],
    prevent_sharing_groups_outside_hierarchy: false,
    ...(withProjects
      ? {
          projects: presentProjects(core, projectsOfGroup(core, group.id, caller), viewerId(caller), baseUrl),
          shared_projects: [],
        }
      : {}),
    ...(ownsTopGroup && isAvailable(enterprisePasswords, core.profile)
      ? { disable_password_authentication_for_enterprise_users: group.disable_password_authentication === 1 }
      : {}),
    ...(access.isAdministrator ? { repository_storage: group.repository_storage } : {}),
    ...(holdsRole(access, 'owner') ? registrationTokenMember(core, { kind: 'group', id: group.id }) : {}),
  };
}
