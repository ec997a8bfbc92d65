import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { freeBuffer } from '../../../support/freeBuffer.ts';
import type { BodyStart } from '../../../http/requestContext.ts';
import { lazy } from '../../../support/lazy.ts';
import { IngestFailure } from './ingestFailure.ts';

/** Decoded body of a request by an SDK: an unparsed envelope or JSON. */
export interface DecodedBody {
  readonly bytes: Buffer;
  /** Returns the bytes in the form to store: as received if they were compressed, otherwise deflated by the first call. */
  stored(): StoredBytes;
  /**
   * Frees the memory of `bytes`, which is empty afterwards. Results of `stored` remain valid. Without this the memory would be
   * held for long, because Node's zlib keeps its output until a full garbage collection.
   */
  free(): void;
}

/** Receives a decompressed body in chunks. Chunks do not change afterwards. */
export interface PieceSink {
  /** A returned promise delays the next chunk. */
  push(piece: Buffer): Promise<void> | undefined;
}

/** A compressed body that is too large to be decompressed at once. */
export interface LargeBody {
  /** Body as received, without the base64 encoding of old SDKs. */
  readonly compressed: StoredBytes;
  /** Memory needed for decompression, in bytes, in addition to what the sink stores. */
  readonly workingMemory: number;
  /**
   * Decompresses in a thread, 64 KB at a time, so that memory depends on the sink only. `createSink` is called again if the data
   * turns out to have another format. Rejects like `decodeBody`, and with errors of the sink.
   */
  decodeInto<Sink extends PieceSink>(createSink: () => Sink): Promise<Sink>;
}

/** Compressed bytes. `unpack` restores them. */
export interface StoredBytes {
  readonly form: StoredForm;
  readonly data: Buffer;
}

export type StoredForm = 'gzip' | 'deflate' | 'raw-deflate' | 'br' | 'zstd';

/** Limits in bytes (docs/interface.md#error-ingestion). */
export interface BodyLimits {
  readonly received: number;
  readonly decoded: number;
}

export const bodyLimits: BodyLimits = { received: 20 * 1024 * 1024, decoded: 40 * 1024 * 1024 };

/**
 * Larger bodies, as received or decoded, are decompressed in chunks in a thread of Node. For smaller ones the overhead would
 * exceed the work.
 */
const SYNC_RECEIVED = 64 * 1024;
const SYNC_DECODED = 256 * 1024;
/** Default size of zlib's output chunks. */
const DEFAULT_CHUNK = 16 * 1024;
/** Chunk size for large bodies, in bytes. */
const LARGE_BODY_CHUNK = 64 * 1024;
/** Chunk size for the start of a body. Small, because the next chunk is decompressed while one is read, and may not be needed. */
const BODY_START_CHUNK = 2048;
/** Maximum number of bytes that Node reads from a connection at once. */
const MAX_SOCKET_CHUNK = 64 * 1024;
const NEWLINE = 0x0a;

interface Codec {
  readonly sync: (data: Buffer, options: { readonly maxOutputLength: number; readonly chunkSize?: number }) => Buffer;
  readonly stream: (options: { readonly chunkSize: number; readonly readableHighWaterMark: number }) => Transform;
  /** Maximum number of preceding bytes that the decompressor needs. */
  readonly window: number;
}

const codecs: { readonly [form in StoredForm]: Codec | undefined } = {
  gzip: { sync: zlib.gunzipSync, stream: zlib.createGunzip, window: 32 * 1024 },
  deflate: { sync: zlib.inflateSync, stream: zlib.createInflate, window: 32 * 1024 },
  'raw-deflate': { sync: zlib.inflateRawSync, stream: zlib.createInflateRaw, window: 32 * 1024 },
  br: { sync: zlib.brotliDecompressSync, stream: zlib.createBrotliDecompress, window: 16 * 1024 * 1024 },
  // Available since Node 22.15. A frame can request a larger window, but never uses more than is decompressed.
  zstd:
    typeof zlib.zstdDecompressSync === 'function'
      ? { sync: zlib.zstdDecompressSync, stream: zlib.createZstdDecompress, window: bodyLimits.decoded }
      : undefined,
};

