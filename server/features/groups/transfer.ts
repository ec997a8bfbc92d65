import { refusedChange, type Refused } from '../../core/errors.ts';
import { releaseEnterpriseUsers } from '../users/users.ts';
import { isReservedName } from '../accountRules/accountRules.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { countOwners, makeOwner } from '../members/members.ts';
import { holdsRole, isMoreVisible, visibilitiesBeyond } from '../abilities/abilities.ts';
import { limitProjectVisibility, moveProjectsWithGroup } from '../projects/projects.ts';
import type { FoundGroup } from './access.ts';
import { containerOf } from './members.ts';
import { MAX_DEPTH } from './rules.ts';
import { depthOf, heightOf, liesIn, moveSubgroups, takenFields, writeParent, writeVisibilityBelow } from './store.ts';

function refused(text: string): Refused {
  return refusedChange(`Transfer failed: ${text}`, text);
}

/** Returns true if the caller can create groups in a group, or at the top level if it is undefined. */
function canCreateGroupsIn(parent: FoundGroup | undefined, caller: Caller): boolean {
  return parent === undefined ? caller.user.external === 0 : holdsRole(parent.access, parent.group.subgroup_creation_level);
}

/**
 * Moves a group with everything in it to another group, or to the top level if `parent` is undefined. The caller must have checked that
 * the user owns the group. Former paths redirect, members of the new ancestors become members, and the visibility of everything in the
 * group is reduced to that of the new parent.
 *
 * @throws {Refused} if the group cannot be moved there.
 */
export function transferGroup(core: Core, { group }: FoundGroup, parent: FoundGroup | undefined, caller: Caller): void {
  const { store } = core;
  store.transaction(() => {
    if (parent === undefined && group.parent_id === null) throw refused('Group is already a root group.');
    if (parent !== undefined && parent.group.id === group.parent_id) {
      throw refused('Group is already associated to the parent group.');
    }
    if (!canCreateGroupsIn(parent, caller)) throw refused("You don't have enough permissions.");
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
    if (parent !== undefined && depthOf(store, parent.group.id) + heightOf(store, group.id) > MAX_DEPTH) {
      throw refused('Validation failed: Parent has too deep level of nesting');
    }
    const limit = parent?.group.visibility;
    const isTooOpen = limit !== undefined && isMoreVisible(group.visibility, limit);
    if (isTooOpen) {
      writeVisibilityBelow(store, group.id, visibilitiesBeyond(limit), limit);
      limitProjectVisibility(core, group.id, limit);
    }
    const visibility = isTooOpen ? limit : group.visibility;
    writeParent(store, group.id, { parentId: parent?.group.id ?? null, fullPath, visibility });
    const attributes = [
      { attribute: 'path', from: group.full_path, to: fullPath },
      ...(isTooOpen ? [{ attribute: 'visibility', from: group.visibility, to: visibility }] : []),
    ];
    core.changes.publish({ kind: 'groupChanged', groupId: group.id, attributes });
    if (parent !== undefined) releaseEnterpriseUsers(core, group.id);
    moveSubgroups(store, group.id, group.full_path, fullPath);
    moveProjectsWithGroup(core, group.id);
    // A group whose owners were all owners of a former ancestor must not end up without one.
    if (parent === undefined && countOwners(store, containerOf(group)) === 0) makeOwner(core, containerOf(group), caller.user.id);
  });
}
