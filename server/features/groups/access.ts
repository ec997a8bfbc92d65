import { type Caller, isAdministrator } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { notFound } from '../../core/errors.ts';
import { type Access, isOpenTo } from '../abilities/abilities.ts';
import { accessOf, viewerId } from '../projectAccess/projectAccess.ts';
import { namespaceByFormerPath, namespaceById, namespaceByPath, type NamespaceRow } from './store.ts';

export type Group = NamespaceRow;

/** A group with the access of the caller. */
export interface FoundGroup {
  readonly group: Group;
  readonly access: Access;
}

/** Returns a stored namespace as a group with the access of the caller; undefined if it is not a group or not visible. */
export function groupSeenBy(row: NamespaceRow | undefined, caller: Pick<Caller, 'user'> | undefined): FoundGroup | undefined {
  if (row?.kind !== 'group') return undefined;
  const access = { ...accessOf(caller), level: row.level };
  const isVisible = access.isAdministrator || row.is_related === 1 || isOpenTo(row, access);
  return isVisible ? { group: row, access } : undefined;
}

/** Returns true if the caller can see a namespace. User namespaces are visible to their owner and administrators only. */
export function isNamespaceSeen(namespace: NamespaceRow, caller: Caller | undefined): boolean {
  if (namespace.kind === 'group') return groupSeenBy(namespace, caller) !== undefined;
  return caller !== undefined && (namespace.owner_id === caller.user.id || isAdministrator(caller));
}

/** Finds a namespace by ID or, if the text is not a number, by full path. */
export function findNamespace(
  core: Core,
  idOrPath: number | string,
  caller: Pick<Caller, 'user'> | undefined,
): NamespaceRow | undefined {
  const viewer = viewerId(caller);
  const id = typeof idOrPath === 'number' ? idOrPath : /^-?\d+$/.test(idOrPath) ? Number(idOrPath) : undefined;
  return id === undefined ? namespaceByPath(core.store, String(idOrPath), viewer) : namespaceById(core.store, id, viewer);
}

/** @throws {NotFound} If there is no such namespace, or the caller cannot see it. `noun` is its name in the response. */
export function mustFindNamespace(core: Core, idOrPath: string, caller: Caller, noun = 'Namespace'): NamespaceRow {
  const namespace = findNamespace(core, idOrPath, caller);
  if (namespace === undefined || !isNamespaceSeen(namespace, caller)) throw notFound(noun);
  return namespace;
}

/** Finds a namespace by a former full path, before it or one of its ancestors was moved. */
export function findMovedNamespace(
  core: Core,
  formerPath: string,
  caller: Pick<Caller, 'user'> | undefined,
): NamespaceRow | undefined {
  return /^-?\d+$/.test(formerPath) ? undefined : namespaceByFormerPath(core.store, formerPath, viewerId(caller));
}

/** Finds a group that is visible to the caller by a former full path. */
export function findMovedGroup(core: Core, formerPath: string, caller: Pick<Caller, 'user'> | undefined): FoundGroup | undefined {
  return groupSeenBy(findMovedNamespace(core, formerPath, caller), caller);
}

/** Finds a group by ID or full path. Groups that are not visible to the caller are treated as missing. */
export function findGroup(
  core: Core,
  idOrPath: number | string,
  caller: Pick<Caller, 'user'> | undefined,
): FoundGroup | undefined {
  return groupSeenBy(findNamespace(core, idOrPath, caller), caller);
}
