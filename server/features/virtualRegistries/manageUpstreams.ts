import type { FoundGroup } from '../groups/groups.ts';
import { invalidRecord } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import {
  countLinks,
  deleteLink,
  insertLink,
  insertRegistry,
  insertUpstream,
  isLinked,
  isNameTaken,
  isUpstreamTaken,
  linkById,
  type LinkRow,
  moveLink,
  registryById,
  type RegistryRow,
  upstreamById,
  type UpstreamRow,
  writeEntry,
  writeRegistry,
  writeUpstream,
} from './store.ts';

export type VirtualRegistry = RegistryRow;
export type Upstream = UpstreamRow;

/** Maximum number of upstreams per registry. */
const MAX_UPSTREAMS = 20;
/** Default validity of cache entries, in hours. */
const VALIDITY = 24;

/** Creates a registry. Throws 400 in a subgroup and for an invalid or taken name. */
export function createRegistry(
  core: Core,
  { group }: FoundGroup,
  input: { readonly name: string; readonly description?: string | undefined },
): VirtualRegistry {
  const { store } = core;
  if (group.parent_id !== null) throw invalidRecord({ group: ['must be a top level Group'] });
  const now = core.clock.now();
  return store.transaction(() => {
    checkName(core, group.id, input.name, 0);
    const values = {
      group_id: group.id,
      name: input.name,
      description: input.description ?? null,
      created_at: now,
      updated_at: now,
    };
    const id = insertRegistry(store, values);
    return { id, ...values };
  });
}

function checkName(core: Core, groupId: number, name: string, exceptId: number): void {
  if (name.length > 255) throw invalidRecord({ name: ['is too long (maximum is 255 characters)'] });
  if (isNameTaken(core.store, groupId, name, exceptId)) throw invalidRecord({ name: ['has already been taken'] });
}

export function updateRegistry(
  core: Core,
  registry: VirtualRegistry,
  input: { readonly name: string; readonly description?: string | undefined },
): VirtualRegistry {
  const { store } = core;
  return store.transaction(() => {
    checkName(core, registry.group_id, input.name, registry.id);
    const { name, description = registry.description } = input;
    const changed = { name, description, updated_at: core.clock.now() };
    writeRegistry(store, registry.id, changed);
    return { ...registry, ...changed };
  });
}

export interface UpstreamInput {
  readonly url?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly username?: string | undefined;
  readonly cacheValidityHours?: number | undefined;
  readonly metadataCacheValidityHours?: number | undefined;
}

/**
 * Creates an upstream and adds it to a registry. Throws 400 for an invalid URL, a duplicate in the group, and too many upstreams.
 */
export function createUpstream(
  core: Core,
  registry: VirtualRegistry,
  input: UpstreamInput & { readonly url: string },
): { readonly upstream: Upstream; readonly link: LinkRow } {
  const { store } = core;
  const now = core.clock.now();
  return store.transaction(() => {
    const values = {
      group_id: registry.group_id,
      url: input.url,
      name: input.name ?? null,
      description: input.description ?? null,
      username: input.username ?? null,
      cache_validity_hours: input.cacheValidityHours ?? VALIDITY,
      metadata_cache_validity_hours: input.metadataCacheValidityHours ?? VALIDITY,
      created_at: now,
      updated_at: now,
    };
    checkUpstream(core, { id: 0, ...values });
    const upstream = { id: insertUpstream(store, values), ...values };
    return { upstream, link: linkUpstream(core, registry, upstream) };
  });
}

function checkUpstream(core: Core, row: Upstream): void {
  const validationErrors: Record<string, string[]> = {};
  if (!/^https?:$/.test(URL.parse(row.url)?.protocol ?? ''))
    validationErrors['url'] = ['is not allowed: it must be a web address'];
  for (const name of ['cache_validity_hours', 'metadata_cache_validity_hours'] as const) {
    if (row[name] < 0) validationErrors[name] = ['must be greater than or equal to 0'];
  }
  if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
  if (isUpstreamTaken(core.store, { groupId: row.group_id, url: row.url, username: row.username, exceptId: row.id })) {
    throw invalidRecord({ group: ['already has an upstream with the same credentials'] });
  }
}