/**
 * Decodes a body by its Content-Encoding (docs/interface.md#error-ingestion): gzip, deflate with or without the zlib wrapper, br,
 * zstd or identity. Without one, also unmarked gzip and the base64 of old SDKs. Only one encoding is supported. Small bodies are
 * decoded at once; larger ones are decoded by `decodeInto`. Throws `IngestFailure`: 400 if the body is empty, truncated or has
 * another format; 413 if it is too large, compressed or not; 415 if the encoding is unknown.
 */
export function decodeBody(
  received: Buffer,
  contentEncoding: string | undefined,
  limits: BodyLimits = bodyLimits,
): DecodedBody | LargeBody {
  const packed = packedOf(received, contentEncoding, limits);
  if (packed === undefined) {
    if (received.length > limits.decoded) throw tooLarge(limits.decoded, 'as it was sent');
    return { bytes: received, stored: lazy(() => deflated(received)), free: () => freeReceived(received) };
  }
  const decoded = decompressedAtOnce(packed, limits.decoded);
  if (decoded === undefined) return largeBody(packed, limits.decoded);
  const { form, bytes } = decoded;
  if (bytes.length === 0) throw emptyDecompressed();
  // If compression made the body larger, it is deflated again for storage.
  const stored = packed.data.length <= bytes.length ? { form, data: packed.data } : undefined;
  return { bytes, stored: lazy(() => stored ?? deflated(bytes)), free: () => free(bytes) };
}

/** Throws the errors of `decodeBody` that the start of a body reveals without decompression. */
export function checkDecodable(start: Buffer, contentEncoding: string | undefined): void {
  packedOf(start, contentEncoding, bodyLimits);
}

/**
 * Returns the first line of a body that begins with `start`, without its line break, or undefined if it is longer than `most`
 * bytes. Little more is decompressed, except by Brotli, which fills its window before it returns anything; this memory is
 * reserved with `reserveMemory`. Rejects like `decodeBody`, for the decompressed part.
 */
export async function decodeFirstLine(
  start: BodyStart,
  contentEncoding: string | undefined,
  most: number,
  reserveMemory: (bytes: number) => Promise<void>,
): Promise<Buffer | undefined> {
  const packed = packedOf(start.bytes, contentEncoding, bodyLimits);
  if (packed?.form === 'br') await reserveMemory(codecOf(packed.form).window);
  return packed === undefined
    ? firstLineOf([start.bytes], start.isWhole, most)
    : decompressFirstLine(packed, start.isWhole, most);
}

/** Restores stored bytes. Throws errors of zlib, because the bytes come from the database only. */
export function unpack({ form, data }: StoredBytes): Buffer {
  return codecOf(form).sync(data, { maxOutputLength: bodyLimits.decoded });
}

/** Returns JSON that an SDK compressed and encoded in base64 (raven-node, PHP 1, sentry-raven), or undefined. */
export function base64Deflated(text: Buffer): Buffer | undefined {
  // The first two bytes of the zlib header are in the first four characters.
  if (!isZlib(Buffer.from(text.toString('latin1', 0, 4), 'base64'))) return undefined;
  return Buffer.from(text.toString('latin1'), 'base64');
}

type Encoding = 'gzip' | 'deflate' | 'br' | 'zstd' | 'identity';

function encodingOf(header: string | undefined): Encoding {
  // Ruby sends an empty header with small bodies.
  if (header === undefined || header === '') return 'identity';
  if (header === 'gzip') return 'gzip';
  const names = header
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length > 1) throw new IngestFailure(415, 'Content-Encoding names more than one encoding; one is taken');
  switch (names[0]) {
    case undefined:
      return 'identity';
    case 'gzip':
    case 'x-gzip':
      return 'gzip';
    case 'deflate':
      return 'deflate';
    case 'br':
      return 'br';
    case 'zstd':
      if (codecs.zstd !== undefined) return 'zstd';
  }
  const known = codecs.zstd === undefined ? 'gzip, deflate, br and identity' : 'gzip, deflate, br, zstd and identity';
  throw new IngestFailure(415, `the Content-Encoding is not known; ${known} are`);
}

interface Packed {
  readonly form: StoredForm;
  readonly data: Buffer;
  readonly encoding: Encoding;
}

