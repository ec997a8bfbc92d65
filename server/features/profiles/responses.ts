import { address, count, day, id, limitedMember, moment, named, readAs } from '../../http/responses.ts';
import { enterprisePasswords } from '../users/users.ts';
import type { UserBasic } from '../../../src/contract/identity.ts';
import * as z from 'zod';

/** Members of the short form of a user, for responses that extend it. */
export const userBasicMembers = () => ({
  id: id(),
  username: z.string(),
  public_email: z.string(),
  name: z.string(),
  state: z.enum(['active', 'blocked', 'banned', 'deactivated']),
  locked: z.boolean(),
  avatar_url: address().nullable(),
  web_url: address(),
});

export const userBasic = named('UserBasic', () => readAs<UserBasic>()(z.strictObject(userBasicMembers())));

const profileMembers = () => ({
  ...userBasicMembers(),
  created_at: moment(),
  bio: z.string(),
  location: z.string(),
  linkedin: z.string(),
  twitter: z.string(),
  discord: z.string(),
  website_url: z.string(),
  organization: z.string(),
  job_title: z.string(),
  pronouns: z.string().nullable(),
  bot: z.boolean(),
  work_information: z.string().nullable(),
  local_time: z.string().nullable(),
  followers: count(),
  following: count(),
  is_followed: z.boolean(),
});

export const userProfile = named('UserProfile', () => z.strictObject(profileMembers()));

export const userPrivate = named('User', () =>
  z.strictObject({
    ...profileMembers(),
    last_sign_in_at: moment().nullable(),
    confirmed_at: moment(),
    last_activity_on: day().nullable(),
    email: z.string(),
    theme_id: id(),
    color_scheme_id: id(),
    projects_limit: count(),
    current_sign_in_at: moment().nullable(),
    identities: z.array(z.strictObject({ provider: z.string(), extern_uid: z.string() })),
    can_create_group: z.boolean(),
    can_create_project: z.boolean(),
    two_factor_enabled: z.boolean(),
    external: z.boolean(),
    private_profile: z.boolean(),
    commit_email: z.string(),
    namespace_id: id().nullable(),
    // For administrators only.
    is_admin: z.boolean().exactOptional(),
    enterprise_group_id: limitedMember(enterprisePasswords, id().nullable().exactOptional()),
    enterprise_group_associated_at: limitedMember(enterprisePasswords, moment().nullable().exactOptional()),
  }),
);
