import { forbidden } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { accessLevels, holdsRole, type Access } from '../abilities/abilities.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import {
  changeMembership,
  checkLastOwner,
  endMembership,
  type Member,
  type Membership,
  mustBeMember,
  startMembership,
} from './memberships.ts';
import { type MemberContainer, membershipsBelow } from './store.ts';

export function containerOf({ id }: Pick<Project, 'id'>): MemberContainer {
  return { kind: 'project', id };
}

/** Returns true if the project is in the user's personal namespace, which makes the user its permanent owner. */
function isHolder(project: Project, userId: number): boolean {
  return project.namespace_kind === 'user' && project.namespace_owner_id === userId;
}

/** Throws `Forbidden` if someone who is not an owner adds, changes or removes an owner. */
function checkRank(access: Access, ...levels: readonly number[]): void {
  if (levels.some((level) => level >= accessLevels.owner) && !holdsRole(access, 'owner')) {
    throw forbidden(undefined, 'only owners can add, change or remove owners', 'role.project.owner');
  }
}

/** Adds a member under the rules of all memberships. Also throws `Forbidden` if an owner is added by someone who is not an owner. */
export function addMember(
  core: Core,
  project: Project,
  user: User,
  membership: Membership,
  by: { readonly user: User; readonly access: Access },
): Member | undefined {
  return startMembership(core, containerOf(project), user, membership, by.user, () => checkRank(by.access, membership.level));
}

/** Changes level and expiry of a membership; omitted values are kept. Throws `NotFound`, 400 and `Forbidden`. */
export function updateMember(
  core: Core,
  project: Project,
  userId: number,
  input: Partial<Membership>,
  by: { readonly access: Access },
): Member {
  return changeMembership(core, containerOf(project), userId, input, (before, after) => {
    checkRank(by.access, after.level, before.access_level);
    if (isHolder(project, userId)) {
      throw forbidden(undefined, 'the owner of the namespace must stay an owner of its projects', 'member.holder');
    }
  });
}

/** Removes a member and records the event. Members can leave; removing others requires the maintainer role. */
export function removeMember(
  core: Core,
  project: Project,
  userId: number,
  by: { readonly user: User; readonly access: Access },
): void {
  const container = containerOf(project);
  const member = mustBeMember(core, container, userId);
  if (isHolder(project, userId)) {
    throw forbidden(undefined, 'the owner of the namespace cannot leave its projects', 'member.holder');
  }
  if (userId !== by.user.id) {
    if (!holdsRole(by.access, 'maintainer')) {
      throw forbidden(undefined, 'only maintainers can remove other members', 'role.project.maintainer');
    }
    checkRank(by.access, member.access_level);
  }
  if (project.namespace_kind === 'user') checkLastOwner(core, container, member, 'the last owner of a project cannot leave it');
  core.store.transaction(() => endMembership(core, container, userId));
}

/** Removes a user who left a group from the projects below it, at any depth, and records the events. */
export function leaveProjectsWithGroup(core: Core, groupId: number, userId: number): void {
  for (const id of membershipsBelow(core.store, groupId, userId)) endMembership(core, containerOf({ id }), userId);
}