export function updateUpstream(core: Core, upstream: Upstream, input: UpstreamInput): Upstream {
  const changed = {
    ...upstream,
    url: input.url ?? upstream.url,
    name: input.name ?? upstream.name,
    description: input.description ?? upstream.description,
    username: input.username ?? upstream.username,
    cache_validity_hours: input.cacheValidityHours ?? upstream.cache_validity_hours,
    metadata_cache_validity_hours: input.metadataCacheValidityHours ?? upstream.metadata_cache_validity_hours,
    updated_at: core.clock.now(),
  };
  return core.store.transaction(() => {
    checkUpstream(core, changed);
    writeUpstream(core.store, changed);
    return changed;
  });
}

/** Adds an upstream of the group to a registry, at the end. Throws 400 if it is already there, or belongs to another group. */
export function linkUpstream(core: Core, registry: VirtualRegistry, upstream: Upstream): LinkRow {
  const { store } = core;
  return store.transaction(() => {
    if (upstream.group_id !== registry.group_id) throw invalidRecord({ group: ['must be the same as that of the registry'] });
    if (isLinked(store, registry.id, upstream.id)) throw invalidRecord({ upstream_id: ['has already been taken'] });
    const position = countLinks(store, registry.id) + 1;
    if (position > MAX_UPSTREAMS) throw invalidRecord({ position: [`must be less than or equal to ${MAX_UPSTREAMS}`] });
    return {
      id: insertLink(store, registry.id, upstream.id, position),
      registry_id: registry.id,
      upstream_id: upstream.id,
      position,
    };
  });
}

/** Moves an upstream within its registry; positions past the end mean the last one. */
export function moveUpstream(core: Core, link: LinkRow, position: number): LinkRow {
  const { store } = core;
  if (position < 1 || position > MAX_UPSTREAMS) throw invalidRecord({ position: [`must be between 1 and ${MAX_UPSTREAMS}`] });
  return store.transaction(() => {
    moveLink(store, link, Math.min(position, countLinks(store, link.registry_id)));
    return linkById(store, link.id) ?? link;
  });
}

export function unlinkUpstream(core: Core, link: LinkRow): void {
  core.store.transaction(() => deleteLink(core.store, link));
}

export function findRegistry(core: Core, id: number): VirtualRegistry | undefined {
  return registryById(core.store, id);
}

export function findUpstream(core: Core, id: number): Upstream | undefined {
  return upstreamById(core.store, id);
}

export interface NewEntry {
  readonly path: string;
  readonly sha1: string;
  readonly md5?: string | undefined;
  readonly size: number;
  readonly contentType?: string | undefined;
  readonly etag?: string | undefined;
}

/**
 * Adds a cache entry for a file of an upstream; an entry with the same path is replaced. Throws 400 for invalid file metadata.
 */
export function addCacheEntry(core: Core, { id }: Pick<Upstream, 'id'>, input: NewEntry): void {
  const validationErrors = {
    ...(/^[^/\s][^\s]{0,999}$/.test(input.path) ? {} : { relative_path: ['is invalid'] }),
    ...(/^[0-9a-f]{40}$/.test(input.sha1) ? {} : { file_sha1: ['is invalid'] }),
    ...(input.md5 === undefined || /^[0-9a-f]{32}$/.test(input.md5) ? {} : { file_md5: ['is invalid'] }),
    ...(input.size >= 0 ? {} : { size: ['must be greater than or equal to 0'] }),
  };
  if (Object.keys(validationErrors).length > 0) throw invalidRecord(validationErrors);
  writeEntry(core.store, {
    upstream_id: id,
    relative_path: input.path,
    file_md5: input.md5 ?? null,
    file_sha1: input.sha1,
    size: input.size,
    content_type: input.contentType ?? 'application/octet-stream',
    upstream_etag: input.etag ?? null,
    created_at: core.clock.now(),
  });
}
