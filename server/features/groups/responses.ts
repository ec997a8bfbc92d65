import * as z from 'zod';
import { address, count, eitherOf, id, limitedMember, moment, named } from '../../http/responses.ts';
import { enterprisePasswords } from '../users/users.ts';
import { associatedProject, projectResponse } from '../projects/projects.ts';
import { visibilities } from '../abilities/abilities.ts';

const accessLevel = () => z.array(z.strictObject({ access_level: z.int() }));

const groupMembers = () => ({
  id: id(),
  web_url: address(),
  name: z.string(),
  path: z.string(),
  description: z.string(),
  visibility: z.enum(visibilities),
  share_with_group_lock: z.boolean(),
  require_two_factor_authentication: z.boolean(),
  two_factor_grace_period: count(),
  project_creation_level: z.enum(['noone', 'maintainer', 'developer']),
  auto_devops_enabled: z.boolean().nullable(),
  subgroup_creation_level: z.enum(['owner', 'maintainer']),
  emails_disabled: z.boolean(),
  emails_enabled: z.boolean(),
  mentions_disabled: z.boolean().nullable(),
  lfs_enabled: z.boolean(),
  default_branch: z.string().nullable(),
  default_branch_protection: z.int(),
  default_branch_protection_defaults: z.strictObject({
    allowed_to_push: accessLevel(),
    allow_force_push: z.boolean(),
    allowed_to_merge: accessLevel(),
  }),
  avatar_url: address().nullable(),
  request_access_enabled: z.boolean(),
  full_name: z.string(),
  full_path: z.string(),
  created_at: moment(),
  parent_id: id().nullable(),
  organization_id: id(),
  shared_runners_setting: z.string(),
  // Only for administrators.
  repository_storage: z.string().exactOptional(),
});

export const groupResponse = named('Group', () => z.strictObject(groupMembers()));

const detailMembers = () => ({
  ...groupMembers(),
  // For top-level groups, in releases and tiers that have the setting.
  disable_password_authentication_for_enterprise_users: limitedMember(enterprisePasswords, z.boolean().exactOptional()),
  // Only for owners, before registration tokens end.
  runners_token: limitedMember({ removedIn: '20.0' }, z.string().exactOptional()),
  shared_with_groups: z.array(z.never()),
  prevent_sharing_groups_outside_hierarchy: z.boolean(),
});

const groupDetail = named('GroupDetail', () => z.strictObject(detailMembers()));

export const groupWithProjects = named('GroupWithProjects', () =>
  z.strictObject({ ...detailMembers(), projects: z.array(projectResponse()), shared_projects: z.array(projectResponse()) }),
);

/** Membership of a user with its group or project. */
export const membership = named('Membership', () =>
  z.strictObject({
    source_id: id(),
    source_name: z.string(),
    source_type: z.enum(['Namespace', 'Project']),
    access_level: z.int(),
  }),
);

/** Short form of a group, for transfer targets and similar lists. */
export const publicGroup = named('PublicGroup', () =>
  z.strictObject({
    id: id(),
    web_url: address(),
    name: z.string(),
    avatar_url: address().nullable(),
    full_name: z.string(),
    full_path: z.string(),
  }),
);

/** Group with details, without projects if `with_projects=false` was sent. */
export const oneGroup = eitherOf(groupWithProjects, groupDetail);

/** Group that a token can access. */
export const associatedGroup = named('AssociatedGroup', () =>
  z.strictObject({
    id: id(),
    web_url: address(),
    name: z.string(),
    parent_id: id().nullable(),
    organization_id: id(),
    access_levels: z.int().nullable(),
    visibility: z.enum(visibilities),
  }),
);

export const associations = named('Associations', () =>
  z.strictObject({ groups: z.array(associatedGroup()), projects: z.array(associatedProject()) }),
);
