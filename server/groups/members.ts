import { forbidden, invalidRecord, recordNotFound } from '../http/failures.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import {
  accessLevels,
  checkMembership,
  holdsRole,
  leaveProjectsWithGroup,
  type Membership,
  roleName,
  type Standing,
} from '../projects/projects.ts';
import type { Group } from './access.ts';
import {
  countOwners,
  deleteMember,
  deleteMembershipsBelow,
  expiredMembers,
  higherMembership,
  insertMember,
  type MemberRow,
  memberOf,
  nextExpiry,
  writeMember,
} from './store.ts';

export type GroupMember = MemberRow;

/** Nobody is a lesser member of a group than of those around it. */
function checkInherited(platform: Platform, group: Group, userId: number, level: number): void {
  const higher = higherMembership(platform.store, group.id, userId, level);
  if (higher === undefined) return;
  const words = `should be greater than or equal to ${roleName(higher.access_level)} inherited membership from group ${higher.name}`;
  throw invalidRecord({ access_level: [words] });
}

/** A group without an owner could be changed by nobody. */
function checkLastOwner(platform: Platform, group: Group, member: MemberRow): void {
  if (member.access_level >= accessLevels.owner && countOwners(platform.store, group.id) === 1) {
    throw forbidden(undefined, 'the last owner of a group stays its owner', 'member.lastOwner');
  }
}

function watchEnd(platform: Platform, membership: Membership): void {
  platform.schedule.touch();
  // A membership that ends today ends now, also while the clock stands still.
  if ((membership.expiresAt ?? Number.POSITIVE_INFINITY) <= platform.clock.now()) platform.schedule.runDue();
}

/**
 * Makes a person a member of a group, and so of everything in it. No event tells of it (rest.md §5.7). Undefined when they are one
 * already. Throws 400 for an unknown level, one below that in a group around it, or a day that is past.
 */
export function addGroupMember(
  platform: Platform,
  group: Group,
  user: User,
  membership: Membership,
  by: { readonly user: User },
): GroupMember | undefined {
  checkMembership(platform, membership);
  const member = platform.store.transaction(() => {
    if (memberOf(platform.store, group.id, user.id) !== undefined) return undefined;
    checkInherited(platform, group, user.id, membership.level);
    insertMember(platform.store, {
      groupId: group.id,
      userId: user.id,
      level: membership.level,
      createdBy: by.user.id,
      expiresAt: membership.expiresAt ?? null,
      now: platform.clock.now(),
    });
    const { level } = membership;
    platform.changes.publish({ kind: 'groupMemberJoined', groupId: group.id, userId: user.id, level, authorId: by.user.id });
    return memberOf(platform.store, group.id, user.id);
  });
  if (member !== undefined) watchEnd(platform, membership);
  return member;
}

/** Makes whoever created a group, or took it to the top level, its owner. */
export function addOwner(platform: Platform, groupId: number, userId: number): void {
  if (memberOf(platform.store, groupId, userId) !== undefined) {
    writeMember(platform.store, { groupId, userId, level: accessLevels.owner, expiresAt: null });
    return;
  }
  insertMember(platform.store, {
    groupId,
    userId,
    level: accessLevels.owner,
    createdBy: userId,
    expiresAt: null,
    now: platform.clock.now(),
  });
}

/** Changes level and end of a membership; what is left out stays. Throws 404, 400, and 403 for the last owner. */
export function updateGroupMember(platform: Platform, group: Group, userId: number, wish: Partial<Membership>): GroupMember {
  const before = memberOf(platform.store, group.id, userId);
  if (before === undefined) throw recordNotFound('no such member');
  const membership = {
    level: wish.level ?? before.access_level,
    expiresAt: wish.expiresAt === undefined ? before.expires_at : wish.expiresAt,
  };
  checkMembership(platform, membership);
  if (membership.level < accessLevels.owner || membership.expiresAt !== null) checkLastOwner(platform, group, before);
  checkInherited(platform, group, userId, membership.level);
  platform.store.transaction(() => {
    writeMember(platform.store, { groupId: group.id, userId, ...membership });
    const from = { level: before.access_level, expiresAt: before.expires_at };
    platform.changes.publish({ kind: 'groupMemberChanged', groupId: group.id, userId, from, to: membership });
  });
  watchEnd(platform, membership);
  return { ...before, access_level: membership.level, expires_at: membership.expiresAt };
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
  const member = memberOf(platform.store, group.id, userId);
  if (member === undefined) throw recordNotFound('no such member');
  if (userId !== by.user.id && !holdsRole(by.standing, 'owner')) {
    throw forbidden(undefined, 'only owners remove other people', 'role.group.owner');
  }
  checkLastOwner(platform, group, member);
  platform.store.transaction(() => {
    deleteMember(platform.store, group.id, userId);
    platform.changes.publish({ kind: 'groupMemberLeft', groupId: group.id, userId });
    if (keepsBelow) return;
    deleteMembershipsBelow(platform.store, group.id, userId);
    leaveProjectsWithGroup(platform, group.id, userId);
  });
}

/** Ends memberships on the day on which they expire. */
export function scheduleGroupMemberExpiry(platform: Platform): void {
  const { store, changes, schedule } = platform;
  schedule.add({
    name: 'memberships in groups that end',
    next: () => nextExpiry(store),
    run: (now) => {
      store.transaction(() => {
        for (const { group_id: groupId, user_id: userId } of expiredMembers(store, now)) {
          deleteMember(store, groupId, userId);
          changes.publish({ kind: 'groupMemberExpired', groupId, userId });
        }
      });
    },
  });
}
