import { refusedChange, type WireFailure } from '../http/failures.ts';
import { releaseEnterpriseUsers } from '../identity/enterprise.ts';
import { type Caller, isReservedName } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import {
  countOwners,
  holdsRole,
  isMoreVisible,
  limitProjectVisibility,
  makeOwner,
  moveProjectsWithGroup,
  visibilitiesBeyond,
} from '../projects/projects.ts';
import type { FoundGroup } from './access.ts';
import { containerOf } from './members.ts';
import { DEEPEST } from './rules.ts';
import { depthOf, heightOf, liesIn, moveSubgroups, takenFields, writeParent, writeVisibilityBelow } from './store.ts';

function refused(text: string): WireFailure {
  return refusedChange(`Transfer failed: ${text}`, text);
}

/** Whether somebody may make groups there, at the top level with undefined. */
function mayCreateGroupsIn(parent: FoundGroup | undefined, caller: Caller): boolean {
  return parent === undefined ? caller.user.external === 0 : holdsRole(parent.access, parent.group.subgroup_creation_level);
}

/**
 * Puts a group into another one, or with undefined at the top level, with everything in it; whoever calls has checked that the caller owns
 * it. Former paths lead to all of it, the members of the groups that now lie around it belong to it, and nothing in it is more visible than
 * these. Throws 400 when it cannot be there.
 */
export function transferGroup(platform: Platform, { group }: FoundGroup, parent: FoundGroup | undefined, caller: Caller): void {
  const { store } = platform;
  store.transaction(() => {
    if (parent === undefined && group.parent_id === null) throw refused('Group is already a root group.');
    if (parent !== undefined && parent.group.id === group.parent_id) {
      throw refused('Group is already associated to the parent group.');
    }
    if (!mayCreateGroupsIn(parent, caller)) throw refused("You don't have enough permissions.");
    const fullPath = parent === undefined ? group.path : `${parent.group.full_path}/${group.path}`;
    const taken = takenFields(store, { name: group.name, fullPath, parentId: parent?.group.id ?? null }, group.id);
    if (taken.includes('path')) throw refused('The parent group already has a subgroup or a project with the same path.');
    if (parent !== undefined && liesIn(store, parent.group.id, group.id)) {
      throw refused('Cannot transfer group to one of its subgroup.');
    }
    if (taken.includes('name')) throw refused('Validation failed: Name has already been taken');
    if (parent === undefined && isReservedName(group.path)) {
      throw refused(`Validation failed: Path ${group.path} is a reserved name`);
    }
    if (parent !== undefined && depthOf(store, parent.group.id) + heightOf(store, group.id) > DEEPEST) {
      throw refused('Validation failed: Parent has too deep level of nesting');
    }
    const limit = parent?.group.visibility;
    const isTooOpen = limit !== undefined && isMoreVisible(group.visibility, limit);
    if (isTooOpen) {
      writeVisibilityBelow(store, group.id, visibilitiesBeyond(limit), limit);
      limitProjectVisibility(platform, group.id, limit);
    }
    const visibility = isTooOpen ? limit : group.visibility;
    writeParent(store, group.id, { parentId: parent?.group.id ?? null, fullPath, visibility });
    const attributes = [
      { attribute: 'path', from: group.full_path, to: fullPath },
      ...(isTooOpen ? [{ attribute: 'visibility', from: group.visibility, to: visibility }] : []),
    ];
    platform.changes.publish({ kind: 'groupChanged', groupId: group.id, attributes });
    if (parent !== undefined) releaseEnterpriseUsers(platform, group.id);
    moveSubgroups(store, group.id, group.full_path, fullPath);
    moveProjectsWithGroup(platform, group.id);
    // Those who owned it by the groups around it do so no more.
    if (parent === undefined && countOwners(store, containerOf(group)) === 0)
      makeOwner(platform, containerOf(group), caller.user.id);
  });
}
