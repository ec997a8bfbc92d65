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
  type MemberContainer,
  type Membership,
  mustBeMember,
  type Access,
  startMembership,
} from '../projects/projects.ts';
import type { Group } from './access.ts';
import { deleteMembershipsBelow } from './store.ts';

/** A group without an owner could be changed by nobody. */
const LAST_OWNER = 'the last owner of a group stays its owner';

export function containerOf({ id }: Pick<Group, 'id'>): MemberContainer {
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
  return startMembership(platform, containerOf(group), user, membership, by.user);
}

/** Changes level and end of a membership; what is left out stays. Throws 404, 400, and 403 for the last owner. */
export function updateGroupMember(platform: Platform, group: Group, userId: number, input: Partial<Membership>): Member {
  const container = containerOf(group);
  return changeMembership(platform, container, userId, input, (before, after) => {
    if (after.level < accessLevels.owner || after.expiresAt !== null) checkLastOwner(platform, container, before, LAST_OWNER);
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
  by: { readonly user: User; readonly access: Access },
  keepsBelow = false,
): void {
  const container = containerOf(group);
  const member = mustBeMember(platform, container, userId);
  if (userId !== by.user.id && !holdsRole(by.access, 'owner')) {
    throw forbidden(undefined, 'only owners remove other people', 'role.group.owner');
  }
  checkLastOwner(platform, container, member, LAST_OWNER);
  platform.store.transaction(() => {
    endMembership(platform, container, userId);
    if (keepsBelow) return;
    deleteMembershipsBelow(platform.store, group.id, userId);
    leaveProjectsWithGroup(platform, group.id, userId);
  });
}
