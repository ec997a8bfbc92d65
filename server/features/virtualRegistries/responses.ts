import * as z from 'zod';
import { count, id, moment, named } from '../../http/responses.ts';

export const registryResponse = named('MavenVirtualRegistry', () =>
  z.strictObject({
    id: id(),
    group_id: id(),
    name: z.string(),
    description: z.string().nullable(),
    created_at: moment(),
    updated_at: moment(),
  }),
);

const upstreamMembers = () => ({
  id: id(),
  group_id: id(),
  url: z.string(),
  name: z.string().nullable(),
  description: z.string().nullable(),
  cache_validity_hours: count(),
  metadata_cache_validity_hours: count(),
  username: z.string().nullable(),
  created_at: moment(),
  updated_at: moment(),
});

const location = () => z.strictObject({ id: id(), registry_id: id(), position: id() });

/** An upstream in the list of its group. */
export const upstreamBasic = named('MavenUpstreamBasic', () => z.strictObject(upstreamMembers()));
/** An upstream of one registry. */
export const upstreamInRegistry = named('MavenRegistryUpstream', () =>
  z.strictObject({ ...upstreamMembers(), registry_upstream: location() }),
);
export const upstreamResponse = named('MavenUpstream', () =>
  z.strictObject({ ...upstreamMembers(), registry_upstreams: z.array(location()) }),
);

export const linkResponse = named('MavenUpstreamLink', () =>
  z.strictObject({ id: id(), registry_id: id(), upstream_id: id(), position: id() }),
);

export const entryResponse = named('MavenCacheEntry', () =>
  z.strictObject({
    // Upstream id and path, in base64.
    id: z.base64(),
    group_id: id(),
    upstream_id: id(),
    upstream_checked_at: moment(),
    file_md5: z.string().nullable(),
    file_sha1: z.string(),
    size: count(),
    relative_path: z.string(),
    content_type: z.string(),
    upstream_etag: z.string().nullable(),
    created_at: moment(),
    updated_at: moment(),
    // Always 0 and null, because no files can be downloaded.
    downloads_count: z.literal(0),
    downloaded_at: z.null(),
  }),
);
