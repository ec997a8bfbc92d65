import { isoDate } from '../../core/clock.ts';
import { billingMembers } from '../billing/billing.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { type Caller, isAdministrator } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { holdsRole } from '../projects/projects.ts';
import { groupSeenBy } from './access.ts';
import { presentNamespace } from './present.ts';
import type { namespaceResponse } from './responses.ts';
import { countMembersBelow, type NamespaceRow } from './store.ts';

/** Returns the role of the caller in a namespace. Administrators are owners of all. */
export function accessOfNamespace(namespace: NamespaceRow, caller: Caller): { readonly isOwner: boolean } {
  const found = groupSeenBy(namespace, caller);
  const isOwner =
    found === undefined
      ? namespace.owner_id === caller.user.id || (namespace.kind === 'user' && isAdministrator(caller))
      : holdsRole(found.access, 'owner');
  return { isOwner };
}

/** Presents a namespace. Member counts are for owners of the group only, subscriptions for owners, and limits for administrators. */
export function presentNamespaceFor(
  core: Core,
  namespace: NamespaceRow,
  caller: Caller,
  baseUrl: string,
): ResponseOf<typeof namespaceResponse> {
  const { isOwner } = accessOfNamespace(namespace, caller);
  const members = namespace.kind === 'group' && isOwner ? countMembersBelow(core.store, namespace.id) : undefined;
  const viewer = { isOwner, isAdministrator: isAdministrator(caller), today: isoDate(core.clock.now()) };
  return { ...presentNamespace(namespace, baseUrl, members), ...billingMembers(core, namespace.id, viewer) };
}
