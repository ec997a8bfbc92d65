import { DAY } from '../../core/clock.ts';
import { forbidden, invalidRecord, recordNotFound } from '../../http/failures.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../../platform.ts';
import { accessLevels, isAccessLevel, roleName } from './abilities.ts';
import {
  countOwners,
  deleteMember,
  expiredMembers,
  higherMembership,
  insertMember,
  type MemberContainer,
  type MemberRow,
  memberOf,
  nextExpiry,
  writeMember,
} from './memberStore.ts';

/** Number of memberships removed per turn of the event loop. */
const SLICE = 500;

export type Member = MemberRow;

export interface Membership {
  readonly level: number;
  /** Midnight UTC of the expiry day, in milliseconds; null, or omitted for a new membership, means no expiry. */
  readonly expiresAt?: number | null | undefined;
}

/** Returns a user's membership; throws 404 if there is none. */
export function mustBeMember(platform: Platform, container: MemberContainer, userId: number, withInherited = false): Member {
  const member = memberOf(platform.store, container, userId, withInherited);
  if (member === undefined) throw recordNotFound('no such member');
  return member;
}

/** Throws 400 for an unknown level or an expiry day in the past. */
function checkMembership(platform: Platform, membership: Membership): void {
  const today = Math.floor(platform.clock.now() / DAY) * DAY;
  const validationErrors: Record<string, string[]> = {};
  if (!isAccessLevel(membership.level)) validationErrors['access_level'] = ['is not included in the list'];
  if ((membership.expiresAt ?? today) < today) validationErrors['expires_at'] = ['cannot be a date in the past'];
  if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
}

/** Throws 400 if the level is lower than one inherited from an ancestor group. */
function checkInherited(platform: Platform, container: MemberContainer, userId: number, level: number): void {
  const higher = higherMembership(platform.store, container, userId, level);
  if (higher === undefined) return;
  const text = `should be greater than or equal to ${roleName(higher.access_level)} inherited membership from group ${higher.name}`;
  throw invalidRecord({ access_level: [text] });
}

/** Throws 403 if the member is the last owner of a project or group. */
export function checkLastOwner(platform: Platform, container: MemberContainer, member: Member, reason: string): void {
  if (member.access_level >= accessLevels.owner && countOwners(platform.store, container) === 1) {
    throw forbidden(undefined, reason, 'member.lastOwner');
  }
}

/** Removes a membership that expires today without waiting for the schedule. */
function endIfDue(platform: Platform, membership: Membership): void {
  if ((membership.expiresAt ?? Number.POSITIVE_INFINITY) <= platform.clock.now()) platform.schedule.runDue();
}

/**
 * Adds a member and records the event. Returns undefined if the user already is a member. Throws 400 for an unknown level, a
 * level below an inherited one, or an expiry day in the past; `check` adds further rules.
 */
export function startMembership(
  platform: Platform,
  container: MemberContainer,
  user: User,
  membership: Membership,
  by: User,
  check?: () => void,
): Member | undefined {
  checkMembership(platform, membership);
  check?.();
  const member = platform.store.transaction(() => {
    if (memberOf(platform.store, container, user.id) !== undefined) return undefined;
    const { level, expiresAt = null } = membership;
    checkInherited(platform, container, user.id, level);
    const now = platform.clock.now();
    insertMember(platform.store, container, { userId: user.id, level, createdBy: by.id, expiresAt, now });
    const joined = { userId: user.id, level, authorId: by.id };
    platform.changes.publish(
      container.kind === 'project'
        ? { kind: 'memberJoined', projectId: container.id, ...joined }
        : { kind: 'groupMemberJoined', groupId: container.id, ...joined },
    );
    return memberOf(platform.store, container, user.id);
  });
  if (member !== undefined) endIfDue(platform, membership);
  return member;
}

/** Makes a user an owner regardless of an existing membership, without recording an event. */
export function makeOwner(platform: Platform, container: MemberContainer, userId: number): void {
  const values = { userId, level: accessLevels.owner, expiresAt: null };
  if (memberOf(platform.store, container, userId) !== undefined) writeMember(platform.store, container, values);
  else insertMember(platform.store, container, { ...values, createdBy: userId, now: platform.clock.now() });
}

/**
 * Changes level and expiry of a membership; omitted values are kept. `check` adds further rules. Throws 404 if there is none, and
 * 400 as for a new membership.
 */
export function changeMembership(
  platform: Platform,
  container: MemberContainer,
  userId: number,
  input: Partial<Membership>,
  check: (before: Member, after: { readonly level: number; readonly expiresAt: number | null }) => void,
): Member {
  const before = mustBeMember(platform, container, userId);
  const to = {
    level: input.level ?? before.access_level,
    expiresAt: input.expiresAt === undefined ? before.expires_at : input.expiresAt,
  };
  checkMembership(platform, to);
  check(before, to);
  checkInherited(platform, container, userId, to.level);
  platform.store.transaction(() => {
    writeMember(platform.store, container, { userId, ...to });
    const changed = { userId, from: { level: before.access_level, expiresAt: before.expires_at }, to };
    platform.changes.publish(
      container.kind === 'project'
        ? { kind: 'memberChanged', projectId: container.id, ...changed }
        : { kind: 'groupMemberChanged', groupId: container.id, ...changed },
    );
  });
  endIfDue(platform, to);
  return { ...before, access_level: to.level, expires_at: to.expiresAt };
}

/** Removes a membership and records the event. Call in a transaction. */
export function endMembership(platform: Platform, { kind, id }: MemberContainer, userId: number): void {
  deleteMember(platform.store, { kind, id }, userId);
  platform.changes.publish(
    kind === 'project' ? { kind: 'memberLeft', projectId: id, userId } : { kind: 'groupMemberLeft', groupId: id, userId },
  );
}

/** Removes memberships on the day they expire. */
export function scheduleMemberExpiry(platform: Platform): void {
  const { store, changes, schedule } = platform;
  for (const kind of ['project', 'group'] as const) {
    schedule.add({
      name: kind === 'project' ? 'expired project members' : 'expired group members',
      next: () => nextExpiry(store, kind),
      run: (now) => {
        const expired = expiredMembers(store, kind, now, SLICE);
        store.transaction(() => {
          for (const { containerId: id, userId } of expired) {
            deleteMember(store, { kind, id }, userId);
            changes.publish(
              kind === 'project'
                ? { kind: 'memberExpired', projectId: id, userId }
                : { kind: 'groupMemberExpired', groupId: id, userId },
            );
          }
        });
        return expired.length === SLICE;
      },
    });
  }
}
