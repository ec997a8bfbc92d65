import type { ProxyCore } from './proxyCore.ts';
import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { WireFailure } from '../../http/wireFailure.ts';
import type { Core } from '../../core/core.ts';
import { registryFailure, isDigest } from '../registry/registry.ts';
import { WrongContent } from './blobFiles.ts';
import { cacheBlob, cacheManifest } from './groupProxy.ts';
import { type CachedManifest, manifestByDigest, manifestByTag, sizeOfBlob } from './store.ts';
import { contentOf, readBytes, requestUpstream, upstreamRefusal } from './upstream.ts';

/** Maximum sizes on GitLab, in bytes. */
const MAX_MANIFEST_BYTES = 10 * 1024 ** 2;
const MAX_BLOB_BYTES = 5 * 1024 ** 3;

/** Media types of manifests. The upstream is asked for all of them, so that the cached manifest does not depend on the client. */
const MANIFEST_TYPES = [
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
].join(', ');

/** An image that is pulled for a group. */
export interface PulledImage {
  readonly groupId: number;
  readonly name: string;
}

export interface PulledBlob {
  /** Size in bytes. */
  readonly size: number;
  /** The open file, which the caller closes. */
  readonly file: FileHandle;
}

/**
 * Returns a manifest by its tag or digest. For a tag the upstream is asked if it still means the cached manifest; the cached one is returned if
 * the upstream does not respond with success.
 *
 * @throws {WireFailure} 404, 403, 429, 502 or 503 if the manifest is not cached and the upstream does not send it.
 */
export async function pullManifest(core: ProxyCore, image: PulledImage, reference: string): Promise<CachedManifest> {
  const { groupId, name } = image;
  if (isDigest(reference)) {
    return manifestByDigest(core.store, groupId, name, reference) ?? fetchManifest(core, image, reference);
  }
  const cached = manifestByTag(core.store, groupId, name, reference);
  if (cached === undefined) return fetchManifest(core, image, reference);
  const current = await currentDigest(core, name, reference);
  return current === cached.digest || current === 'unknown' ? cached : fetchManifest(core, image, reference);
}

/** Returns the digest that a tag has upstream: undefined if the upstream does not tell it, `unknown` if it does not have or show the tag. */
async function currentDigest(core: ProxyCore, image: string, tag: string): Promise<string | undefined> {
  try {
    const response = await requestUpstream(core, { method: 'HEAD', image, path: `manifests/${tag}`, accept: MANIFEST_TYPES });
    return response.ok ? (response.headers.get('docker-content-digest') ?? undefined) : 'unknown';
  } catch (error) {
    if (!(error instanceof WireFailure)) throw error;
    core.log.debug(`the tag ${tag} of ${image} is served from the cache: ${error.reason}`);
    return 'unknown';
  }
}

async function fetchManifest(core: ProxyCore, { groupId, name }: PulledImage, reference: string): Promise<CachedManifest> {
  const path = `manifests/${reference}`;
  const response = await requestUpstream(core, { method: 'GET', image: name, path, accept: MANIFEST_TYPES });
  if (!response.ok) {
    await response.body?.cancel();
    throw upstreamRefusal(response, 'manifest');
  }
  const content = await readBytes(response, MAX_MANIFEST_BYTES);
  if (content === undefined) throw wrongContent(`the manifest is larger than ${MAX_MANIFEST_BYTES} bytes`);
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`;
  const stated = isDigest(reference) ? reference : response.headers.get('docker-content-digest');
  if (stated?.startsWith('sha256:') === true && stated !== digest) throw wrongContent(`the content has the digest ${digest}`);
  const [sentType = ''] = (response.headers.get('content-type') ?? '').split(';', 1);
  // Other types could be content that browsers run.
  const contentType = /^application\/[\w.+-]+$/.test(sentType) ? sentType : 'application/json';
  const tag = isDigest(reference) ? null : reference;
  cacheManifest(core, { groupId, digest, image: name, tag, contentType, content });
  return { digest, content_type: contentType, content };
}

/** Downloads in progress by group and digest, so that simultaneous pulls share them. */
const downloads = new WeakMap<Core, Map<string, Promise<void>>>();

/**
 * Returns a blob, which is downloaded to a file first if the group has not cached it.
 *
 * @throws {WireFailure} 404, 403, 429, 502 or 503 if the upstream does not send it.
 */
export async function pullBlob(core: ProxyCore, image: PulledImage, digest: string): Promise<PulledBlob> {
  const cached = await cachedBlob(core, image.groupId, digest);
  if (cached !== undefined) return cached;
  const running = downloads.get(core) ?? new Map<string, Promise<void>>();
  downloads.set(core, running);
  const key = `${image.groupId} ${digest}`;
  const download = running.get(key) ?? downloadBlob(core, image, digest).finally(() => running.delete(key));
  running.set(key, download);
  await download;
  const blob = await cachedBlob(core, image.groupId, digest);
  // The cache was purged in the meantime.
  if (blob === undefined) throw registryFailure(503, 'UNAVAILABLE', 'service unavailable', 'dependencyProxy.purged', 'try again');
  return blob;
}

/** Returns the size of a blob without downloading it, in bytes. Throws as `pullBlob`. */
export async function blobSize(core: ProxyCore, { groupId, name }: PulledImage, digest: string): Promise<number> {
  const known = sizeOfBlob(core.store, groupId, digest);
  if (known !== undefined) return known;
  const response = await requestUpstream(core, { method: 'HEAD', image: name, path: `blobs/${digest}` });
  if (!response.ok) throw upstreamRefusal(response, 'blob');
  return Number(response.headers.get('content-length') ?? 0);
}

/** Returns a cached blob; undefined if its file is missing, for example after a snapshot was restored. */
async function cachedBlob(core: ProxyCore, groupId: number, digest: string): Promise<PulledBlob | undefined> {
  const size = sizeOfBlob(core.store, groupId, digest);
  const file = size === undefined ? undefined : await core.blobFiles.open(digest);
  return size === undefined || file === undefined ? undefined : { size, file };
}

async function downloadBlob(core: ProxyCore, { groupId, name }: PulledImage, digest: string): Promise<void> {
  const response = await requestUpstream(core, { method: 'GET', image: name, path: `blobs/${digest}` });
  if (!response.ok) {
    await response.body?.cancel();
    throw upstreamRefusal(response, 'blob');
  }
  try {
    await core.blobFiles.write(digest, contentOf(response), MAX_BLOB_BYTES, (size) => {
      cacheBlob(core, { groupId, digest, size });
    });
  } catch (error) {
    throw error instanceof WrongContent ? wrongContent(error.message) : error;
  }
}

function wrongContent(reason: string): WireFailure {
  const text = 'the content of the upstream does not match its digest';
  return registryFailure(502, 'DIGEST_INVALID', text, 'dependencyProxy.digest', reason);
}
