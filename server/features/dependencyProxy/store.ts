import type { Store } from '../../store/open.ts';

/** A layer or configuration of an image. */
export interface BlobInput {
  readonly groupId: number;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  /** Size in bytes. */
  readonly size: number;
}

export interface ManifestInput {
  readonly groupId: number;
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly image: string;
  /** Tag by which it was pulled; null if it was pulled by its digest. */
  readonly tag: string | null;
  readonly contentType: string;
  readonly content: Uint8Array;
}

export interface CachedManifest {
  readonly digest: string;
  readonly content_type: string;
  readonly content: Buffer;
}

/** Adds a blob, or replaces that with the same digest. */
export function writeBlob(store: Store, blob: BlobInput, now: number): void {
  store.run(
    `INSERT INTO dependency_proxy_blobs (group_id, digest, size, created_at, updated_at)
     VALUES ($groupId, $digest, $size, $now, $now)
     ON CONFLICT DO UPDATE SET size = $size, updated_at = $now`,
    { ...blob, now },
  );
}

/** Adds a manifest, or replaces that of the same image and tag or digest. */
export function writeManifest(store: Store, manifest: ManifestInput, now: number): void {
  const fileName = `${manifest.image}:${manifest.tag ?? manifest.digest}.json`;
  store.run(
    `INSERT INTO dependency_proxy_manifests
       (group_id, file_name, digest, image, tag, content_type, content, size, created_at, updated_at)
     VALUES ($groupId, $fileName, $digest, $image, $tag, $contentType, $content, length($content), $now, $now)
     ON CONFLICT DO UPDATE SET digest = $digest, image = $image, tag = $tag, content_type = $contentType, content = $content,
       size = length($content), updated_at = $now`,
    { ...manifest, fileName, now },
  );
}

/** Returns the size of a blob in bytes; undefined if the group has not cached it. */
export function sizeOfBlob(store: Store, groupId: number, digest: string): number | undefined {
  const sql = 'SELECT size FROM dependency_proxy_blobs WHERE group_id = $groupId AND digest = $digest';
  return store.get<{ readonly size: number }>(sql, { groupId, digest })?.size;
}

/** Returns true if any group has cached a blob. */
export function isBlobUsed(store: Store, digest: string): boolean {
  return store.get('SELECT 1 FROM dependency_proxy_blobs WHERE digest = $digest', { digest }) !== undefined;
}

export function manifestByTag(store: Store, groupId: number, image: string, tag: string): CachedManifest | undefined {
  const fileName = `${image}:${tag}.json`;
  return store.get<CachedManifest>(
    `SELECT digest, content_type, content FROM dependency_proxy_manifests
     WHERE group_id = $groupId AND file_name = $fileName AND tag IS NOT NULL`,
    { groupId, fileName },
  );
}

export function manifestByDigest(store: Store, groupId: number, image: string, digest: string): CachedManifest | undefined {
  return store.get<CachedManifest>(
    `SELECT digest, content_type, content FROM dependency_proxy_manifests
     WHERE group_id = $groupId AND image = $image AND digest = $digest`,
    { groupId, image, digest },
  );
}

export function isEnabled(store: Store, groupId: number): boolean {
  const sql = 'SELECT enabled FROM dependency_proxy_settings WHERE group_id = $groupId';
  return store.get<{ readonly enabled: number }>(sql, { groupId })?.enabled !== 0;
}

export function writeEnabled(store: Store, groupId: number, enabled: 0 | 1): void {
  store.run(
    `INSERT INTO dependency_proxy_settings (group_id, enabled) VALUES ($groupId, $enabled)
     ON CONFLICT DO UPDATE SET enabled = $enabled`,
    { groupId, enabled },
  );
}

export interface CacheUsage {
  readonly blobs: number;
  readonly manifests: number;
  /** Size of all blobs and manifests, in bytes. */
  readonly bytes: number;
}

/** Returns what a group has cached, without its subgroups. */
export function usageOf(store: Store, groupId: number): CacheUsage {
  const used = store.get<CacheUsage>(
    `SELECT count(*) FILTER (WHERE kind = 'blob') AS blobs, count(*) FILTER (WHERE kind = 'manifest') AS manifests,
       coalesce(sum(size), 0) AS bytes
     FROM (SELECT 'blob' AS kind, size FROM dependency_proxy_blobs WHERE group_id = $groupId
       UNION ALL SELECT 'manifest', size FROM dependency_proxy_manifests WHERE group_id = $groupId)`,
    { groupId },
  );
  return used ?? { blobs: 0, manifests: 0, bytes: 0 };
}

export function deleteCached(store: Store, groupId: number): void {
  store.run('DELETE FROM dependency_proxy_blobs WHERE group_id = $groupId', { groupId });
  store.run('DELETE FROM dependency_proxy_manifests WHERE group_id = $groupId', { groupId });
}

/** Returns when the cache of a group was last purged, in milliseconds. */
export function lastPurge(store: Store, groupId: number): number | undefined {
  return store.get<{ purged_at: number }>('SELECT purged_at FROM dependency_proxy_purges WHERE group_id = $groupId', { groupId })
    ?.purged_at;
}

export function writePurge(store: Store, groupId: number, now: number): void {
  store.run(
    'INSERT INTO dependency_proxy_purges (group_id, purged_at) VALUES ($groupId, $now) ON CONFLICT DO UPDATE SET purged_at = $now',
    { groupId, now },
  );
}
