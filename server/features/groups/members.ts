import { forbidden } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { type Access, accessLevels, holdsRole } from '../abilities/abilities.ts';
import {
  changeMembership,
  checkLastOwner,
  deleteMembershipsBelow,
  endMembership,
  leaveProjectsWithGroup,
  type Member,
  type MemberContainer,
  type Membership,
  mustBeMember,
  startMembership,
} from '../members/members.ts';
import type { Group } from './access.ts';

/** Refusal reason that keeps at least one owner in every group. */
const LAST_OWNER = 'a group must keep at least one owner';

export function containerOf({ id }: Pick<Group, 'id'>): MemberContainer {
  return { kind: 'group', id };
}

/**
 * Makes a user a member of a group and thereby of everything in it. This creates no activity event (docs/interface.md#activity-events).
 */
export function addGroupMember(
  core: Core,
  group: Group,
  user: User,
  membership: Membership,
  by: { readonly user: User },
): Member | undefined {
  return startMembership(core, containerOf(group), user, membership, by.user);
}

/**
 * Changes the access level or expiry of a membership.
 *
 * @throws {NotFound} if the user is not a member, `Refused` for invalid values, `Forbidden` for the last owner.
 */
export function updateGroupMember(core: Core, group: Group, userId: number, input: Partial<Membership>): Member {
  const container = containerOf(group);
  return changeMembership(core, container, userId, input, (before, after) => {
    if (after.level < accessLevels.owner || after.expiresAt !== null) checkLastOwner(core, container, before, LAST_OWNER);
  });
}

/**
 * Removes a member and, unless `keepsBelow` is set, their memberships in the subgroups and projects of the group. Members can leave; only
 * owners can remove other members.
 */
export function removeGroupMember(
  core: Core,
  group: Group,
  userId: number,
  by: { readonly user: User; readonly access: Access },
  keepsBelow = false,
): void {
  const container = containerOf(group);
  const member = mustBeMember(core, container, userId);
  if (userId !== by.user.id && !holdsRole(by.access, 'owner')) {
    throw forbidden(undefined, 'only owners can remove other members', 'role.group.owner');
  }
  checkLastOwner(core, container, member, LAST_OWNER);
  core.store.transaction(() => {
    endMembership(core, container, userId);
    if (keepsBelow) return;
    deleteMembershipsBelow(core.store, group.id, userId);
    leaveProjectsWithGroup(core, group.id, userId);
  });
}
