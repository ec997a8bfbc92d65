import { DAY } from '../clock.ts';
import { forbidden, invalidRecord, recordNotFound } from '../http/failures.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { accessLevels, holdsRole, isAccessLevel, roleName, type Standing } from './abilities.ts';
import type { Project } from './access.ts';
import {
  countOwners,
  deleteMember,
  expiredMembers,
  higherGroupMembership,
  insertMember,
  type MemberRow,
  memberOf,
  membershipsBelow,
  nextExpiry,
  writeMember,
} from './memberStore.ts';

export type Member = MemberRow;

export interface Membership {
  readonly level: number;
  /** Midnight UTC of the day on which it ends, milliseconds; null, and when left out of a new one, for never. */
  readonly expiresAt?: number | null | undefined;
}

/** Whether this person's own namespace holds the project: then they are its owner and stay it. */
function isHolder(project: Project, userId: number): boolean {
  return project.namespace_kind === 'user' && project.namespace_owner_id === userId;
}

/** Throws 400 for an unknown level or a day that is past. */
export function checkMembership(platform: Platform, membership: Membership): void {
  const today = Math.floor(platform.clock.now() / DAY) * DAY;
  const complaints: Record<string, string[]> = {};
  if (!isAccessLevel(membership.level)) complaints['access_level'] = ['is not included in the list'];
  if ((membership.expiresAt ?? today) < today) complaints['expires_at'] = ['cannot be a date in the past'];
  if (Object.keys(complaints).length > 0) throw invalidRecord(complaints);
}

/** Nobody is a lesser member of a project than of the groups around it. */
function checkInherited(platform: Platform, project: Project, userId: number, level: number): void {
  const higher = higherGroupMembership(platform.store, project.id, userId, level);
  if (higher === undefined) return;
  const words = `should be greater than or equal to ${roleName(higher.access_level)} inherited membership from group ${higher.name}`;
  throw invalidRecord({ access_level: [words] });
}

/** Only owners make owners, and only owners touch them. */
function checkRank(standing: Standing, ...levels: readonly number[]): void {
  if (levels.some((level) => level >= accessLevels.owner) && !holdsRole(standing, 'owner')) {
    throw forbidden(undefined, 'only owners add, change and remove owners', 'role.project.owner');
  }
}

function watchEnd(platform: Platform, membership: Membership): void {
  platform.schedule.touch();
  // A membership that ends today ends now, also while the clock stands still.
  if ((membership.expiresAt ?? Number.POSITIVE_INFINITY) <= platform.clock.now()) platform.schedule.runDue();
}

/**
 * Makes a person a member and records that they joined. Undefined when they are one already. Throws 400 for an unknown level, one
 * below that in a group around the project, or a day that is past; 403 for an owner made by somebody who is none.
 */
export function addMember(
  platform: Platform,
  project: Project,
  user: User,
  membership: Membership,
  by: { readonly user: User; readonly standing: Standing },
): Member | undefined {
  checkMembership(platform, membership);
  checkRank(by.standing, membership.level);
  const member = platform.store.transaction(() => {
    if (memberOf(platform.store, project.id, user.id) !== undefined) return undefined;
    checkInherited(platform, project, user.id, membership.level);
    insertMember(platform.store, {
      projectId: project.id,
      userId: user.id,
      level: membership.level,
      createdBy: by.user.id,
      expiresAt: membership.expiresAt ?? null,
      now: platform.clock.now(),
    });
    const { level } = membership;
    platform.changes.publish({ kind: 'memberJoined', projectId: project.id, userId: user.id, level, authorId: by.user.id });
    return memberOf(platform.store, project.id, user.id);
  });
  if (member !== undefined) watchEnd(platform, membership);
  return member;
}

/** Makes the owner of the namespace owner of a project that is made or moved there; no event says that they joined. */
export function addHolder(platform: Platform, projectId: number, userId: number): void {
  if (memberOf(platform.store, projectId, userId) !== undefined) {
    writeMember(platform.store, { projectId, userId, level: accessLevels.owner, expiresAt: null });
    return;
  }
  insertMember(platform.store, {
    projectId,
    userId,
    level: accessLevels.owner,
    createdBy: userId,
    expiresAt: null,
    now: platform.clock.now(),
  });
}

/** Changes level and end of a membership; what is left out stays. Throws 404, 400 and 403. */
export function updateMember(
  platform: Platform,
  project: Project,
  userId: number,
  wish: Partial<Membership>,
  by: { readonly standing: Standing },
): Member {
  const before = memberOf(platform.store, project.id, userId);
  if (before === undefined) throw recordNotFound('no such member');
  const membership = {
    level: wish.level ?? before.access_level,
    expiresAt: wish.expiresAt === undefined ? before.expires_at : wish.expiresAt,
  };
  if (wish.level !== undefined || wish.expiresAt !== undefined) checkMembership(platform, membership);
  checkRank(by.standing, membership.level, before.access_level);
  if (isHolder(project, userId)) {
    throw forbidden(undefined, 'the owner of the namespace stays owner of its projects', 'member.holder');
  }
  checkInherited(platform, project, userId, membership.level);
  platform.store.transaction(() => {
    writeMember(platform.store, { projectId: project.id, userId, ...membership });
    const from = { level: before.access_level, expiresAt: before.expires_at };
    platform.changes.publish({ kind: 'memberChanged', projectId: project.id, userId, from, to: membership });
  });
  watchEnd(platform, membership);
  return { ...before, access_level: membership.level, expires_at: membership.expiresAt };
}

/** Ends a membership and records that the person left. People may leave; others are removed by maintainers. */
export function removeMember(
  platform: Platform,
  project: Project,
  userId: number,
  by: { readonly user: User; readonly standing: Standing },
): void {
  const member = memberOf(platform.store, project.id, userId);
  if (member === undefined) throw recordNotFound('no such member');
  if (isHolder(project, userId)) {
    throw forbidden(undefined, 'the owner of the namespace cannot leave its projects', 'member.holder');
  }
  if (userId !== by.user.id) {
    if (!holdsRole(by.standing, 'maintainer')) {
      throw forbidden(undefined, 'only maintainers remove other people', 'role.project.maintainer');
    }
    checkRank(by.standing, member.access_level);
  }
  const isInGroup = project.namespace_kind === 'group';
  if (!isInGroup && member.access_level >= accessLevels.owner && countOwners(platform.store, project.id) === 1) {
    throw forbidden(undefined, 'the last owner of a project cannot leave it', 'member.lastOwner');
  }
  platform.store.transaction(() => {
    deleteMember(platform.store, project.id, userId);
    platform.changes.publish({ kind: 'memberLeft', projectId: project.id, userId });
  });
}

/** Ends a person's memberships in all projects of a group, at any depth, and records that they left. */
export function removeMembershipsBelow(platform: Platform, groupId: number, userId: number): void {
  for (const projectId of membershipsBelow(platform.store, groupId, userId)) {
    deleteMember(platform.store, projectId, userId);
    platform.changes.publish({ kind: 'memberLeft', projectId, userId });
  }
}

/** Ends memberships on the day on which they expire. */
export function scheduleMemberExpiry(platform: Platform): void {
  const { store, changes, schedule } = platform;
  schedule.add({
    name: 'memberships that end',
    next: () => nextExpiry(store),
    run: (now) => {
      store.transaction(() => {
        for (const { project_id: projectId, user_id: userId } of expiredMembers(store, now)) {
          deleteMember(store, projectId, userId);
          changes.publish({ kind: 'memberExpired', projectId, userId });
        }
      });
    },
  });
}
