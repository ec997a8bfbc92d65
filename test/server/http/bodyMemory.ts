import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { lazy } from '../../../server/support/lazy.ts';

const MEBIBYTE = 1024 * 1024;
const DECOMPRESSED = 39 * MEBIBYTE;

export interface CompressedAttack {
  readonly origin: string;
  readonly projectId: number;
  /** Client key of the requests; undefined: none. */
  readonly key?: string;
  readonly requests: number;
}

/** Compressed bodies with and without Content-Encoding. */
const compressions = [
  { compress: gzipSync, encoding: undefined },
  { compress: gzipSync, encoding: 'gzip' },
  { compress: deflateSync, encoding: 'deflate' },
  { compress: brotliCompressSync, encoding: 'br' },
  { compress: zstdCompressSync, encoding: 'zstd' },
] as const;

/** Compressed once, because it takes seconds in which this process would not notice that the server closes idle connections. */
const compressedBodies = lazy(() => {
  const start = '{}\n{"type":"event"}\n{"message":"';
  const plain = Buffer.concat([Buffer.from(start), Buffer.alloc(DECOMPRESSED, 'a')]);
  return compressions.map(({ compress, encoding }) => ({ body: new Uint8Array(compress(plain)), encoding }));
});

/**
 * Sends requests with 39 MB in at most 38 KB each to an ingestion path, all at once. Returns the number of responses by status.
 */
export async function sendCompressedBodies({ origin, projectId, key, requests }: CompressedAttack): Promise<Map<number, number>> {
  const bodies = compressedBodies().map(({ body, encoding }) => ({
    body,
    headers: {
      ...(encoding === undefined ? {} : { 'Content-Encoding': encoding }),
      ...(key === undefined ? {} : { 'X-Sentry-Auth': `Sentry sentry_version=7, sentry_key=${key}` }),
    },
  }));
  const address = `${origin}/api/v4/error_tracking/collector/api/${projectId}/envelope/`;
  const statuses = await Promise.all(
    Array.from({ length: requests }, async (_, index) => {
      const response = await fetch(address, { method: 'POST', ...bodies[index % bodies.length] });
      await response.arrayBuffer();
      return response.status;
    }),
  );
  const counts = new Map<number, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return counts;
}
