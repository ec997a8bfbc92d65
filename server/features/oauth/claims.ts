import { createHash } from 'node:crypto';
import { groupMembershipsOf } from '../groups/groups.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';

type Claims = Readonly<Record<string, unknown>>;

/** Claims with the groups in which a user has an access level, by level. */
const levelClaims = [
  ['https://gitlab.org/claims/groups/owner', 50],
  ['https://gitlab.org/claims/groups/maintainer', 40],
  ['https://gitlab.org/claims/groups/developer', 30],
] as const;

/** Claim names for the metadata (OpenID Connect Discovery §3). */
export const claimNames: readonly string[] = [
  'sub',
  'sub_legacy',
  'name',
  'nickname',
  'preferred_username',
  'email',
  'email_verified',
  'profile',
  'groups',
  'groups_direct',
  ...levelClaims.map(([name]) => name),
];

/** Returns the claims of `/oauth/userinfo`. Claims without a value are omitted. */
export function userInfoClaims(core: Core, user: User, scopes: readonly string[], baseUrl: string): Claims {
  const memberships = groupMembershipsOf(core, user);
  return {
    ...personClaims(core, user, scopes, baseUrl),
    groups: memberships.map(({ fullPath }) => fullPath),
    ...Object.fromEntries(
      levelClaims.flatMap(([name, level]) => {
        const paths = memberships.filter((membership) => membership.level === level).map(({ fullPath }) => fullPath);
        return paths.length === 0 ? [] : [[name, paths]];
      }),
    ),
  };
}

/** Returns the claims of an ID token about the user, in addition to the standard ones about the token. */
export function idTokenClaims(core: Core, user: User, scopes: readonly string[], baseUrl: string): Claims {
  return {
    ...personClaims(core, user, scopes, baseUrl),
    groups_direct: groupMembershipsOf(core, user)
      .filter(({ isDirect }) => isDirect)
      .map(({ fullPath }) => fullPath),
  };
}

function personClaims(core: Core, user: User, scopes: readonly string[], baseUrl: string): Claims {
  const email = scopes.includes('email') ? user.email : user.public_email;
  return {
    sub: String(user.id),
    // Kept for relying parties that identify users by this claim; it only has to stay the same.
    sub_legacy: createHash('sha256').update(`${user.id}-${core.instanceId}`).digest('hex'),
    name: user.name,
    nickname: user.username,
    preferred_username: user.username,
    ...(email === '' ? {} : { email, email_verified: true }),
    profile: `${baseUrl}/${user.username}`,
  };
}
