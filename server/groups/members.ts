import { forbidden } from '../http/failures.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import {
  accessLevels,
  changeMembership,
  checkLastOwner,
  endMembership,
  holdsRole,
  leaveProjectsWithGroup,
  type Member,
  type MemberHome,
  type Membership,
  mustBeMember,
  type Standing,
  startMembership,
} from '../projects/projects.ts';
import type { Group } from './access.ts';
import { deleteMembershipsBelow } from './store.ts';

/** A group without an owner could be changed by nobody. */
const LAST_OWNER = 'the last owner of a group stays its owner';

export function homeOf({ id }: Pick<Group, 'id'>): MemberHome {
  return { kind: 'group', id };
}

/**
 * Makes a person a member of a group, and so of everything in it. The feeds of events do not tell of it
 * (docs/interface.md#activity-events).
 */
export function addGroupMember(
  platform: Platform,
  group: Group,
  user: User,
  membership: Membership,
  by: { readonly user: User },
): Member | undefined {
  return startMembership(platform, homeOf(group), user, membership, by.user);
}

/** Changes level and end of a membership; what is left out stays. Throws 404, 400, and 403 for the last owner. */
export function updateGroupMember(platform: Platform, group: Group, userId: number, wish: Partial<Membership>): Member {
  const home = homeOf(group);
  return changeMembership(platform, home, userId, wish, (before, after) => {
    if (after.level < accessLevels.owner || after.expiresAt !== null) checkLastOwner(platform, home, before, LAST_OWNER);
  });
}

/**
 * Ends a membership, and unless `keepsBelow` those in the groups and projects of the group. People may leave; others are removed by
 * owners.
 */
export function removeGroupMember(
  platform: Platform,
  group: Group,
  userId: number,
  by: { readonly user: User; readonly standing: Standing },
  keepsBelow = false,
): void {
  const home = homeOf(group);
  const member = mustBeMember(platform, home, userId);
  if (userId !== by.user.id && !holdsRole(by.standing, 'owner')) {
    throw forbidden(undefined, 'only owners remove other people', 'role.group.owner');
  }
  checkLastOwner(platform, home, member, LAST_OWNER);
  platform.store.transaction(() => {
    endMembership(platform, home, userId);
    if (keepsBelow) return;
    deleteMembershipsBelow(platform.store, group.id, userId);
    leaveProjectsWithGroup(platform, group.id, userId);
  });
}
