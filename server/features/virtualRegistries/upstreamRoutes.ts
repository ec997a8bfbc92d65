import { listOf } from '../../http/responses.ts';
import { demandOneOf } from '../../http/combinations.ts';
import { recordNotFound } from '../../core/errors.ts';
import { invalidParameters } from '../../http/failures.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { filled, integer, opaque, required, string } from '../../http/params.ts';
import { RawResponse, type Route, userRoute } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { ProjectRole } from '../projects/projects.ts';
import { entryResponse, linkResponse, upstreamResponse, upstreamInRegistry } from './responses.ts';
import { presentEntry, presentPosition, presentUpstream, readEntryId } from './present.ts';
import { API, ofGroup, virtual } from './route.ts';
import {
  countEntries,
  countLinks,
  deleteEntries,
  deleteEntry,
  deleteUpstreamRow,
  entryByPath,
  linkById,
  type LinkRow,
  linksOfUpstream,
  listEntries,
  upstreamsOf,
} from './store.ts';
import {
  addCacheEntry,
  createUpstream,
  findUpstream,
  linkUpstream,
  moveUpstream,
  unlinkUpstream,
  updateUpstream,
  type Upstream,
  type UpstreamInput,
  type VirtualRegistry,
} from './manageUpstreams.ts';

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

type Values = { readonly [Name in 'username' | 'password' | 'name' | 'description']: string | undefined } & {
  readonly [Name in 'cache_validity_hours' | 'metadata_cache_validity_hours']: number | undefined;
};

