import { HOUR } from '../../clock.ts';
import { conflict } from '../../http/failures.ts';
import type { Platform } from '../../platform.ts';
import {
  type BlobInput,
  type CacheUsage,
  deleteCached,
  lastPurge,
  type ManifestInput,
  usageOf,
  writeBlob,
  writeManifest,
  writePurge,
} from './store.ts';

const RECENTLY_PURGED =
  'This request has already been made. It may take some time to purge the cache. You can run this at most once an hour for a given group';

/** Adds a blob to the cache of a group. */
export function cacheBlob({ store, clock }: Platform, blob: BlobInput): void {
  writeBlob(store, blob, clock.now());
}

/** Adds a manifest to the cache of a group. */
export function cacheManifest({ store, clock }: Platform, manifest: ManifestInput): void {
  writeManifest(store, manifest, clock.now());
}

/** Returns what a group has cached. */
export function cacheUsage({ store }: Platform, groupId: number): CacheUsage {
  return usageOf(store, groupId);
}

/**
 * Deletes everything that a group has cached.
 *
 * @throws 409 within an hour of the previous purge.
 */
export function purgeCache({ store, clock }: Platform, groupId: number): void {
  const now = clock.now();
  store.transaction(() => {
    const last = lastPurge(store, groupId);
    if (last !== undefined && now >= last && now - last < HOUR) throw conflict(RECENTLY_PURGED);
    writePurge(store, groupId, now);
    deleteCached(store, groupId);
  });
}