/** Returns how a body is compressed, or undefined if it is not. Throws `IngestFailure` like `decodeBody`. */
function packedOf(received: Buffer, contentEncoding: string | undefined, limits: BodyLimits): Packed | undefined {
  if (received.length > limits.received) throw tooLarge(limits.received, 'as it was sent');
  if (received.length === 0) throw new IngestFailure(400, 'the body is empty');
  const encoding = encodingOf(contentEncoding);
  if (encoding !== 'identity') return { form: formOf(encoding, received), data: received, encoding };
  const found = detectUnmarked(received);
  return found === undefined ? undefined : { ...found, encoding };
}

/** Some proxies and SDKs compress without a header. */
function detectUnmarked(received: Buffer): { readonly form: StoredForm; readonly data: Buffer } | undefined {
  if (received[0] === 0x1f && received[1] === 0x8b) return { form: 'gzip', data: received };
  const data = base64Deflated(received);
  return data === undefined ? undefined : { form: 'deflate', data };
}

/** `deflate` is the zlib format (RFC 9110 §8.4.1.2), but some senders omit its wrapper. */
function formOf(encoding: Exclude<Encoding, 'identity'>, received: Buffer): StoredForm {
  return encoding === 'deflate' && !isZlib(received) ? 'raw-deflate' : encoding;
}

/** RFC 1950 §2.2: the method is 8, and the first two bytes are a multiple of 31. */
function isZlib(bytes: Buffer): boolean {
  if (bytes.length < 2) return false;
  const head = bytes.readUInt16BE(0);
  return (head & 0x0f00) === 0x0800 && head % 31 === 0;
}

/** Returns undefined if the body is too large to be decompressed at once. */
function decompressedAtOnce(packed: Packed, most: number): { readonly form: StoredForm; readonly bytes: Buffer } | undefined {
  const { form, data } = packed;
  if (data.length >= SYNC_RECEIVED || statedLength(packed) > SYNC_DECODED) return undefined;
  const options = { maxOutputLength: Math.min(most, SYNC_DECODED), chunkSize: chunkSizeFor(packed) };
  try {
    return { form, bytes: codecOf(form).sync(data, options) };
  } catch (error) {
    if (isTooLarge(error)) {
      if (most > SYNC_DECODED) return undefined;
      throw tooLarge(most, 'decompressed');
    }
    const other = otherForm(packed);
    if (other === undefined) throw damaged(packed.encoding);
    return decompressedAtOnce(other, most);
  }
}

/** By chance, one in 500 bodies without a zlib wrapper looks as if it had one. */
function otherForm({ form, data, encoding }: Packed): Packed | undefined {
  return form === 'deflate' && encoding === 'deflate' ? { form: 'raw-deflate', data, encoding } : undefined;
}

function largeBody(packed: Packed, most: number): LargeBody {
  let { form } = packed;
  const decodeInto = async <Sink extends PieceSink>(createSink: () => Sink): Promise<Sink> => {
    const sink = createSink();
    let length = 0;
    const counted: PieceSink = {
      push: (piece) => {
        length += piece.length;
        if (length > most) throw tooLarge(most, 'decompressed');
        return sink.push(piece);
      },
    };
    try {
      await decompressInto(form, packed.data, LARGE_BODY_CHUNK, counted);
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      const other = otherForm({ ...packed, form });
      if (other === undefined) throw damaged(packed.encoding);
      form = other.form;
      return decodeInto(createSink);
    }
    if (length === 0) throw emptyDecompressed();
    return sink;
  };
  return {
    get compressed() {
      return { form, data: packed.data };
    },
    workingMemory: codecOf(form).window + 4 * LARGE_BODY_CHUNK,
    decodeInto,
  };
}

async function decompressFirstLine(packed: Packed, isWhole: boolean, most: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let length = 0;
  const found = new Error('the first line was found, or is too long');
  const sink: PieceSink = {
    push: (piece) => {
      pieces.push(piece);
      length += piece.length;
      if (length > most || piece.includes(NEWLINE)) throw found;
      return undefined;
    },
  };
  try {
    await decompressInto(packed.form, packed.data, BODY_START_CHUNK, sink);
    if (length === 0 && isWhole) throw emptyDecompressed();
  } catch (error) {
    if (error instanceof Damaged) {
      const other = otherForm(packed);
      if (other !== undefined) return decompressFirstLine(other, isWhole, most);
      // The rest of the body has not been received yet.
      if (isWhole || !error.isCutOff) throw damaged(packed.encoding);
    } else if (error !== found) throw error;
  }
  return firstLineOf(pieces, isWhole, most);
}

