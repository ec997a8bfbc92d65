import { once } from 'node:events';
import { Transform, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { unreadable } from '../../core/errors.ts';
import { WireFailure } from '../../http/wireFailure.ts';
import type { RequestContext } from '../../http/requestContext.ts';

/** Returns the environment that passes the protocol version of the client to git. */
export function protocolOf({ headers }: RequestContext): Readonly<Record<string, string>> {
  const sent = headers['git-protocol'];
  const version = typeof sent === 'string' ? sent.split(':').find((part) => /^version=[0-2]$/.test(part)) : undefined;
  return version === undefined ? {} : { GIT_PROTOCOL: version };
}

/** @throws {WireFailure} 415 if the body of a request is not one of this service, like `git http-backend`. */
export function demandContentType({ headers }: RequestContext, service: string): void {
  const expected = `application/x-${service}-request`;
  const received = headers['content-type'] ?? '';
  if (received === expected) return;
  const text = `Expected POST with Content-Type '${expected}', but received '${received.slice(0, 100)}' instead.`;
  throw new WireFailure(415, text, { rule: 'content-type', reason: text });
}

/**
 * Returns the streams that the body of a request passes through: decompression if it is compressed, and a limit on the size of the result.
 *
 * @throws {WireFailure} 415 for an unknown compression.
 */
export function bodyStages({ headers }: RequestContext, limit: number): readonly Transform[] {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return [sizeLimit(limit)];
  if (encoding === 'gzip' || encoding === 'x-gzip') return [createGunzip(), sizeLimit(limit)];
  const text = `The Content-Encoding '${encoding.slice(0, 100)}' is not supported. Send gzip, or no compression.`;
  throw new WireFailure(415, text, { rule: 'content-encoding', reason: text });
}

/** Returns the error of a body that could not be read to its end. */
export function bodyFailure(error: unknown): Error {
  return error instanceof WireFailure ? error : unreadable('the body is incomplete, or is not valid gzip data');
}

/** Returns a stream that fails with 413 when more than `limit` bytes have passed through it. */
function sizeLimit(limit: number): Transform {
  let size = 0;
  return new Transform({
    // A reader of bytes would join the waiting chunks to a new one, so that their memory could not be freed at once.
    readableObjectMode: true,
    readableHighWaterMark: 4,
    transform: (chunk: Buffer, _encoding, done) => {
      size += chunk.length;
      if (size <= limit) return done(null, chunk);
      const text = `The request is larger than ${limit} bytes.`;
      done(new WireFailure(413, text, { rule: 'body.size', reason: text }));
    },
  });
}

/**
 * Time in which git must continue a pack, in milliseconds. Only the time in which the server waits for git counts. While git counts objects,
 * it sends signs of life and progress, which are not parts of a pack.
 */
export const PACK_TIME = 120_000;
/** Length from which output of git counts as a part of a pack, in bytes. */
const PACK_PART = 1024;

/** Passes on the output of git. Calls `end` if git takes longer than `limit` until the next part of a pack. */
export async function* continued(output: AsyncIterable<Buffer>, limit: number, end: () => void): AsyncGenerator<Buffer> {
  const chunks = output[Symbol.asyncIterator]();
  let left = limit;
  for (;;) {
    const begin = performance.now();
    const timer = setTimeout(end, left);
    const next = await chunks.next().finally(() => clearTimeout(timer));
    if (next.done === true) return;
    left = next.value.length >= PACK_PART ? limit : Math.max(left - (performance.now() - begin), 0);
    yield next.value;
  }
}

/** Waits until a stream has data or has ended, so that a failure before that can still become an error response. */
export async function begun(stream: Readable): Promise<void> {
  if (stream.readableLength > 0 || stream.readableEnded || stream.destroyed) return;
  await Promise.race([once(stream, 'readable'), once(stream, 'close')]);
}
