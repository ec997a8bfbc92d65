import type { Caller, User } from '../../core/caller.ts';
import { isoDate, isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Core } from '../../core/core.ts';
import { isAvailable } from '../../core/profile.ts';
import { accountLocks } from '../attempts/attempts.ts';
import type { userBasic, userPrivate, userProfile } from './responses.ts';
import { enterprisePasswords, followsOf } from '../users/users.ts';
import { hasSecondFactor } from '../secondFactors/secondFactors.ts';

/** Presents a user in the short form that other resources include (author, assignee, member …). */
export function presentUserBasic(
  core: Core,
  user: Pick<User, 'id' | 'username' | 'public_email' | 'name' | 'state'>,
  baseUrl: string,
  isLocked = accountLocks(core),
): ResponseOf<typeof userBasic> {
  return {
    id: user.id,
    username: user.username,
    public_email: user.public_email,
    name: user.name,
    state: user.state,
    locked: isLocked(user),
    avatar_url: null,
    web_url: `${baseUrl}/${user.username}`,
  };
}

/** Upper limit for counting followers. */
const MAX_FOLLOWS = 10_000;

/** Presents the public profile of a user; `viewer` is the ID of the caller, 0 without one, and decides `is_followed`. */
export function presentUserProfile(
  core: Core,
  user: User,
  baseUrl: string,
  viewer: number,
  isLocked = accountLocks(core),
): ResponseOf<typeof userProfile> {
  const { store } = core;
  const { followers, following, isFollowed } = followsOf(store, user.id, viewer, MAX_FOLLOWS);
  return {
    ...presentUserBasic(core, user, baseUrl, isLocked),
    created_at: isoTime(user.created_at),
    bio: user.bio,
    location: '',
    linkedin: '',
    twitter: '',
    discord: '',
    website_url: '',
    organization: '',
    job_title: '',
    pronouns: null,
    bot: false,
    work_information: null,
    local_time: null,
    followers,
    following,
    is_followed: isFollowed,
  };
}

/** Presents the full profile of a user, for the user and for administrators. */
export function presentUserPrivate(
  core: Core,
  user: User,
  baseUrl: string,
  options: { readonly namespaceId: number | null; readonly withAdmin: boolean; readonly viewer: number },
  isLocked = accountLocks(core),
): ResponseOf<typeof userPrivate> {
  return {
    ...presentUserProfile(core, user, baseUrl, options.viewer, isLocked),
    last_sign_in_at: nullableTime(user.last_sign_in_at),
    confirmed_at: isoTime(user.created_at),
    last_activity_on: user.last_activity_at === null ? null : isoDate(user.last_activity_at),
    email: user.email,
    theme_id: 3,
    color_scheme_id: 1,
    projects_limit: 100_000,
    current_sign_in_at: nullableTime(user.current_sign_in_at),
    identities: [],
    can_create_group: user.external === 0,
    can_create_project: user.external === 0,
    two_factor_enabled: hasSecondFactor(core, user),
    external: user.external === 1,
    private_profile: user.private_profile === 1,
    commit_email: user.email,
    namespace_id: options.namespaceId,
    ...(options.withAdmin ? { is_admin: user.admin === 1 } : {}),
    ...(options.withAdmin && isAvailable(enterprisePasswords, core.profile)
      ? {
          enterprise_group_id: user.enterprise_group_id,
          enterprise_group_associated_at: user.enterprise_group_id === null ? null : nullableTime(user.enterprise_since),
        }
      : {}),
  };
}

function nullableTime(time: number | null): string | null {
  return time === null ? null : isoTime(time);
}

/** Returns true if the caller can see the activity and projects of a user. A private profile hides them from other users. */
export function isProfileShown(user: User, caller: Caller | undefined): boolean {
  return user.private_profile === 0 || caller?.user.id === user.id || caller?.user.admin === 1;
}