function firstLineOf(pieces: readonly Buffer[], isWhole: boolean, most: number): Buffer | undefined {
  const [first] = pieces;
  const bytes = first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
  const newline = bytes.indexOf(NEWLINE);
  if (newline === -1) return isWhole && bytes.length <= most ? bytes : undefined;
  return newline <= most ? bytes.subarray(0, newline) : undefined;
}

/** Error of zlib, as opposed to an error of a sink. */
class Damaged extends Error {
  readonly isCutOff: boolean;

  constructor(cause: unknown) {
    super('the data cannot be decompressed', { cause });
    this.isCutOff = cause instanceof Error && 'code' in cause && cause.code === 'Z_BUF_ERROR';
  }
}

/** Decompresses in a thread. Throws `Damaged`, and errors of the sink, which end it. */
async function decompressInto(form: StoredForm, data: Buffer, pieceSize: number, sink: PieceSink): Promise<void> {
  const stream = codecOf(form).stream({ chunkSize: pieceSize, readableHighWaterMark: pieceSize });
  try {
    // Brotli returns nothing before it has processed all written data or filled its window.
    for (let at = 0; at < data.length; at += pieceSize) stream.write(data.subarray(at, at + pieceSize));
    stream.end();
    const pieces: AsyncIterator<Buffer, undefined> = stream[Symbol.asyncIterator]();
    for (;;) {
      const next = await nextOf(pieces);
      if (next.done === true) return;
      const waiting = sink.push(next.value);
      if (waiting !== undefined) await waiting;
    }
  } finally {
    stream.destroy();
  }
}

async function nextOf(pieces: AsyncIterator<Buffer, undefined>): Promise<IteratorResult<Buffer, undefined>> {
  try {
    return await pieces.next();
  } catch (error) {
    throw new Damaged(error);
  }
}

function codecOf(form: StoredForm): Codec {
  const codec = codecs[form];
  if (codec === undefined) throw new Error(`this Node cannot decompress ${form}`);
  return codec;
}

function damaged(encoding: Encoding): IngestFailure {
  const text =
    encoding === 'identity' ? 'the body starts like compressed data' : `the body is not ${encoding} as its Content-Encoding says`;
  return new IngestFailure(400, `${text}, but cannot be decompressed: it is damaged or cut off`);
}

function emptyDecompressed(): IngestFailure {
  return new IngestFailure(400, 'the body is empty once it is decompressed');
}

/** Returns the decompressed length that gzip states (RFC 1952 §2.3.1, ISIZE), or 0. It is only a hint. */
function statedLength({ form, data }: Packed): number {
  return form === 'gzip' && data.length >= 18 ? data.readUInt32LE(data.length - 4) : 0;
}

/**
 * Returns the size of zlib's output chunks. If the length stated by gzip is correct there is a single chunk, which need not be
 * copied. One extra byte shows that nothing follows.
 */
function chunkSizeFor(packed: Packed): number {
  return Math.min(Math.max(statedLength(packed) + 1, DEFAULT_CHUNK), packed.data.length * 100 + DEFAULT_CHUNK, SYNC_DECODED);
}

/** Frees a buffer, except small ones in Node's shared pool. */
function free({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength !== Buffer.poolSize) buffer.transfer(0);
}

/** A body received as one chunk may share its memory with the next request on the connection. */
function freeReceived(received: Buffer): void {
  if (received.length > MAX_SOCKET_CHUNK) freeBuffer(received);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

function tooLarge(most: number, how: string): IngestFailure {
  return new IngestFailure(413, `the body is larger ${how} than the ${Math.floor(most / 1024 / 1024)} MB that are taken`);
}

/** Fastest level: it compresses to a fifth of the size like the others. */
function deflated(bytes: Buffer): StoredBytes {
  return { form: 'deflate', data: zlib.deflateSync(bytes, { level: 1 }) };
}
