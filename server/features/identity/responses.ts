import * as z from 'zod';
import type { PersonalToken, UserBasic } from '../../../src/contract/identity.ts';
import { enterprisePasswords } from './enterprise.ts';
import { address, count, day, id, moment, named, readAs, limitedMember } from '../../http/responses.ts';

/** Values of the availability in a user status. */
export const availabilities = ['not_set', 'busy'] as const;

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

/** Status of a user. */
export const userStatus = named('UserStatus', () =>
  z.strictObject({
    emoji: z.string().nullable(),
    message: z.string().nullable(),
    availability: z.enum(availabilities).nullable(),
    message_html: z.string(),
    clear_status_at: moment().nullable(),
  }),
);

export const versionResponse = named('Version', () =>
  z.strictObject({
    version: z.string(),
    revision: z.string(),
    kas: z.strictObject({
      enabled: z.boolean(),
      externalUrl: z.string().nullable(),
      externalK8sProxyUrl: z.string().nullable(),
      version: z.string().nullable(),
    }),
    enterprise: z.boolean(),
  }),
);

/** Response of an action that succeeded. */
export const done = named('Done', () => z.literal(true));
/** Response of a state change: true if it was made, false if it was not possible, null if it was not needed. */
export const doneOrNot = named('DoneOrNot', () => z.boolean().nullable());

const tokenMembers = () => ({
  id: id(),
  name: z.string(),
  revoked: z.boolean(),
  created_at: moment(),
  description: z.string().nullable(),
  scopes: z.array(z.string()),
  user_id: id(),
  last_used_at: moment().nullable(),
  active: z.boolean(),
  expires_at: day().nullable(),
});

export const personalToken = named('PersonalAccessToken', () => readAs<PersonalToken>()(z.strictObject(tokenMembers())));

/** New personal access token with its value, which no other response contains. */
export const newPersonalToken = named('NewPersonalAccessToken', () =>
  readAs<PersonalToken>()(z.strictObject({ ...tokenMembers(), token: z.string() })),
);
