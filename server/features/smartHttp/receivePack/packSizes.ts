import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { createInflate, inflateSync } from 'node:zlib';
import { unavailable } from '../../../core/errors.ts';
import type { PackLimits } from '../../../repositories/packLimits.ts';
import { freeBuffer } from '../../../support/freeBuffer.ts';

/** Sizes of the unpacked objects of a pack. */
export interface PackSizes {
  /** Number of objects. */
  readonly objects: number;
  /** Size of all objects and of the data of all deltas, in bytes. */
  readonly total: number;
  /** Size of the largest object that git reads into memory as a whole, in bytes: bases and results of deltas, and all but files. */
  readonly largest: number;
}

/** A small pack may unpack to the limit of the server, a large one to this many times its size if that is more. */
const MAX_RATIO = 200;
/** Size up to which objects are inflated at once, in bytes. */
const MAX_AT_ONCE = 32 * 1024;
/** Number of bytes in which an object is searched that is inflated at once. Compressed data is hardly larger than its content. */
const VIEW = 64 * 1024;
/** Number of bytes that are read from the file at once. */
const WINDOW = 512 * 1024;
/** Size of the pieces in which larger objects are inflated, in bytes. Another one than that of Node's pool, whose memory cannot be freed. */
const PIECE = 128 * 1024;
/** Time in which a pack is read before other work of the server gets a turn, in milliseconds. */
const SLICE = 10;
/** Maximum length of a number of a header. A longer one would be larger than any limit. */
const MAX_NUMBER_BYTES = 8;
/** Length of the two sizes at the beginning of a delta. */
const DELTA_HEAD = 2 * MAX_NUMBER_BYTES;
const ID_BYTES = 20;
const BLOB = 3;
const OFFSET_DELTA = 6;
const REFERENCE_DELTA = 7;
const MIB = 1024 * 1024;

const DAMAGED = 'the pack is cut off or damaged';

/** A pack that is refused. */
class Refusal extends Error {}

/**
 * Reads the sizes in the headers of a pack (gitformat-pack(5)) without unpacking it: a delta of a kilobyte can stand for an object of
 * gigabytes. Compressed data is inflated up to its declared size to find its end, and is not kept. Returns the problem if a size is
 * larger than the limits, or if the pack is invalid.
 *
 * @throws {Unavailable} if the signal is aborted.
 */
export async function readPackSizes(file: string, limits: PackLimits, signal: AbortSignal): Promise<PackSizes | string> {
  const handle = await open(file);
  try {
    return await sizesIn(handle, limits, signal);
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  } finally {
    await handle.close();
  }
}

async function sizesIn(handle: FileHandle, limits: PackLimits, signal: AbortSignal): Promise<PackSizes> {
  const { size: length } = await handle.stat();
  const view = createView(handle, length);
  const start = await view(0);
  if (start.length < 12 || start.toString('latin1', 0, 4) !== 'PACK') throw new Refusal(DAMAGED);
  const objects = start.readUInt32BE(8);
  const maxTotal = Math.max(limits.total, MAX_RATIO * length);
  let total = 0;
  let largest = 0;
  const count = (size: number): void => {
    checkObject(size, limits);
    total += size;
    if (total > maxTotal) throw tooLarge('all objects of the push together are', maxTotal, '--max-unpacked-size');
  };
  let position = 12;
  let sliceStart = performance.now();
  for (let index = 0; index < objects; index += 1) {
    if (performance.now() - sliceStart > SLICE) {
      await turn();
      sliceStart = performance.now();
    }
    if (signal.aborted) throw unavailable('503 Service Unavailable - the push was aborted', 'the push was aborted');
    const bytes = await view(position);
    const { type, size, headerLength } = entryOf(bytes);
    count(size);
    if (type !== BLOB) largest = Math.max(largest, size);
    const found = size <= MAX_AT_ONCE ? inflatedAtOnce(bytes.subarray(headerLength), size) : undefined;
    const { head, compressed } = found ?? (await inflatedInPieces(handle, position + headerLength, size));
    if (type === OFFSET_DELTA || type === REFERENCE_DELTA) {
      const base = numberAt(head, 0);
      const result = numberAt(head, base.end);
      checkObject(base.value, limits);
      count(result.value);
      largest = Math.max(largest, base.value, result.value);
    }
    position += headerLength + compressed;
  }
  return { objects, total, largest };
}

function checkObject(size: number, limits: PackLimits): void {
  if (size > limits.object) throw tooLarge('an object of the push is', limits.object, '--max-object-size');
}

function tooLarge(subject: string, limit: number, option: string): Refusal {
  const mebibytes = (limit / MIB).toFixed(1).replace(/\.0$/, '');
  return new Refusal(`${subject} larger than ${mebibytes} MiB when unpacked, the limit of this server (${option})`);
}

/** End of the last turn that was asked for. */
let lastTurn: Promise<unknown> = Promise.resolve();

/** Lets other work run. Of all packs that are read, only one is read between two turns of the event loop. */
function turn(): Promise<unknown> {
  lastTurn = lastTurn.then(() => setImmediate());
  return lastTurn;
}

