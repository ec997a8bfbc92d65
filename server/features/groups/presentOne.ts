import { registrationTokenMember } from '../runners/registrationTokens.ts';
import { enterprisePasswords } from '../identity/enterprise.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { isAvailable } from '../../core/profile.ts';
import { holdsRole, presentProjects, projectsOfGroup, viewerId } from '../projects/projects.ts';
import type { FoundGroup } from './access.ts';
import { presentGroupDetail } from './present.ts';

/** Presents a group with details for the caller, with its projects if `withProjects` is set. */
export function presentOneGroup(
  core: Core,
  { group, access }: FoundGroup,
  { caller, baseUrl }: { readonly caller: Caller | undefined; readonly baseUrl: string },
  withProjects: boolean,
): unknown {
  const projects = withProjects ? projectsOfGroup(core, group.id, caller) : undefined;
  const shown = projects === undefined ? undefined : presentProjects(core, projects, viewerId(caller), baseUrl);
  const ownSettings =
    group.parent_id === null && holdsRole(access, 'owner') && isAvailable(enterprisePasswords, core.profile)
      ? { disable_password_authentication_for_enterprise_users: group.disable_password_authentication === 1 }
      : {};
  const storage = access.isAdministrator ? { repository_storage: group.repository_storage } : {};
  const registrationToken = holdsRole(access, 'owner') ? registrationTokenMember(core, { kind: 'group', id: group.id }) : {};
  return { ...presentGroupDetail(group, baseUrl, shown), ...ownSettings, ...storage, ...registrationToken };
}
