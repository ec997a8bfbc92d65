import type { ProxyCore } from './proxyCore.ts';
import { HOUR } from '../../core/clock.ts';
import { conflict } from '../../core/errors.ts';
import type { Core } from '../../core/core.ts';
import {
  type BlobInput,
  type CacheUsage,
  deleteCached,
  isBlobUsed,
  isEnabled,
  lastPurge,
  type ManifestInput,
  usageOf,
  writeBlob,
  writeEnabled,
  writeManifest,
  writePurge,
} from './store.ts';

const RECENTLY_PURGED =
  'This request has already been made. It may take some time to purge the cache. You can run this at most once an hour for a given group';

/** Adds a blob, whose file exists, to the cache of a group. */
export function cacheBlob({ store, clock }: Core, blob: BlobInput): void {
  writeBlob(store, blob, clock.now());
}

/** Adds a manifest to the cache of a group. */
export function cacheManifest({ store, clock }: Core, manifest: ManifestInput): void {
  writeManifest(store, manifest, clock.now());
}

/** Returns what a group has cached. */
export function cacheUsage({ store }: Core, groupId: number): CacheUsage {
  return usageOf(store, groupId);
}

/** Returns true if a group has its dependency proxy turned on, as groups have by default. */
export function isProxyEnabled({ store }: Core, groupId: number): boolean {
  return isEnabled(store, groupId);
}

export function setProxyEnabled({ store }: Core, groupId: number, enabled: boolean): void {
  writeEnabled(store, groupId, enabled ? 1 : 0);
}

/**
 * Deletes everything that a group has cached.
 *
 * @throws 409 within an hour of the previous purge.
 */
export function purgeCache(core: ProxyCore, groupId: number): void {
  const { store, clock } = core;
  const now = clock.now();
  store.transaction(() => {
    const last = lastPurge(store, groupId);
    if (last !== undefined && now >= last && now - last < HOUR) throw conflict(RECENTLY_PURGED);
    writePurge(store, groupId, now);
    deleteCached(store, groupId);
  });
  sweepBlobs(core);
}

/** Removes the files of blobs that no group has cached any more. */
export function sweepBlobs({ store, blobFiles }: ProxyCore): void {
  blobFiles.sweep((digest) => isBlobUsed(store, digest));
}