/** Returns the input of a request; the password is not stored. Throws 400 if only one of username and password is sent. */
function readInput(params: Values): UpstreamInput {
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

export function upstreamRoutes(
  core: Core,
  findRegistry: (id: number, caller: Caller, role: ProjectRole) => VirtualRegistry,
): Route[] {
  const { store } = core;
  const byId = () => ({ id: required(integer) });
  const local = { ...virtual, specRef: 'Maven virtual registries', status: 'local' } as const;

  const mustFind = (id: number, caller: Caller, role: ProjectRole): Upstream =>
    ofGroup(core, findUpstream(core, id), caller, role);

  const mustFindLink = (id: number, caller: Caller): LinkRow => {
    const link = linkById(store, id);
    if (link === undefined) throw recordNotFound('no such upstream of a registry');
    findRegistry(link.registry_id, caller, 'maintainer');
    return link;
  };

  const presentWhole = (upstream: Upstream): unknown => ({
    ...presentUpstream(upstream),
    registry_upstreams: linksOfUpstream(store, upstream.id).map(presentPosition),
  });

  return [
    userRoute(
      {
        method: 'GET',
        path: `${API}/registries/:id/upstreams`,
        key: 'id',
        status: 'inferred',
        body: listOf(upstreamInRegistry),
        ...virtual,
        params: () => ({ ...byId(), ...pageParameters() }),
      },
      (request) => {
        const { id } = findRegistry(request.params.id, request.caller, 'guest');
        const list = {
          count: () => countLinks(store, id),
          rows: (limit: number, offset: number) => upstreamsOf(store, id).slice(offset, offset + limit),
        };
        return new RawResponse(
          offsetResponse(request, request.params, list, (row) => ({
            ...presentUpstream(row),
            registry_upstream: presentPosition({ id: row.link_id, registry_id: id, position: row.position }),
          })),
        );
      },
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
        params: () => ({ ...byId(), url: filled(), ...values() }),
      },
      (request) => {
        const { params, caller } = request;
        const input = readInput(params);
        const registry = findRegistry(params.id, caller, 'maintainer');
        const { upstream, link } = createUpstream(core, registry, { ...input, url: params.url });
        return { ...presentUpstream(upstream), registry_upstream: presentPosition(link) };
      },
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
      ({ params, caller }) => presentWhole(mustFind(params.id, caller, 'guest')),
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
        params: () => ({ ...byId(), url: string(), ...values() }),
      },
      (request) => {
        const { params, caller } = request;
        demandOneOf(request.linkParameters(), changeable);
        const input = { ...readInput(params), url: params.url };
        return presentWhole(updateUpstream(core, mustFind(params.id, caller, 'maintainer'), input));
      },
      'group:maintainer',
    ),
    userRoute(
      { method: 'DELETE', path: `${API}/upstreams/:id`, key: 'id', status: 'stated', ...virtual, params: byId },
      ({ params, caller }) => {
        const { id } = mustFind(params.id, caller, 'maintainer');
        store.transaction(() => deleteUpstreamRow(store, id));
      },
      'group:maintainer',
    ),
    userRoute(
      { method: 'DELETE', path: `${API}/upstreams/:id/cache`, key: 'id', status: 'inferred', ...virtual, params: byId },
      ({ params, caller }) => deleteEntries(store, mustFind(params.id, caller, 'maintainer').id),
      'group:maintainer',
    ),
    userRoute(
      {
        method: 'POST',
        path: `${API}/registry_upstreams`,
        status: 'inferred',
        body: linkResponse,
        ...virtual,
        params: () => ({ registry_id: required(integer), upstream_id: required(integer) }),
      },
      ({ params, caller }) => {
        const registry = findRegistry(params.registry_id, caller, 'maintainer');
        return linkUpstream(core, registry, mustFind(params.upstream_id, caller, 'maintainer'));
      },
      'group:maintainer',
    ),
    userRoute(
      {
        method: 'PATCH',
        path: `${API}/registry_upstreams/:id`,
        key: 'id',
        status: 'inferred',
        body: linkResponse,
        ...virtual,
        params: () => ({ ...byId(), position: required(integer) }),
      },
      ({ params, caller }) => moveUpstream(core, mustFindLink(params.id, caller), params.position),
      'group:maintainer',
    ),
    userRoute(
      { method: 'DELETE', path: `${API}/registry_upstreams/:id`, key: 'id', status: 'inferred', ...virtual, params: byId },
      ({ params, caller }) => unlinkUpstream(core, mustFindLink(params.id, caller)),
      'group:maintainer',
    ),
    userRoute(
      {
        method: 'GET',
        path: `${API}/upstreams/:id/cache_entries`,
        key: 'id',
        status: 'stated',
        body: listOf(entryResponse),
        ...virtual,
        params: () => ({ ...byId(), search: string(), ...pageParameters() }),
      },
      (request) => {
        const { params, caller } = request;
        const { id, group_id: groupId } = mustFind(params.id, caller, 'guest');
        const list = {
          count: (cap: number) => countEntries(store, id, params.search, cap),
          rows: (limit: number, offset: number) => listEntries(store, id, params.search, limit, offset),
        };
        return new RawResponse(offsetResponse(request, params, list, (row) => presentEntry(row, groupId)));
      },
      'group:guest',
    ),
    userRoute(
      {
        method: 'POST',
        path: `${API}/upstreams/:id/cache_entries`,
        key: 'id',
        body: entryResponse,
        ...local,
        params: () => ({
          ...byId(),
          relative_path: filled(),
          file_sha1: filled(),
          file_md5: string(),
          size: required(integer),
          content_type: string(),
          upstream_etag: string(),
        }),
      },
      ({ params, caller }) => {
        const upstream = mustFind(params.id, caller, 'maintainer');
        const { relative_path: path } = params;
        addCacheEntry(core, upstream, {
          path,
          sha1: params.file_sha1,
          md5: params.file_md5,
          size: params.size,
          contentType: params.content_type,
          etag: params.upstream_etag,
        });
        const entry = entryByPath(store, upstream.id, path);
        if (entry === undefined) throw new Error('the new entry does not exist');
        return presentEntry(entry, upstream.group_id);
      },
      'group:maintainer',
    ),
    userRoute(
      {
        method: 'DELETE',
        path: `${API}/cache_entries/:id`,
        key: 'id',
        status: 'stated',
        ...virtual,
        params: () => ({ id: required(opaque) }),
      },
      ({ params, caller }) => {
        const { upstreamId, path } = readEntryId(params.id) ?? { upstreamId: 0, path: '' };
        const { id } = mustFind(upstreamId, caller, 'maintainer');
        if (entryByPath(store, id, path) === undefined) throw recordNotFound('the upstream has no cache entry for this path');
        deleteEntry(store, id, path);
      },
      'group:maintainer',
    ),
  ];
}
