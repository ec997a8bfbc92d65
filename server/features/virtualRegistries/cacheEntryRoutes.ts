import { listOf } from '../../http/responses.ts';
import { recordNotFound } from '../../core/errors.ts';
import { offsetResponse, pageParameters } from '../../http/pagination.ts';
import { filled, integer, opaque, required, string } from '../../http/params.ts';
import { RawResponse, type Route, userRoute, type RequestOf } from '../../http/route.ts';
import { entryResponse } from './responses.ts';
import { presentEntry, readEntryId } from './present.ts';
import { API, virtual, mustFindUpstream } from './route.ts';
import { countEntries, deleteEntry, entryByPath, listEntries } from './store.ts';
import { addCacheEntry } from './manageUpstreams.ts';

const byId = () => ({ id: required(integer) });

const local = { ...virtual, specRef: 'Maven virtual registries', status: 'local' } as const;

const listParameters = () => ({ ...byId(), search: string(), ...pageParameters() });

const createParameters = () => ({
  ...byId(),
  relative_path: filled(),
  file_sha1: filled(),
  file_md5: string(),
  size: required(integer),
  content_type: string(),
  upstream_etag: string(),
});

const removeParameters = () => ({ id: required(opaque) });

/** Returns the routes of the cache entries of upstreams. */
export function cacheEntryRoutes(): Route[] {
  return [
    userRoute(
      {
        method: 'GET',
        path: `${API}/upstreams/:id/cache_entries`,
        key: 'id',
        status: 'stated',
        body: listOf(entryResponse),
        ...virtual,
        params: listParameters,
      },
      list,
      'group:guest',
    ),
    userRoute(
      {
        method: 'POST',
        path: `${API}/upstreams/:id/cache_entries`,
        key: 'id',
        body: entryResponse,
        ...local,
        params: createParameters,
      },
      create,
      'group:maintainer',
    ),
    userRoute(
      {
        method: 'DELETE',
        path: `${API}/cache_entries/:id`,
        key: 'id',
        status: 'stated',
        ...virtual,
        params: removeParameters,
      },
      remove,
      'group:maintainer',
    ),
  ];
}

function list(request: RequestOf<typeof listParameters>) {
  const { params, caller, context } = request;
  const { core } = context;
  const { id, group_id: groupId } = mustFindUpstream(core, params.id, caller, 'guest');
  const pages = {
    count: (cap: number) => countEntries(core.store, id, params.search, cap),
    rows: (limit: number, offset: number) => listEntries(core.store, id, params.search, limit, offset),
  };
  return new RawResponse(offsetResponse(request, params, pages, (row) => presentEntry(row, groupId)));
}

function create({ params, caller, context }: RequestOf<typeof createParameters>) {
  const { core } = context;
  const upstream = mustFindUpstream(core, params.id, caller, 'maintainer');
  const { relative_path: path } = params;
  addCacheEntry(core, upstream, {
    path,
    sha1: params.file_sha1,
    md5: params.file_md5,
    size: params.size,
    contentType: params.content_type,
    etag: params.upstream_etag,
  });
  const entry = entryByPath(core.store, upstream.id, path);
  if (entry === undefined) throw new Error('the new entry does not exist');
  return presentEntry(entry, upstream.group_id);
}

function remove({ params, caller, context }: RequestOf<typeof removeParameters>) {
  const { core } = context;
  const { upstreamId, path } = readEntryId(params.id) ?? { upstreamId: 0, path: '' };
  const { id } = mustFindUpstream(core, upstreamId, caller, 'maintainer');
  if (entryByPath(core.store, id, path) === undefined) throw recordNotFound('the upstream has no cache entry for this path');
  deleteEntry(core.store, id, path);
}