/** Returns a function that returns the bytes at a position of a file: `VIEW` of them, or fewer at the end. */
function createView(handle: FileHandle, length: number): (position: number) => Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(Math.min(WINDOW, length));
  let start = 0;
  let held = 0;
  return async (position) => {
    const size = Math.max(Math.min(VIEW, length - position), 0);
    if (position + size > start + held) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
      start = position;
      held = bytesRead;
      await turn();
    }
    return buffer.subarray(position - start, Math.min(position - start + size, held));
  };
}

interface Entry {
  readonly type: number;
  /** Size of the inflated data. */
  readonly size: number;
  readonly headerLength: number;
}

/** Reads the header of an object: type and size, and the base of a delta. */
function entryOf(bytes: Buffer): Entry {
  const first = byteAt(bytes, 0);
  const type = (first >> 4) & 7;
  const rest = first < 0x80 ? { value: 0, end: 1 } : numberAt(bytes, 1);
  const size = (first & 15) + 16 * rest.value;
  if (type >= 1 && type <= 4) return { type, size, headerLength: rest.end };
  if (type === REFERENCE_DELTA) return { type, size, headerLength: rest.end + ID_BYTES };
  if (type === OFFSET_DELTA) return { type, size, headerLength: numberAt(bytes, rest.end).end };
  throw new Refusal(`the pack has an object of the unknown type ${type}`);
}

/** Reads a number of seven bits a byte, the lowest first. */
function numberAt(bytes: Buffer, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let index = 0; index < MAX_NUMBER_BYTES; index += 1) {
    const byte = byteAt(bytes, start + index);
    // Shifts would cut numbers off at 32 bits.
    value += (byte & 0x7f) * 128 ** index;
    if (byte < 0x80) return { value, end: start + index + 1 };
  }
  throw new Refusal(DAMAGED);
}

function byteAt(bytes: Buffer, index: number): number {
  const byte = bytes[index];
  if (byte === undefined) throw new Refusal(DAMAGED);
  return byte;
}

interface Inflated {
  /** The first bytes of the data. */
  readonly head: Buffer;
  /** Length of the compressed data. */
  readonly compressed: number;
}

/** Inflates a small object. Returns undefined if its compressed data does not end in `bytes`. */
function inflatedAtOnce(bytes: Buffer, size: number): Inflated | undefined {
  try {
    const result: unknown = inflateSync(bytes, { info: true, chunkSize: size + 64, maxOutputLength: size + 1 });
    if (!isInfo(result)) throw new Error('zlib did not return the length of the compressed data');
    if (result.buffer.length !== size) throw new Refusal(DAMAGED);
    return { head: result.buffer, compressed: result.engine.bytesWritten };
  } catch (error) {
    if (codeOf(error) === 'Z_BUF_ERROR') return undefined;
    throw asRefusal(error);
  }
}

/** Checks the result of zlib with the option `info`, which its type omits. */
function isInfo(result: unknown): result is { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } } {
  return typeof result === 'object' && result !== null && 'buffer' in result && 'engine' in result;
}

/** Inflates a large object outside of the thread of the server, piece by piece. */
async function inflatedInPieces(handle: FileHandle, start: number, size: number): Promise<Inflated> {
  const inflate = createInflate({ chunkSize: PIECE });
  // Errors are raised where the result is read.
  pipeline(piecesFrom(handle, start), inflate, () => undefined);
  const pieces: AsyncIterable<Buffer> = inflate;
  let head: Buffer = Buffer.alloc(0);
  let length = 0;
  try {
    for await (const piece of pieces) {
      if (head.length < DELTA_HEAD) head = Buffer.concat([head, piece.subarray(0, DELTA_HEAD)]);
      length += piece.length;
      if (length > size) break;
      // The pieces of a buffer arrive in order.
      if (piece.byteOffset + piece.length === piece.buffer.byteLength) freeBuffer(new Uint8Array(piece.buffer));
    }
  } catch (error) {
    throw asRefusal(error);
  } finally {
    inflate.destroy();
  }
  if (length !== size) throw new Refusal(DAMAGED);
  return { head, compressed: inflate.bytesWritten };
}

/** Reads a file from a position, in pieces whose memory is freed when the next one is asked for. */
async function* piecesFrom(handle: FileHandle, start: number): AsyncGenerator<Buffer> {
  for (let position = start; ; ) {
    const buffer = Buffer.allocUnsafeSlow(PIECE);
    const { bytesRead } = await handle.read(buffer, 0, PIECE, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    // A piece of this size makes the stream wait until it is used.
    yield buffer.subarray(0, bytesRead);
    if (bytesRead === PIECE) freeBuffer(buffer);
  }
}

/** Returns the refusal of data that zlib cannot inflate, or that is larger than its declared size. */
function asRefusal(error: unknown): unknown {
  const code = codeOf(error);
  return code?.startsWith('Z_') === true || code === 'ERR_BUFFER_TOO_LARGE' ? new Refusal(DAMAGED) : error;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
