import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Group } from './access.ts';
import type { groupResponse, publicGroup } from './responses.ts';

/** Presents a group as in lists. Features that this server lacks are reported as disabled. */
export function presentGroup(group: Group, baseUrl: string): ResponseOf<typeof groupResponse> {
  return {
    id: group.id,
    web_url: `${baseUrl}/groups/${group.full_path}`,
    name: group.name,
    path: group.path,
    description: group.description,
    visibility: group.visibility,
    share_with_group_lock: false,
    require_two_factor_authentication: false,
    two_factor_grace_period: 48,
    project_creation_level: group.project_creation_level,
    auto_devops_enabled: null,
    subgroup_creation_level: group.subgroup_creation_level,
    emails_disabled: false,
    emails_enabled: true,
    mentions_disabled: null,
    lfs_enabled: false,
    default_branch: null,
    default_branch_protection: 2,
    default_branch_protection_defaults: {
      allowed_to_push: [{ access_level: 40 }],
      allow_force_push: false,
      allowed_to_merge: [{ access_level: 40 }],
    },
    avatar_url: null,
    request_access_enabled: false,
    full_name: group.full_name,
    full_path: group.full_path,
    created_at: isoTime(group.created_at),
    parent_id: group.parent_id,
    organization_id: 1,
    shared_runners_setting: 'enabled',
  };
}

/** Presents a group in the short form of transfer targets and similar lists. */
export function presentPublicGroup(group: Group, baseUrl: string): ResponseOf<typeof publicGroup> {
  const { id, web_url, name, avatar_url, full_name, full_path } = presentGroup(group, baseUrl);
  return { id, web_url, name, avatar_url, full_name, full_path };
}
