import { DAY } from '../../core/clock.ts';
import { forbidden, invalidRecord, recordNotFound } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { accessLevels, isAccessLevel, roleName } from '../abilities/abilities.ts';
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
} from './store.ts';

/** Number of memberships removed per turn of the event loop. */
const SLICE = 500;

export type Member = MemberRow;

export interface Membership {
  readonly level: number;
  /** Midnight UTC of the expiry day, in milliseconds; null, or omitted for a new membership, means no expiry. */
  readonly expiresAt?: number | null | undefined;
}

/** Returns a user's membership; throws `NotFound` if there is none. */
export function mustBeMember(core: Core, container: MemberContainer, userId: number, withInherited = false): Member {
  const member = memberOf(core.store, container, userId, withInherited);
  if (member === undefined) throw recordNotFound('no such member');
  return member;
}

/** Throws `Invalid` for an unknown level or an expiry day in the past. */
function checkMembership(core: Core, membership: Membership): void {
  const today = Math.floor(core.clock.now() / DAY) * DAY;
  const validationErrors: Record<string, string[]> = {};
  if (!isAccessLevel(membership.level)) validationErrors['access_level'] = ['is not included in the list'];
  if ((membership.expiresAt ?? today) < today) validationErrors['expires_at'] = ['cannot be a date in the past'];
  if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
}

/** Throws `Invalid` if the level is lower than one inherited from an ancestor group. */
function checkInherited(core: Core, container: MemberContainer, userId: number, level: number): void {
  const higher = higherMembership(core.store, container, userId, level);
  if (higher === undefined) return;
  const text = `should be greater than or equal to ${roleName(higher.access_level)} inherited membership from group ${higher.name}`;
  throw invalidRecord({ access_level: [text] });
}

/** Throws `Forbidden` if the member is the last owner of a project or group. */
export function checkLastOwner(core: Core, container: MemberContainer, member: Member, reason: string): void {
  if (member.access_level >= accessLevels.owner && countOwners(core.store, container) === 1) {
    throw forbidden(undefined, reason, 'member.lastOwner');
  }
}

/** Removes a membership that expires today without waiting for the schedule. */
function endIfDue(core: Core, membership: Membership): void {
  if ((membership.expiresAt ?? Number.POSITIVE_INFINITY) <= core.clock.now()) core.schedule.runDue();
}

/**
 * Adds a member and records the event. Returns undefined if the user already is a member. Throws `Invalid` for an unknown level, a
 * level below an inherited one, or an expiry day in the past; `check` adds further rules.
 */
export function startMembership(
  core: Core,
  container: MemberContainer,
  user: User,
  membership: Membership,
  by: User,
  check?: () => void,
): Member | undefined {
  checkMembership(core, membership);
  check?.();
  const member = core.store.transaction(() => {
    if (memberOf(core.store, container, user.id) !== undefined) return undefined;
    const { level, expiresAt = null } = membership;
    checkInherited(core, container, user.id, level);
    const now = core.clock.now();
    insertMember(core.store, container, { userId: user.id, level, createdBy: by.id, expiresAt, now });
    const joined = { userId: user.id, level, authorId: by.id };
    core.changes.publish(
      container.kind === 'project'
        ? { kind: 'memberJoined', projectId: container.id, ...joined }
        : { kind: 'groupMemberJoined', groupId: container.id, ...joined },
    );
    return memberOf(core.store, container, user.id);
  });
  if (member !== undefined) endIfDue(core, membership);
  return member;
}

/** Makes a user an owner regardless of an existing membership, without recording an event. */
export function makeOwner(core: Core, container: MemberContainer, userId: number): void {
  const values = { userId, level: accessLevels.owner, expiresAt: null };
  if (memberOf(core.store, container, userId) !== undefined) writeMember(core.store, container, values);
  else insertMember(core.store, container, { ...values, createdBy: userId, now: core.clock.now() });
}

/**
 * Changes level and expiry of a membership; omitted values are kept. `check` adds further rules. Throws `NotFound` if there is none, and
 * 400 as for a new membership.
 */
export function changeMembership(
  core: Core,
  container: MemberContainer,
  userId: number,
  input: Partial<Membership>,
  check: (before: Member, after: { readonly level: number; readonly expiresAt: number | null }) => void,
): Member {
  const before = mustBeMember(core, container, userId);
  const to = {
    level: input.level ?? before.access_level,
    expiresAt: input.expiresAt === undefined ? before.expires_at : input.expiresAt,
  };
  checkMembership(core, to);
  check(before, to);
  checkInherited(core, container, userId, to.level);
  core.store.transaction(() => {
    writeMember(core.store, container, { userId, ...to });
    const changed = { userId, from: { level: before.access_level, expiresAt: before.expires_at }, to };
    core.changes.publish(
      container.kind === 'project'
        ? { kind: 'memberChanged', projectId: container.id, ...changed }
        : { kind: 'groupMemberChanged', groupId: container.id, ...changed },
    );
  });
  endIfDue(core, to);
  return { ...before, access_level: to.level, expires_at: to.expiresAt };
}

/** Removes a membership and records the event. Call in a transaction. */
export function endMembership(core: Core, { kind, id }: MemberContainer, userId: number): void {
  deleteMember(core.store, { kind, id }, userId);
  core.changes.publish(
    kind === 'project' ? { kind: 'memberLeft', projectId: id, userId } : { kind: 'groupMemberLeft', groupId: id, userId },
  );
}

/** Removes memberships on the day they expire. */
export function scheduleMemberExpiry(core: Core): void {
  const { store, changes, schedule } = core;
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
