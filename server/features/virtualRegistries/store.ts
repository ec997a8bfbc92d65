import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { beginCondition, type SqlParams } from '../../store/sql.ts';

export interface RegistryRow {
  readonly id: number;
  readonly group_id: number;
  readonly name: string;
  readonly description: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

export interface UpstreamRow {
  readonly id: number;
  readonly group_id: number;
  readonly url: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly username: string | null;
  readonly cache_validity_hours: number;
  readonly metadata_cache_validity_hours: number;
  readonly created_at: number;
  readonly updated_at: number;
}

/** The assignment of an upstream to a registry; positions start at 1. */
export interface LinkRow {
  readonly id: number;
  readonly registry_id: number;
  readonly upstream_id: number;
  readonly position: number;
}

export interface EntryRow {
  readonly upstream_id: number;
  readonly relative_path: string;
  readonly file_md5: string | null;
  readonly file_sha1: string;
  readonly size: number;
  readonly content_type: string;
  readonly upstream_etag: string | null;
  readonly created_at: number;
}

const REGISTRY = 'id, group_id, name, description, created_at, updated_at';
const UPSTREAM = `u.id, u.group_id, u.url, u.name, u.description, u.username, u.cache_validity_hours, u.metadata_cache_validity_hours,
  u.created_at, u.updated_at`;
const LINK = 'id, registry_id, upstream_id, position';
const ENTRY = 'upstream_id, relative_path, file_md5, file_sha1, size, content_type, upstream_etag, created_at';

export function countRegistries(store: Store, groupId: number, cap: number): number {
  return countRows(store, 'FROM virtual_registries WHERE group_id = $groupId', { groupId }, cap);
}

export function listRegistries(store: Store, groupId: number, limit: number, offset: number): RegistryRow[] {
  return store.all<RegistryRow>(
    `SELECT ${REGISTRY} FROM virtual_registries WHERE group_id = $groupId ORDER BY id LIMIT $limit OFFSET $offset`,
    { groupId, limit, offset },
  );
}

export function registryById(store: Store, id: number): RegistryRow | undefined {
  return store.get<RegistryRow>(`SELECT ${REGISTRY} FROM virtual_registries WHERE id = $id`, { id });
}

export function isNameTaken(store: Store, groupId: number, name: string, exceptId: number): boolean {
  const sql = 'SELECT 1 FROM virtual_registries WHERE group_id = $groupId AND name = $name AND id <> $exceptId';
  return store.get(sql, { groupId, name, exceptId }) !== undefined;
}

export function insertRegistry(store: Store, row: Omit<RegistryRow, 'id'>): number {
  return store.run(
    `INSERT INTO virtual_registries (group_id, name, description, created_at, updated_at)
     VALUES ($group_id, $name, $description, $created_at, $updated_at)`,
    { ...row },
  ).lastId;
}

export function writeRegistry(store: Store, id: number, values: Pick<RegistryRow, 'name' | 'description' | 'updated_at'>): void {
  store.run('UPDATE virtual_registries SET name = $name, description = $description, updated_at = $updated_at WHERE id = $id', {
    id,
    ...values,
  });
}

/** Deletes a registry and the upstreams that no other registry uses. */
export function deleteRegistryRow(store: Store, id: number): void {
  store.run(`DELETE FROM virtual_upstreams WHERE id IN (${EXCLUSIVE})`, { id });
  store.run('DELETE FROM virtual_registries WHERE id = $id', { id });
}

const EXCLUSIVE = `SELECT l.upstream_id FROM virtual_registry_upstreams l WHERE l.registry_id = $id
  AND NOT EXISTS (SELECT 1 FROM virtual_registry_upstreams o WHERE o.upstream_id = l.upstream_id AND o.registry_id <> $id)`;

/** Deletes the cache entries of upstreams that no other registry uses. */
export function deleteRegistryCache(store: Store, id: number): void {
  store.run(`DELETE FROM virtual_cache_entries WHERE upstream_id IN (${EXCLUSIVE})`, { id });
}

/** Returns the number of upstreams of a group, optionally filtered by name, up to `cap`. */
export function countUpstreams(store: Store, groupId: number, name: string | undefined, cap: number): number {
  const { where, params } = ofGroup(groupId, name);
  return countRows(store, `FROM virtual_upstreams u WHERE ${where}`, params, cap);
}

export function listUpstreams(
  store: Store,
  groupId: number,
  name: string | undefined,
  limit: number,
  offset: number,
): UpstreamRow[] {
  const { where, params } = ofGroup(groupId, name);
  return store.all<UpstreamRow>(
    `SELECT ${UPSTREAM} FROM virtual_upstreams u WHERE ${where} ORDER BY u.id LIMIT $limit OFFSET $offset`,
    { ...params, limit, offset },
  );
}

function ofGroup(groupId: number, name: string | undefined): { where: string; params: SqlParams } {
  const { addSearch, also, whole } = beginCondition({ groupId });
  also('u.group_id = $groupId');
  addSearch('name', ['u.name'], name);
  return whole();
}

export function upstreamsOf(
  store: Store,
  registryId: number,
): (UpstreamRow & { readonly link_id: number; readonly position: number })[] {
  return store.all(
    `SELECT ${UPSTREAM}, l.id AS link_id, l.position FROM virtual_registry_upstreams l
       JOIN virtual_upstreams u ON u.id = l.upstream_id
     WHERE l.registry_id = $registryId ORDER BY l.position`,
    { registryId },
  );
}

export function upstreamById(store: Store, id: number): UpstreamRow | undefined {
  return store.get<UpstreamRow>(`SELECT ${UPSTREAM} FROM virtual_upstreams u WHERE u.id = $id`, { id });
}

export function isUpstreamTaken(
  store: Store,
  input: { readonly groupId: number; readonly url: string; readonly username: string | null; readonly exceptId: number },
): boolean {
  const sql = `SELECT 1 FROM virtual_upstreams
    WHERE group_id = $groupId AND url = $url AND username IS $username AND id <> $exceptId`;
  return store.get(sql, { ...input }) !== undefined;
}

export function insertUpstream(store: Store, row: Omit<UpstreamRow, 'id'>): number {
  return store.run(
    `INSERT INTO virtual_upstreams (group_id, url, name, description, username, cache_validity_hours, metadata_cache_validity_hours,
       created_at, updated_at)
     VALUES ($group_id, $url, $name, $description, $username, $cache_validity_hours, $metadata_cache_validity_hours,
       $created_at, $updated_at)`,
    { ...row },
  ).lastId;
}

export function writeUpstream(store: Store, row: Omit<UpstreamRow, 'group_id' | 'created_at'>): void {
  const { id, url, name, description, username, cache_validity_hours, metadata_cache_validity_hours, updated_at } = row;
  store.run(
    `UPDATE virtual_upstreams SET url = $url, name = $name, description = $description, username = $username,
       cache_validity_hours = $cache_validity_hours, metadata_cache_validity_hours = $metadata_cache_validity_hours,
       updated_at = $updated_at WHERE id = $id`,
    { id, url, name, description, username, cache_validity_hours, metadata_cache_validity_hours, updated_at },
  );
}

/** Deletes an upstream; the following ones move up in every registry. */
export function deleteUpstreamRow(store: Store, id: number): void {
  for (const link of linksOfUpstream(store, id)) deleteLink(store, link);
  store.run('DELETE FROM virtual_upstreams WHERE id = $id', { id });
}

export function linkById(store: Store, id: number): LinkRow | undefined {
  return store.get<LinkRow>(`SELECT ${LINK} FROM virtual_registry_upstreams WHERE id = $id`, { id });
}

export function linksOfUpstream(store: Store, upstreamId: number): LinkRow[] {
  return store.all<LinkRow>(`SELECT ${LINK} FROM virtual_registry_upstreams WHERE upstream_id = $upstreamId ORDER BY id`, {
    upstreamId,
  });
}

export function countLinks(store: Store, registryId: number): number {
  const sql = 'SELECT count(*) AS n FROM virtual_registry_upstreams WHERE registry_id = $registryId';
  return store.get<{ n: number }>(sql, { registryId })?.n ?? 0;
}

export function isLinked(store: Store, registryId: number, upstreamId: number): boolean {
  const sql = 'SELECT 1 FROM virtual_registry_upstreams WHERE registry_id = $registryId AND upstream_id = $upstreamId';
  return store.get(sql, { registryId, upstreamId }) !== undefined;
}

export function insertLink(store: Store, registryId: number, upstreamId: number, position: number): number {
  return store.run(
    `INSERT INTO virtual_registry_upstreams (registry_id, upstream_id, position) VALUES ($registryId, $upstreamId, $position)`,
    { registryId, upstreamId, position },
  ).lastId;
}

/** Moves an upstream to another position in its registry and shifts those in between. */
export function moveLink(store: Store, { id, registry_id: registryId, position: from }: LinkRow, to: number): void {
  store.run(
    from < to
      ? `UPDATE virtual_registry_upstreams SET position = position - 1
         WHERE registry_id = $registryId AND position > $from AND position <= $to`
      : `UPDATE virtual_registry_upstreams SET position = position + 1
         WHERE registry_id = $registryId AND position >= $to AND position < $from`,
    { registryId, from, to },
  );
  store.run('UPDATE virtual_registry_upstreams SET position = $to WHERE id = $id', { id, to });
}

export function deleteLink(store: Store, { id, registry_id: registryId, position }: LinkRow): void {
  store.run('DELETE FROM virtual_registry_upstreams WHERE id = $id', { id });
  store.run(
    'UPDATE virtual_registry_upstreams SET position = position - 1 WHERE registry_id = $registryId AND position > $position',
    { registryId, position },
  );
}

export function writeEntry(store: Store, row: EntryRow): void {
  store.run(
    `INSERT INTO virtual_cache_entries (${ENTRY})
     VALUES ($upstream_id, $relative_path, $file_md5, $file_sha1, $size, $content_type, $upstream_etag, $created_at)
     ON CONFLICT DO UPDATE SET file_md5 = $file_md5, file_sha1 = $file_sha1, size = $size, content_type = $content_type,
       upstream_etag = $upstream_etag, created_at = $created_at`,
    { ...row },
  );
}

export function entryByPath(store: Store, upstreamId: number, path: string): EntryRow | undefined {
  return store.get<EntryRow>(
    `SELECT ${ENTRY} FROM virtual_cache_entries WHERE upstream_id = $upstreamId AND relative_path = $path`,
    { upstreamId, path },
  );
}

function ofUpstream(upstreamId: number, search: string | undefined): { where: string; params: SqlParams } {
  const { addSearch, also, whole } = beginCondition({ upstreamId });
  also('upstream_id = $upstreamId');
  addSearch('search', ['relative_path'], search);
  return whole();
}

export function countEntries(store: Store, upstreamId: number, search: string | undefined, cap: number): number {
  const { where, params } = ofUpstream(upstreamId, search);
  return countRows(store, `FROM virtual_cache_entries WHERE ${where}`, params, cap);
}

export function listEntries(
  store: Store,
  upstreamId: number,
  search: string | undefined,
  limit: number,
  offset: number,
): EntryRow[] {
  const { where, params } = ofUpstream(upstreamId, search);
  return store.all<EntryRow>(
    `SELECT ${ENTRY} FROM virtual_cache_entries WHERE ${where} ORDER BY relative_path LIMIT $limit OFFSET $offset`,
    { ...params, limit, offset },
  );
}

export function deleteEntry(store: Store, upstreamId: number, path: string): void {
  store.run('DELETE FROM virtual_cache_entries WHERE upstream_id = $upstreamId AND relative_path = $path', { upstreamId, path });
}

export function deleteEntries(store: Store, upstreamId: number): void {
  store.run('DELETE FROM virtual_cache_entries WHERE upstream_id = $upstreamId', { upstreamId });
}
