import type { GitCore } from '../../repositories/repositories.ts';
import { changedAttributes } from '../../core/changes.ts';
import { pickStorage } from '../../repositories/storages.ts';
import { type Refused, forbidden, invalidRecord, refusedChange } from '../../core/errors.ts';
import type { Caller, User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { accessLevels, holdsRole, visibilitiesBeyond, type Visibility } from '../abilities/abilities.ts';
import { accessOf, viewerId } from '../projectAccess/projectAccess.ts';
import { countOwners, makeOwner } from '../members/members.ts';
import { deleteProjectsWithGroup, hasProjectBeyond, moveProjectsWithGroup } from '../projects/projects.ts';
import { findGroup, type FoundGroup, type Group } from './access.ts';
import { containerOf } from './members.ts';
import { type ValidationErrors, MAX_DEPTH, failedToSave, nameErrors, pathErrors, visibilityErrors } from './rules.ts';
import {
  depthOf,
  groupsOwnedBy,
  type GroupValues,
  hasSubgroupOf,
  insertGroup,
  listNamespaces,
  membershipsOfUser,
  moveSubgroups,
  type NamespaceRow,
  type ProjectCreation,
  removeGroupRows,
  type SubgroupCreation,
  takenFields,
  visibleGroupsSql,
  writeGroup,
} from './store.ts';

export interface NewGroup {
  readonly name: string;
  readonly path: string;
  readonly parent?: FoundGroup | undefined;
  readonly description?: string | undefined;
  readonly visibility?: Visibility | undefined;
  readonly projectCreation?: ProjectCreation | undefined;
  readonly subgroupCreation?: SubgroupCreation | undefined;
  /** For top-level groups only. */
  readonly refusesPasswords?: boolean | undefined;
}

export interface GroupInput extends Omit<NewGroup, 'parent' | 'name' | 'path'> {
  readonly name?: string | undefined;
  readonly path?: string | undefined;
}

/**
 * Creates a group and makes its creator the owner.
 *
 * @throws {Forbidden} for external users and for users without the required role in the parent group.
 * @throws {Refused} for validation errors, in GitLab's format.
 */
export function createGroup(core: GitCore, creator: User, input: NewGroup): FoundGroup {
  const { store } = core;
  const { parent } = input;
  if (parent === undefined && creator.external === 1) {
    throw forbidden(undefined, 'external users cannot create groups', 'group.create');
  }
  if (parent !== undefined && !holdsRole(parent.access, parent.group.subgroup_creation_level)) {
    const role = parent.group.subgroup_creation_level;
    throw forbidden(undefined, `requires at least the ${role} role in the parent group`, `role.group.${role}`);
  }
  return store.transaction(() => {
    const values: GroupValues = {
      name: input.name,
      path: input.path,
      full_path: fullPath(parent?.group.full_path, input.path),
      visibility: input.visibility ?? 'private',
      description: input.description ?? '',
      project_creation_level: input.projectCreation ?? 'developer',
      subgroup_creation_level: input.subgroupCreation ?? 'maintainer',
      disable_password_authentication: input.refusesPasswords === true ? 1 : 0,
    };
    const parentId = parent?.group.id ?? null;
    const validationErrors = errorsOf(core, values, {
      id: 0,
      parent_id: parentId,
      parent_visibility: parent?.group.visibility ?? null,
    });
    if (Object.keys(validationErrors).length > 0) throw creationFailure(validationErrors);
    const id = insertGroup(store, { ...values, storage: pickStorage(core) }, parentId, core.clock.now());
    makeOwner(core, containerOf({ id }), creator.id);
    core.changes.publish({ kind: 'groupCreated', groupId: id, authorId: creator.id });
    const found = findGroup(core, id, { user: creator });
    if (found === undefined) throw new Error(`group ${id} is not visible to its creator`);
    return found;
  });
}

/** Returns the groups that a caller can see, or is a member of, by name. */
export function listSeenGroups(
  core: Core,
  caller: Caller | undefined,
  { isMember, limit, offset }: { readonly isMember: boolean; readonly limit: number; readonly offset: number },
): NamespaceRow[] {
  const filter = {
    viewer: viewerId(caller),
    where: ["g.kind = 'group'", visibleGroupsSql(accessOf(caller))],
    ...(isMember ? { minLevel: accessLevels.guest } : {}),
  };
  return listNamespaces(core.store, filter, { order: 'name', sort: 'asc', limit, offset });
}

/** Returns all groups a user is a member of, directly or through an ancestor. */
export function groupMembershipsOf(
  core: Core,
  user: User,
): readonly { readonly fullPath: string; readonly level: number; readonly isDirect: boolean }[] {
  return membershipsOfUser(core.store, user.id).map(({ full_path, level, is_direct }) => ({
    fullPath: full_path,
    level,
    isDirect: is_direct === 1,
  }));
}

/**
 * Changes the given attributes of a group. A new path moves everything in the group; the former paths of groups and projects redirect.
 *
 * @throws {Invalid} for validation errors.
 */
export function updateGroup(core: Core, { group }: FoundGroup, input: GroupInput): void {
  const { store } = core;
  const path = input.path ?? group.path;
  const parent = group.full_path.includes('/') ? group.full_path.slice(0, group.full_path.lastIndexOf('/')) : undefined;
  const values: GroupValues = {
    name: input.name ?? group.name,
    path,
    full_path: fullPath(parent, path),
    visibility: input.visibility ?? group.visibility,
    description: input.description ?? group.description,
    project_creation_level: input.projectCreation ?? group.project_creation_level,
    subgroup_creation_level: input.subgroupCreation ?? group.subgroup_creation_level,
    disable_password_authentication:
      input.refusesPasswords === undefined ? group.disable_password_authentication : input.refusesPasswords ? 1 : 0,
  };
  store.transaction(() => {
    const validationErrors = errorsOf(core, values, group);
    if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
    writeGroup(store, group.id, values);
    const attributes = changedAttributes(reportedAttributes, group, values);
    if (attributes.length > 0) core.changes.publish({ kind: 'groupChanged', groupId: group.id, attributes });
    if (values.full_path === group.full_path) return;
    moveSubgroups(store, group.id, group.full_path, values.full_path);
    moveProjectsWithGroup(core, group.id);
  });
}

const reportedAttributes = {
  name: 'name',
  full_path: 'path',
  visibility: 'visibility',
  description: 'description',
  project_creation_level: 'project_creation_level',
} as const;

/** Deletes a group with all its subgroups and projects. */
export function deleteGroup(core: Core, group: Pick<Group, 'id'>): void {
  core.store.transaction(() => {
    deleteProjectsWithGroup(core, group.id);
    for (const removed of removeGroupRows(core.store, group.id)) {
      core.changes.publish({ kind: 'groupRemoved', group: removed });
    }
  });
}

/** Returns the groups whose only owner is a user, the outermost first. Owners of ancestor groups count as owners. */
export function soloOwnedGroups(core: Core, userId: number): readonly { readonly id: number }[] {
  return groupsOwnedBy(core.store, userId)
    .map((id) => ({ id }))
    .filter((group) => countOwners(core.store, containerOf(group)) === 1);
}

function fullPath(parent: string | undefined, path: string): string {
  return parent === undefined ? path : `${parent}/${path}`;
}

function creationFailure(validationErrors: ValidationErrors): Refused {
  const text = failedToSave(validationErrors);
  return refusedChange(text, text, 'record.valid');
}

function errorsOf(
  core: Core,
  values: GroupValues,
  location: Pick<Group, 'id' | 'parent_id' | 'parent_visibility'>,
): ValidationErrors {
  const { store } = core;
  const validationErrors: Record<string, readonly string[]> = {};
  const add = (field: string, texts: readonly string[]): void => {
    if (texts.length > 0) validationErrors[field] = [...(validationErrors[field] ?? []), ...texts];
  };
  add('name', nameErrors(values.name));
  add('path', pathErrors(values.path, location.parent_id === null));
  const input = { name: values.name, fullPath: values.full_path, parentId: location.parent_id };
  for (const field of takenFields(store, input, location.id)) add(field, ['has already been taken']);
  const beyond = visibilitiesBeyond(values.visibility);
  add(
    'visibility_level',
    visibilityErrors(values.visibility, {
      parent: location.parent_visibility,
      hasProjectBeyond: location.id !== 0 && hasProjectBeyond(core, location.id, values.visibility),
      hasSubgroupBeyond: location.id !== 0 && hasSubgroupOf(store, location.id, beyond),
    }),
  );
  if (location.parent_id !== null && values.disable_password_authentication === 1) {
    add('disable_password_authentication_for_enterprise_users', ['can only be set on a top-level group']);
  }
  if (location.parent_id !== null && location.id === 0 && depthOf(store, location.parent_id) >= MAX_DEPTH) {
    add('parent_id', ['has too deep level of nesting']);
  }
  return validationErrors;
}
