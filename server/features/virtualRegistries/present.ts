import { isoTime } from '../../core/clock.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { entryResponse, registryResponse, upstreamBasic } from './responses.ts';
import type { EntryRow, LinkRow, RegistryRow, UpstreamRow } from './store.ts';

export function presentRegistry(row: RegistryRow): ResponseOf<typeof registryResponse> {
  const { id, group_id, name, description } = row;
  return { id, group_id, name, description, created_at: isoTime(row.created_at), updated_at: isoTime(row.updated_at) };
}

export function presentUpstream(row: UpstreamRow): ResponseOf<typeof upstreamBasic> {
  const { id, group_id, url, name, description, cache_validity_hours, metadata_cache_validity_hours, username } = row;
  return {
    id,
    group_id,
    url,
    name,
    description,
    cache_validity_hours,
    metadata_cache_validity_hours,
    username,
    created_at: isoTime(row.created_at),
    updated_at: isoTime(row.updated_at),
  };
}

/** Presents the position of an upstream in a registry. */
export function presentPosition({ id, registry_id, position }: Pick<LinkRow, 'id' | 'registry_id' | 'position'>): {
  id: number;
  registry_id: number;
  position: number;
} {
  return { id, registry_id, position };
}

export function presentEntry(row: EntryRow, groupId: number): ResponseOf<typeof entryResponse> {
  const at = isoTime(row.created_at);
  return {
    id: Buffer.from(`${row.upstream_id} ${row.relative_path}`).toString('base64'),
    group_id: groupId,
    upstream_id: row.upstream_id,
    upstream_checked_at: at,
    file_md5: row.file_md5,
    file_sha1: row.file_sha1,
    size: row.size,
    relative_path: row.relative_path,
    content_type: row.content_type,
    upstream_etag: row.upstream_etag,
    created_at: at,
    updated_at: at,
    downloads_count: 0,
    downloaded_at: null,
  };
}

/** Parses the id of a cache entry into upstream and path; undefined if it is invalid. */
export function readEntryId(text: string): { readonly upstreamId: number; readonly path: string } | undefined {
  const [, number, path] = /^(\d{1,15}) (.+)$/s.exec(Buffer.from(text, 'base64').toString('utf8')) ?? [];
  return number === undefined || path === undefined ? undefined : { upstreamId: Number(number), path };
}
