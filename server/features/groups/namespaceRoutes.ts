import { listOf } from '../../http/responses.ts';
import { notFound } from '../../core/errors.ts';
import { movedResponse } from '../../http/moved.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { boolean, fallback, required, string } from '../../http/params.ts';
import { RawResponse, type Route, userRoute } from '../../http/route.ts';
import { type Caller, isAdministrator } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { accessLevels } from '../projects/projects.ts';
import { findMovedNamespace, findNamespace, isNamespaceSeen } from './access.ts';
import { namespaceResponse } from './responses.ts';
import { presentNamespaceFor } from './namespaces.ts';
import { countNamespaces, listNamespaces, type NamespaceFilter, type NamespaceRow } from './store.ts';

/** Returns the routes of namespaces: groups and the personal namespaces of users. */
export function namespaceRoutes(core: Core): Route[] {
  const { store } = core;
  const metadata = { method: 'GET', specRef: 'Groups and namespaces', status: 'inferred', key: 'id' } as const;

  const present = (namespace: NamespaceRow, caller: Caller, baseUrl: string): unknown =>
    presentNamespaceFor(core, namespace, caller, baseUrl);

  return [
    userRoute(
      {
        ...metadata,
        path: '/api/v4/namespaces',
        body: listOf(namespaceResponse),
        params: () => ({
          search: string(),
          owned_only: fallback(false, boolean),
          top_level_only: fallback(false, boolean),
          ...pageParameters(),
        }),
      },
      (request) => {
        const { params, caller } = request;
        const level = params.owned_only ? accessLevels.owner : accessLevels.guest;
        const own = `(g.owner_id = $viewer OR g.id IN (
          SELECT a.namespace_id FROM group_members m JOIN namespace_ancestors a ON a.ancestor_id = m.group_id
          WHERE m.user_id = $viewer AND m.access_level >= ${level}))`;
        const filter: NamespaceFilter = {
          viewer: caller.user.id,
          where: [
            ...(isAdministrator(caller) && !params.owned_only ? [] : [own]),
            ...(params.top_level_only ? ['g.parent_id IS NULL'] : []),
          ],
          search: params.search,
        };
        const pages = {
          count: (cap: number) => countNamespaces(store, filter, cap),
          rows: (limit: number, offset: number) => listNamespaces(store, filter, { order: 'id', sort: 'asc', limit, offset }),
        };
        return new RawResponse(offsetResponse(request, params, pages, (row) => present(row, caller, request.baseUrl)));
      },
    ),
    userRoute(
      { ...metadata, path: '/api/v4/namespaces/:id', body: namespaceResponse, params: () => ({ id: required(string) }) },
      ({ params, caller, baseUrl, context }) => {
        const namespace = findNamespace(core, params.id, caller);
        if (namespace !== undefined && isNamespaceSeen(namespace, caller)) return present(namespace, caller, baseUrl);
        const moved = namespace === undefined ? findMovedNamespace(core, params.id, caller) : undefined;
        if (moved === undefined || !isNamespaceSeen(moved, caller)) throw notFound('Namespace');
        return movedResponse(context, 4, { kind: 'namespace', id: moved.id, fullPath: moved.full_path });
      },
    ),
  ];
}
