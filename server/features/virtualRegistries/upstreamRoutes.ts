import { listOf } from '../../http/responses.ts';
import { demandOneOf } from '../../http/combinations.ts';
import { invalidParameters } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { filled, integer, type ParametersOf, required, string } from '../../http/params.ts';
import { RawResponse, type Route, userRoute, type RequestOf } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { linkRoutes } from './linkRoutes.ts';
import { cacheEntryRoutes } from './cacheEntryRoutes.ts';
import { upstreamResponse, upstreamInRegistry } from './responses.ts';
import { presentPosition, presentUpstream } from './present.ts';
import { API, virtual, mustFindRegistry, mustFindUpstream } from './route.ts';
import { countLinks, deleteEntries, deleteUpstreamRow, linksOfUpstream, upstreamsOf } from './store.ts';
import { createUpstream, updateUpstream, type Upstream, type UpstreamInput } from './manageUpstreams.ts';

const values = () => ({
  username: string(),
  password: string(),
  name: string(),
  description: string(),
  cache_validity_hours: integer(),
  metadata_cache_validity_hours: integer(),
});

const changeable = [
  'url',
  'name',
  'description',
  'username',
  'password',
  'cache_validity_hours',
  'metadata_cache_validity_hours',
];

/** Returns the input of a request; the password is not stored. Throws 400 if only one of username and password is sent. */
function readInput(params: ParametersOf<typeof values>): UpstreamInput {
  if ((params.username === undefined) !== (params.password === undefined)) {
    throw invalidParameters(['username, password provide all or none of parameters']);
  }
  return {
    name: params.name,
    description: params.description,
    username: params.username,
    cacheValidityHours: params.cache_validity_hours,
    metadataCacheValidityHours: params.metadata_cache_validity_hours,
  };
}

const byId = () => ({ id: required(integer) });

const listOfRegistryParameters = () => ({ ...byId(), ...pageParameters() });

const createParameters = () => ({ ...byId(), url: filled(), ...values() });

const updateParameters = () => ({ ...byId(), url: string(), ...values() });

/** Returns the routes of upstreams of registries. */
export function upstreamRoutes(): Route[] {
  return [
    userRoute(
      {
        method: 'GET',
        path: `${API}/registries/:id/upstreams`,
        key: 'id',
        status: 'inferred',
        body: listOf(upstreamInRegistry),
        ...virtual,
        params: listOfRegistryParameters,
      },
      listOfRegistry,
      'group:guest',
    ),
    userRoute(
      {
        method: 'POST',
        path: `${API}/registries/:id/upstreams`,
        key: 'id',
        status: 'inferred',
        body: upstreamInRegistry,
        ...virtual,
        params: createParameters,
      },
      create,
      'group:maintainer',
    ),
    userRoute(
      {
        method: 'GET',
        path: `${API}/upstreams/:id`,
        key: 'id',
        status: 'stated',
        body: upstreamResponse,
        ...virtual,
        params: byId,
      },
      show,
      'group:guest',
    ),
    userRoute(
      {
        method: 'PATCH',
        path: `${API}/upstreams/:id`,
        key: 'id',
        status: 'inferred',
        body: upstreamResponse,
        ...virtual,
        params: updateParameters,
      },
      update,
      'group:maintainer',
    ),
    userRoute(
      { method: 'DELETE', path: `${API}/upstreams/:id`, key: 'id', status: 'stated', ...virtual, params: byId },
      remove,
      'group:maintainer',
    ),
    userRoute(
      { method: 'DELETE', path: `${API}/upstreams/:id/cache`, key: 'id', status: 'inferred', ...virtual, params: byId },
      removeCache,
      'group:maintainer',
    ),
    ...linkRoutes(),
    ...cacheEntryRoutes(),
  ];
}

function listOfRegistry(request: RequestOf<typeof listOfRegistryParameters>) {
  const { core } = request.context;
  const { id } = mustFindRegistry(core, request.params.id, request.caller, 'guest');
  const pages = {
    count: () => countLinks(core.store, id),
    rows: (limit: number, offset: number) => upstreamsOf(core.store, id).slice(offset, offset + limit),
  };
  return new RawResponse(
    offsetResponse(request, request.params, pages, (row) => ({
      ...presentUpstream(row),
      registry_upstream: presentPosition({ id: row.link_id, registry_id: id, position: row.position }),
    })),
  );
}

function create(request: RequestOf<typeof createParameters>) {
  const { params, caller, context } = request;
  const { core } = context;
  const input = readInput(params);
  const registry = mustFindRegistry(core, params.id, caller, 'maintainer');
  const { upstream, link } = createUpstream(core, registry, { ...input, url: params.url });
  return { ...presentUpstream(upstream), registry_upstream: presentPosition(link) };
}

function show({ params, caller, context }: RequestOf<typeof byId>) {
  const { core } = context;
  return presentWhole(core, mustFindUpstream(core, params.id, caller, 'guest'));
}

function update(request: RequestOf<typeof updateParameters>) {
  const { params, caller, context } = request;
  const { core } = context;
  demandOneOf(request, changeable);
  const input = { ...readInput(params), url: params.url };
  return presentWhole(core, updateUpstream(core, mustFindUpstream(core, params.id, caller, 'maintainer'), input));
}

function remove({ params, caller, context }: RequestOf<typeof byId>) {
  const { core } = context;
  const { id } = mustFindUpstream(core, params.id, caller, 'maintainer');
  core.store.transaction(() => deleteUpstreamRow(core.store, id));
}

function removeCache({ params, caller, context }: RequestOf<typeof byId>) {
  const { core } = context;
  return deleteEntries(core.store, mustFindUpstream(core, params.id, caller, 'maintainer').id);
}

function presentWhole(core: Core, upstream: Upstream): unknown {
  return {
    ...presentUpstream(upstream),
    registry_upstreams: linksOfUpstream(core.store, upstream.id).map(presentPosition),
  };
}
