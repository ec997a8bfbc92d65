import type { Platform } from '../platform.ts';
import { type Availability, isAvailable } from '../profile.ts';
import {
  clearEnterpriseGroup,
  countMatchingUsers,
  enterpriseGroupById,
  listUsers,
  type UserFilter,
  type UserRow,
  userById,
  writeEnterpriseGroup,
} from './store.ts';

// The real platform makes people enterprise users by the domain of their address and has the switch in a group's SAML settings. Neither
// is here: administrators set both through the API. The documented interface names no offering, so every one has them.

/** Where groups can refuse passwords to their enterprise users. */
export const enterprisePasswords: Availability = { addedIn: '17.4', tiers: ['premium', 'ultimate'] };

/** The group that lets a person not use their password; undefined when none does. */
export function passwordRefusingGroup(
  { store, profile }: Platform,
  user: Pick<UserRow, 'enterprise_group_id'>,
): { readonly name: string } | undefined {
  if (user.enterprise_group_id === null || !isAvailable(enterprisePasswords, profile)) return undefined;
  const group = enterpriseGroupById(store, user.enterprise_group_id);
  return group?.disable_password_authentication === 1 ? group : undefined;
}

/** For the journal. */
export function enterpriseRefusal({ name }: { readonly name: string }): string {
  return `the group "${name}" has password authentication disabled for its enterprise users; they use access tokens and one-time sign-in links`;
}

/** Whether a person confirms changes with their password: they have one, and may use it. */
export function usesPassword(platform: Platform, user: UserRow): boolean {
  return user.password_hash !== null && passwordRefusingGroup(platform, user) === undefined;
}

/** Makes a person the enterprise user of a group, or of none. Says what is wrong with the group instead of throwing. */
export function setEnterpriseGroup(
  { store, clock }: Platform,
  user: UserRow,
  groupId: number | null,
): UserRow | 'no group' | 'not top-level' {
  return store.transaction(() => {
    const group = groupId === null ? undefined : enterpriseGroupById(store, groupId);
    if (groupId !== null && group?.kind !== 'group') return 'no group';
    if (group !== undefined && group.parent_id !== null) return 'not top-level';
    writeEnterpriseGroup(store, user.id, groupId, clock.now());
    return userById(store, user.id) ?? user;
  });
}

/** What follows when a group is no longer at the top level: nobody is its enterprise user. */
export function releaseEnterpriseUsers({ store, clock }: Platform, groupId: number): void {
  clearEnterpriseGroup(store, groupId, clock.now());
}

/** Enterprise users of a group, the newest first. */
export function enterpriseUsers({ store }: Platform, groupId: number, filter: UserFilter) {
  const ofGroup = { ...filter, enterpriseGroupId: groupId };
  return {
    count: (cap: number): number => countMatchingUsers(store, ofGroup, cap),
    rows: (limit: number, offset: number): readonly UserRow[] =>
      listUsers(store, ofGroup, { order: 'id', sort: 'desc', limit, offset }),
  };
}
