import type { Store } from '../../store/open.ts';

/** A layer or configuration of an image. */
export interface BlobInput {
  readonly groupId: number;
  /** For example `sha256:0123….gz`. */
  readonly fileName: string;
  readonly contentType: string;
  readonly content: Uint8Array;
}

export interface ManifestInput extends BlobInput {
  /** `sha256:` and 64 hexadecimal digits. */
  readonly digest: string;
  readonly image: string;
  /** Tag by which it was pulled; null if it was pulled by its digest. */
  readonly tag: string | null;
}

/** Adds a blob, or replaces that with the same file name. */
export function writeBlob(store: Store, blob: BlobInput, now: number): void {
  store.run(
    `INSERT INTO dependency_proxy_blobs (group_id, file_name, content_type, content, size, created_at, updated_at)
     VALUES ($groupId, $fileName, $contentType, $content, length($content), $now, $now)
     ON CONFLICT DO UPDATE SET content_type = $contentType, content = $content, size = length($content), updated_at = $now`,
    { ...blob, now },
  );
}

/** Adds a manifest, or replaces that with the same file name. */
export function writeManifest(store: Store, manifest: ManifestInput, now: number): void {
  store.run(
    `INSERT INTO dependency_proxy_manifests
       (group_id, file_name, digest, image, tag, content_type, content, size, created_at, updated_at)
     VALUES ($groupId, $fileName, $digest, $image, $tag, $contentType, $content, length($content), $now, $now)
     ON CONFLICT DO UPDATE SET digest = $digest, image = $image, tag = $tag, content_type = $contentType, content = $content,
       size = length($content), updated_at = $now`,
    { ...manifest, now },
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
