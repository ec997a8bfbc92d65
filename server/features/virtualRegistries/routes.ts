import { groupRoute, type FoundGroup } from '../groups/groups.ts';
import { listOf } from '../../http/responses.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { filled, integer, required, string } from '../../http/params.ts';
import { RawResponse, type Route, userRoute, type RequestOf } from '../../http/route.ts';
import { registryResponse, upstreamBasic } from './responses.ts';
import { presentRegistry, presentUpstream } from './present.ts';
import { API, virtual, mustFindRegistry } from './route.ts';
import {
  countRegistries,
  countUpstreams,
  deleteRegistryCache,
  deleteRegistryRow,
  listRegistries,
  listUpstreams,
} from './store.ts';
import { upstreamRoutes } from './upstreamRoutes.ts';
import { createRegistry, updateRegistry } from './manageUpstreams.ts';

const OF_GROUP = '/api/v4/groups/:id/-/virtual_registries/packages/maven';

const byId = () => ({ id: required(integer) });

const listParameters = () => ({ id: required(string), ...pageParameters() });

const createParameters = () => ({ id: required(string), name: filled(), description: string() });

const listUpstreamsOfParameters = () => ({ id: required(string), upstream_name: string(), ...pageParameters() });

const updateParameters = () => ({ ...byId(), name: filled(), description: string() });

/**
 * The Maven virtual registry API: registries of top-level groups, their upstreams and cache entries. Members of the group can
 * read, maintainers can change. Nothing can be downloaded, so nothing is ever fetched.
 */
export function virtualRegistryRoutes(): Route[] {
  return [
    groupRoute(
      {
        method: 'GET',
        path: `${OF_GROUP}/registries`,
        key: 'id',
        status: 'stated',
        body: listOf(registryResponse),
        ...virtual,
        params: listParameters,
      },
      'guest',
      list,
    ),
    groupRoute(
      {
        method: 'POST',
        path: `${OF_GROUP}/registries`,
        key: 'id',
        status: 'inferred',
        body: registryResponse,
        ...virtual,
        params: createParameters,
      },
      'maintainer',
      create,
    ),
    groupRoute(
      {
        method: 'GET',
        path: `${OF_GROUP}/upstreams`,
        key: 'id',
        status: 'inferred',
        body: listOf(upstreamBasic),
        ...virtual,
        params: listUpstreamsOfParameters,
      },
      'guest',
      listUpstreamsOf,
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
      show,
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
        params: updateParameters,
      },
      update,
      'group:maintainer',
    ),
    userRoute(
      { method: 'DELETE', path: `${API}/registries/:id`, key: 'id', status: 'stated', ...virtual, params: byId },
      remove,
      'group:maintainer',
    ),
    userRoute(
      { method: 'DELETE', path: `${API}/registries/:id/cache`, key: 'id', status: 'inferred', ...virtual, params: byId },
      removeCache,
      'group:maintainer',
    ),
    ...upstreamRoutes(),
  ];
}

function list(request: RequestOf<typeof listParameters> & FoundGroup) {
  const { group, params, context } = request;
  const { core } = context;
  const pages = {
    count: (cap: number) => countRegistries(core.store, group.id, cap),
    rows: (limit: number, offset: number) => listRegistries(core.store, group.id, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, pages, presentRegistry));
}

function create(request: RequestOf<typeof createParameters> & FoundGroup) {
  return presentRegistry(createRegistry(request.context.core, request, request.params));
}

function listUpstreamsOf(request: RequestOf<typeof listUpstreamsOfParameters> & FoundGroup) {
  const { group, params, context } = request;
  const { core } = context;
  const pages = {
    count: (cap: number) => countUpstreams(core.store, group.id, params.upstream_name, cap),
    rows: (limit: number, offset: number) => listUpstreams(core.store, group.id, params.upstream_name, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, pages, presentUpstream));
}

function show({ params, caller, context }: RequestOf<typeof byId>) {
  return presentRegistry(mustFindRegistry(context.core, params.id, caller, 'guest'));
}

function update({ params, caller, context }: RequestOf<typeof updateParameters>) {
  const { core } = context;
  return presentRegistry(updateRegistry(core, mustFindRegistry(core, params.id, caller, 'maintainer'), params));
}

function remove({ params, caller, context }: RequestOf<typeof byId>) {
  const { core } = context;
  const { id } = mustFindRegistry(core, params.id, caller, 'maintainer');
  core.store.transaction(() => deleteRegistryRow(core.store, id));
}

function removeCache({ params, caller, context }: RequestOf<typeof byId>) {
  const { core } = context;
  return deleteRegistryCache(core.store, mustFindRegistry(core, params.id, caller, 'maintainer').id);
}
