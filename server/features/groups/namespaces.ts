import { type Caller, isAdministrator } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { accessLevels, holdsRole } from '../abilities/abilities.ts';
import { groupSeenBy } from './access.ts';
import { countNamespaces, listNamespaces, type NamespaceFilter, type NamespaceRow, ownNamespacesSql } from './store.ts';

/** Returns the role of the caller in a namespace. Administrators are owners of all. */
export function accessOfNamespace(namespace: NamespaceRow, caller: Caller): { readonly isOwner: boolean } {
  const found = groupSeenBy(namespace, caller);
  const isOwner =
    found === undefined
      ? namespace.owner_id === caller.user.id || (namespace.kind === 'user' && isAdministrator(caller))
      : holdsRole(found.access, 'owner');
  return { isOwner };
}

/** Returns the groups and personal namespaces that a caller owns or is a member of, by ID; for administrators all of them. */
export function namespacesOf(
  { store }: Core,
  caller: Caller,
  { owned, topLevel, search }: { readonly owned: boolean; readonly topLevel: boolean; readonly search: string | undefined },
) {
  const own = ownNamespacesSql(owned ? accessLevels.owner : accessLevels.guest);
  const filter: NamespaceFilter = {
    viewer: caller.user.id,
    where: [...(isAdministrator(caller) && !owned ? [] : [own]), ...(topLevel ? ['g.parent_id IS NULL'] : [])],
    search,
  };
  return {
    count: (cap: number) => countNamespaces(store, filter, cap),
    rows: (limit: number, offset: number) => listNamespaces(store, filter, { order: 'id', sort: 'asc', limit, offset }),
  };
}
