import { type Caller, isAdministrator } from '../../core/caller.ts';
import { isoDate } from '../../core/clock.ts';
import type { Core } from '../../core/core.ts';
import type { ResponseOf } from '../../http/responses.ts';
import { billingMembers } from '../billing/billing.ts';
import { accessOfNamespace, countMembersBelow, type NamespaceRow } from '../groups/groups.ts';
import type { namespaceResponse } from './responses.ts';

/** Presents a namespace. Member counts are for owners of the group only, subscriptions for owners, and limits for administrators. */
export function presentNamespace(
  core: Core,
  namespace: NamespaceRow,
  caller: Caller,
  baseUrl: string,
): ResponseOf<typeof namespaceResponse> {
  const { isOwner } = accessOfNamespace(namespace, caller);
  const isGroup = namespace.kind === 'group';
  const viewer = { isOwner, isAdministrator: isAdministrator(caller), today: isoDate(core.clock.now()) };
  return {
    id: namespace.id,
    name: namespace.name,
    path: namespace.path,
    kind: namespace.kind,
    full_path: namespace.full_path,
    parent_id: namespace.parent_id,
    avatar_url: null,
    web_url: `${baseUrl}/${isGroup ? 'groups/' : ''}${namespace.full_path}`,
    ...(isGroup && isOwner ? { members_count_with_descendants: countMembersBelow(core.store, namespace.id) } : {}),
    ...billingMembers(core, namespace.id, viewer),
  };
}
