import type { IncomingMessage } from 'node:http';
import type { BodyLease } from './bodyBudget.ts';
import type { BodyStart } from './requestContext.ts';
import { bodyTooSlow } from './failures.ts';
import { tooLarge, unreadable } from '../core/errors.ts';

export interface BodyReceiver {
  /** Returns the whole body. */
  all(): Promise<Buffer>;
  /** Returns at least this many bytes from the start of the body, or all of a shorter body. `all` reads the rest. */
  start(bytes: number): Promise<BodyStart>;
  /** Reads and discards the rest of the body, so that the connection can be used for the next request. */
  discard(): void;
}

/** Time in which a body must arrive, in milliseconds. Bodies that are streamed have no such limit. */
const BODY_TIME_LIMIT = 300_000;

/**
 * Receives the body of a request of at most `limit` bytes. The lease counts each piece; if there is no memory left, receiving pauses until
 * there is. The returned promises reject with 413 if the body is too long, with 408 if it takes too long, with 400 if it ends too early, and
 * with the errors of the lease.
 */
export function receiveBody(
  request: IncomingMessage,
  limit: number,
  lease: BodyLease,
  timeLimit = BODY_TIME_LIMIT,
): BodyReceiver {
  const declared = request.headers['content-length'];
  const pieces: Buffer[] = [];
  let length = 0;
  let state: 'new' | 'receiving' | 'complete' | 'failed' = 'new';
  let failure: unknown;
  let reading: { readonly bytes: number; readonly resolve: () => void; readonly reject: (error: unknown) => void } | undefined;

  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    request.off('data', onData).off('end', onEnd).off('error', onClose).off('close', onClose);
    lease.endReceiving();
  };
  const fail = (error: unknown): void => {
    if (state === 'complete' || state === 'failed') return;
    if (state === 'receiving') stop();
    state = 'failed';
    failure = error;
    pieces.length = 0;
    reading?.reject(error);
  };
  const resolveReading = (): void => {
    if (reading === undefined || (state !== 'complete' && length < reading.bytes)) return;
    if (state !== 'complete') request.pause();
    const { resolve } = reading;
    reading = undefined;
    resolve();
  };
  const onData = (piece: Buffer): void => {
    length += piece.length;
    if (length > limit) return fail(tooLarge(limit));
    pieces.push(piece);
    try {
      const room = lease.add(piece.length);
      if (room === undefined) return resolveReading();
      request.pause();
      room.then(() => {
        if (state !== 'receiving') return;
        request.resume();
        resolveReading();
      }, fail);
    } catch (error) {
      fail(error);
    }
  };
  const onEnd = (): void => {
    stop();
    state = 'complete';
    resolveReading();
  };
  const onClose = (): void => fail(unreadable('the body ended before its declared length'));

  const receive = (bytes: number): Promise<void> =>
    new Promise((resolve, reject) => {
      if (state === 'failed') return reject(failure);
      reading = { bytes, resolve, reject };
      if (state === 'new') {
        if (declared !== undefined && Number(declared) > limit) return fail(tooLarge(limit));
        state = 'receiving';
        timer = setTimeout(() => fail(bodyTooSlow(timeLimit)), timeLimit);
        lease.beginReceiving(fail);
        request.on('data', onData).on('end', onEnd).on('error', onClose).on('close', onClose);
      } else {
        resolveReading();
        if (reading !== undefined) request.resume();
      }
    });
  const received = (): Buffer => {
    const [first] = pieces;
    if (first !== undefined && pieces.length === 1) return first;
    const whole = Buffer.concat(pieces, length);
    pieces.splice(0, pieces.length, whole);
    return whole;
  };

  return {
    all: async () => {
      await receive(Number.POSITIVE_INFINITY);
      return received();
    },
    start: async (bytes) => {
      await receive(bytes);
      return { bytes: received(), isWhole: state === 'complete' };
    },
    discard: () => {
      if (state === 'receiving') {
        stop();
        state = 'failed';
      }
      pieces.length = 0;
      // Node discards a body that nobody has begun to read.
      if (state === 'failed' && !request.readableEnded) request.resume();
    },
  };
}
