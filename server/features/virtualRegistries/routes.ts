import { groupRoute } from '../groups/groups.ts';
import { listOf } from '../../http/responses.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { filled, integer, required, string } from '../../http/params.ts';
import { RawResponse, type Route, userRoute } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectRole } from '../projects/projects.ts';
import { registryResponse, upstreamBasic } from './responses.ts';
import { presentRegistry, presentUpstream } from './present.ts';
import { API, ofGroup, virtual } from './route.ts';
import {
  countRegistries,
  countUpstreams,
  deleteRegistryCache,
  deleteRegistryRow,
  listRegistries,
  listUpstreams,
} from './store.ts';
import { upstreamRoutes } from './upstreamRoutes.ts';
import { createRegistry, findRegistry, updateRegistry, type VirtualRegistry } from './manageUpstreams.ts';

const OF_GROUP = '/api/v4/groups/:id/-/virtual_registries/packages/maven';

/**
 * The Maven virtual registry API: registries of top-level groups, their upstreams and cache entries. Members of the group can
 * read, maintainers can change. Nothing can be downloaded, so nothing is ever fetched.
 */
export function virtualRegistryRoutes(core: Core): Route[] {
  const { store } = core;
  const byId = () => ({ id: required(integer) });

  const mustFind = (id: number, caller: Caller, role: ProjectRole): VirtualRegistry =>
    ofGroup(core, findRegistry(core, id), caller, role);

  return [
    groupRoute(
      {
        method: 'GET',
        path: `${OF_GROUP}/registries`,
        key: 'id',
        status: 'stated',
        body: listOf(registryResponse),
        ...virtual,
        params: () => ({ id: required(string), ...pageParameters() }),
      },
      'guest',
      (request) => {
        const { group, params } = request;
        const list = {
          count: (cap: number) => countRegistries(store, group.id, cap),
          rows: (limit: number, offset: number) => listRegistries(store, group.id, limit, offset),
        };
        return new RawResponse(offsetResponse(request, params, list, presentRegistry));
      },
    ),
    groupRoute(
      {
        method: 'POST',
        path: `${OF_GROUP}/registries`,
        key: 'id',
        status: 'inferred',
        body: registryResponse,
        ...virtual,
        params: () => ({ id: required(string), name: filled(), description: string() }),
      },
      'maintainer',
      (request) => presentRegistry(createRegistry(core, request, request.params)),
    ),
    groupRoute(
      {
        method: 'GET',
        path: `${OF_GROUP}/upstreams`,
        key: 'id',
        status: 'inferred',
        body: listOf(upstreamBasic),
        ...virtual,
        params: () => ({ id: required(string), upstream_name: string(), ...pageParameters() }),
      },
      'guest',
      (request) => {
        const { group, params } = request;
        const list = {
          count: (cap: number) => countUpstreams(store, group.id, params.upstream_name, cap),
          rows: (limit: number, offset: number) => listUpstreams(store, group.id, params.upstream_name, limit, offset),
        };
        return new RawResponse(offsetResponse(request, params, list, presentUpstream));
      },
    ),
    userRoute(
      {
        method: 'GET',
        path: `${API}/registries/:id`,
        key: 'id',
        status: 'stated',
        body: registryResponse,
        ...virtual,
        params: byId,
      },
      ({ params, caller }) => presentRegistry(mustFind(params.id, caller, 'guest')),
      'group:guest',
    ),
    userRoute(
      {
        method: 'PATCH',
        path: `${API}/registries/:id`,
        key: 'id',
        status: 'inferred',
        body: registryResponse,
        ...virtual,
        params: () => ({ ...byId(), name: filled(), description: string() }),
      },
      ({ params, caller }) => presentRegistry(updateRegistry(core, mustFind(params.id, caller, 'maintainer'), params)),
      'group:maintainer',
    ),
    userRoute(
      { method: 'DELETE', path: `${API}/registries/:id`, key: 'id', status: 'stated', ...virtual, params: byId },
      ({ params, caller }) => {
        const { id } = mustFind(params.id, caller, 'maintainer');
        store.transaction(() => deleteRegistryRow(store, id));
      },
      'group:maintainer',
    ),
    userRoute(
      { method: 'DELETE', path: `${API}/registries/:id/cache`, key: 'id', status: 'inferred', ...virtual, params: byId },
      ({ params, caller }) => deleteRegistryCache(store, mustFind(params.id, caller, 'maintainer').id),
      'group:maintainer',
    ),
    ...upstreamRoutes(core, mustFind),
  ];
}
