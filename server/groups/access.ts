import { type Caller, isAdministrator } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { isOpenTo, type Access, accessOf, viewerId } from '../projects/projects.ts';
import { namespaceByFormerPath, namespaceById, namespaceByPath, type NamespaceRow } from './store.ts';

export type Group = NamespaceRow;

/** A group as one person finds it. */
export interface FoundGroup {
  readonly group: Group;
  readonly access: Access;
}

/** A group of the store as a person sees it, or undefined when they do not: it is no group, or nothing lets them in. */
export function groupSeenBy(row: NamespaceRow | undefined, caller: Pick<Caller, 'user'> | undefined): FoundGroup | undefined {
  if (row?.kind !== 'group') return undefined;
  const access = { ...accessOf(caller), level: row.level };
  const isSeen = access.isAdministrator || row.is_related === 1 || isOpenTo(row, access);
  return isSeen ? { group: row, access } : undefined;
}

/** People's namespaces are shown to themselves and to administrators, groups to whoever sees them. */
export function isNamespaceSeen(namespace: NamespaceRow, caller: Caller): boolean {
  if (namespace.kind === 'group') return groupSeenBy(namespace, caller) !== undefined;
  return namespace.owner_id === caller.user.id || isAdministrator(caller);
}

/** A namespace by number, when the text is one, or by full path. */
export function findNamespace(
  platform: Platform,
  idOrPath: number | string,
  caller: Pick<Caller, 'user'> | undefined,
): NamespaceRow | undefined {
  const viewer = viewerId(caller);
  const id = typeof idOrPath === 'number' ? idOrPath : /^-?\d+$/.test(idOrPath) ? Number(idOrPath) : undefined;
  return id === undefined ? namespaceByPath(platform.store, String(idOrPath), viewer) : namespaceById(platform.store, id, viewer);
}

/** The namespace that had this full path before it, or a group around it, was given another one. */
export function findMovedNamespace(
  platform: Platform,
  formerPath: string,
  caller: Pick<Caller, 'user'> | undefined,
): NamespaceRow | undefined {
  return /^-?\d+$/.test(formerPath) ? undefined : namespaceByFormerPath(platform.store, formerPath, viewerId(caller));
}

/** The group that had this full path, when the person sees it. */
export function findMovedGroup(
  platform: Platform,
  formerPath: string,
  caller: Pick<Caller, 'user'> | undefined,
): FoundGroup | undefined {
  return groupSeenBy(findMovedNamespace(platform, formerPath, caller), caller);
}

/** A group by number or full path. One that the person may not see looks like one that is not there. */
export function findGroup(
  platform: Platform,
  idOrPath: number | string,
  caller: Pick<Caller, 'user'> | undefined,
): FoundGroup | undefined {
  return groupSeenBy(findNamespace(platform, idOrPath, caller), caller);
}
