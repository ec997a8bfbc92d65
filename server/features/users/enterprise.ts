import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { type Availability, isAvailable } from '../../core/profile.ts';
import {
  clearEnterpriseGroup,
  countMatchingUsers,
  enterpriseGroupById,
  listUsers,
  type UserFilter,
  userById,
  writeEnterpriseGroup,
} from './store.ts';

// GitLab derives enterprise users from the domain of their email address and has the password setting among a group's SAML settings. This
// server has neither, so administrators set both through the API. The documented interface names no offering, so all of them have it.

/** Releases and tiers in which groups can disable password authentication for their enterprise users. */
export const enterprisePasswords: Availability = { addedIn: '17.4', tiers: ['premium', 'ultimate'] };

/** Returns the group that disables password authentication for a user; undefined if there is none. */
export function passwordRefusingGroup(
  { store, profile }: Core,
  user: Pick<User, 'enterprise_group_id'>,
): { readonly name: string } | undefined {
  if (user.enterprise_group_id === null || !isAvailable(enterprisePasswords, profile)) return undefined;
  const group = enterpriseGroupById(store, user.enterprise_group_id);
  return group?.disable_password_authentication === 1 ? group : undefined;
}

/** Returns the refusal reason for the request log. */
export function enterpriseRefusal({ name }: { readonly name: string }): string {
  return `the group "${name}" disables password authentication for its enterprise users; use an access token or a one-time sign-in link`;
}

/** Returns true if a user confirms changes with a password, that is, has one and can use it. */
export function usesPassword(core: Core, user: User): boolean {
  return user.password_hash !== null && passwordRefusingGroup(core, user) === undefined;
}

/** Makes a user the enterprise user of a group, or of no group. Returns the reason if the group is not suitable. */
export function setEnterpriseGroup(
  { store, clock }: Core,
  user: User,
  groupId: number | null,
): User | 'no group' | 'not top-level' {
  return store.transaction(() => {
    const group = groupId === null ? undefined : enterpriseGroupById(store, groupId);
    if (groupId !== null && group?.kind !== 'group') return 'no group';
    if (group !== undefined && group.parent_id !== null) return 'not top-level';
    writeEnterpriseGroup(store, user.id, groupId, clock.now());
    return userById(store, user.id) ?? user;
  });
}

/** Removes all enterprise users of a group that is no longer at the top level. */
export function releaseEnterpriseUsers({ store, clock }: Core, groupId: number): void {
  clearEnterpriseGroup(store, groupId, clock.now());
}

/** Returns the enterprise users of a group, newest first. */
export function enterpriseUsers({ store }: Core, groupId: number, filter: UserFilter) {
  const ofGroup = { ...filter, enterpriseGroupId: groupId };
  return {
    count: (cap: number): number => countMatchingUsers(store, ofGroup, cap),
    rows: (limit: number, offset: number): readonly User[] =>
      listUsers(store, ofGroup, { order: 'id', sort: 'desc', limit, offset }),
  };
}
