import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import type { BodyStart } from '../../http/requestContext.ts';
import { lazy } from '../../lazy.ts';
import { IngestFailure } from './ingestFailure.ts';

/** A body as an SDK wrote it, before it compressed it: an envelope or JSON, which nobody has looked at yet. */
export interface DecodedBody {
  readonly bytes: Buffer;
  /**
   * The same bytes in the form in which they are best kept: as they were received when they were compressed, else deflated, which is done
   * by the first call.
   */
  stored(): StoredBytes;
  /**
   * Gives the memory of `bytes` back, which are empty from then on; what `kept` has answered stays. Left to the collection of garbage they
   * would lie for long: Node's zlib holds on to what it has made until all memory is looked through.
   */
  free(): void;
}

/** Takes a decompressed body piece by piece. A piece does not change afterwards. */
export interface PieceSink {
  /** A promise holds back the next piece until it is fulfilled. */
  push(piece: Buffer): Promise<void> | undefined;
}

/** A compressed body that is too large to be decompressed at once. */
export interface LargeBody {
  /** The body as it was received, without the base64 of old SDKs. */
  readonly compressed: StoredBytes;
  /** Bytes that decompressing takes, beside what the sink keeps. */
  readonly workingMemory: number;
  /**
   * Decompresses in a thread, 64 KB at a time, so that the memory that is needed is what the sink keeps. `createSink` is called again
   * when the first try shows that the data has another form. Rejects as `decodeBody` throws, and with what the sink throws.
   */
  decodeInto<Sink extends PieceSink>(createSink: () => Sink): Promise<Sink>;
}

/** Compressed bytes; `unpack` has them again as they were. */
export interface StoredBytes {
  readonly form: StoredForm;
  readonly data: Buffer;
}

export type StoredForm = 'gzip' | 'deflate' | 'raw-deflate' | 'br' | 'zstd';

/** In bytes (docs/interface.md#error-ingestion). */
export interface BodyLimits {
  readonly received: number;
  readonly decoded: number;
}

export const bodyLimits: BodyLimits = { received: 20 * 1024 * 1024, decoded: 40 * 1024 * 1024 };

/**
 * Bodies with more bytes than this, as received or decoded, are decompressed piece by piece in a thread of Node's. For smaller ones the
 * hand-over costs more than to decompress them.
 */
const SYNC_RECEIVED = 64 * 1024;
const SYNC_DECODED = 256 * 1024;
/** Of what zlib answers in, where nothing better is known. */
const PIECE = 16 * 1024;
/** Bytes of the pieces in which large bodies are decompressed. */
const PIECE_OF_LARGE = 64 * 1024;
/** The next piece is decompressed while one is looked at: these are small, so that little is decompressed for nothing. */
const PIECE_OF_START = 2048;
/** Bytes that Node reads from a connection at once, at most. */
const MAX_SOCKET_CHUNK = 64 * 1024;
const NEWLINE = 0x0a;

interface Codec {
  readonly sync: (data: Buffer, options: { readonly maxOutputLength: number; readonly chunkSize?: number }) => Buffer;
  readonly stream: (options: { readonly chunkSize: number; readonly readableHighWaterMark: number }) => Transform;
  /** Bytes of the data before it that a decompressor needs, at most. */
  readonly window: number;
}

const codecs: { readonly [form in StoredForm]: Codec | undefined } = {
  gzip: { sync: zlib.gunzipSync, stream: zlib.createGunzip, window: 32 * 1024 },
  deflate: { sync: zlib.inflateSync, stream: zlib.createInflate, window: 32 * 1024 },
  'raw-deflate': { sync: zlib.inflateRawSync, stream: zlib.createInflateRaw, window: 32 * 1024 },
  br: { sync: zlib.brotliDecompressSync, stream: zlib.createBrotliDecompress, window: 16 * 1024 * 1024 },
  // Node has it since 22.15. A frame may ask for a larger window, of which no more is used than is decompressed.
  zstd:
    typeof zlib.zstdDecompressSync === 'function'
      ? { sync: zlib.zstdDecompressSync, stream: zlib.createZstdDecompress, window: bodyLimits.decoded }
      : undefined,
};

/**
 * Decodes a body by its Content-Encoding (docs/interface.md#error-ingestion): gzip, deflate with and without its wrapping, br, zstd,
 * identity; without one also unmarked gzip and the base64 of old SDKs. One level only. Small bodies are decoded at once; larger ones are left to `decodeInto`.
 * Throws `IngestFailure`: 400 empty, cut off or not what it says; 413 too large on either side; 415 an encoding that is not known.
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
  if (bytes.length === 0) throw emptyInside();
  // Bytes that compression made larger are kept as others are.
  const stored = packed.data.length <= bytes.length ? { form, data: packed.data } : undefined;
  return { bytes, stored: lazy(() => stored ?? deflated(bytes)), free: () => free(bytes) };
}

/** Throws what `decodeBody` throws for the beginning of a body before it decompresses anything. */
export function checkDecodable(start: Buffer, contentEncoding: string | undefined): void {
  packedOf(start, contentEncoding, bodyLimits);
}

/**
 * The first line of a body of which `start` are the first bytes, without its end. Undefined where it has more than `most` bytes; not many
 * more are decompressed, except by Brotli, which decompresses as much as its window holds before it gives anything out: `reserveMemory` is
 * asked for that. Rejects as `decodeBody` throws, for as much as is decompressed.
 */
export async function decodeFirstLine(
  start: BodyStart,
  contentEncoding: string | undefined,
  most: number,
  reserveMemory: (bytes: number) => Promise<void>,
): Promise<Buffer | undefined> {
  const packed = packedOf(start.bytes, contentEncoding, bodyLimits);
  if (packed?.form === 'br') await reserveMemory(codecOf(packed.form).window);
  return packed === undefined ? firstLineOf([start.bytes], start.isWhole, most) : firstLineInside(packed, start.isWhole, most);
}

/** What was kept, as it was before. Throws zlib's errors: such bytes come from the database only. */
export function unpack({ form, data }: StoredBytes): Buffer {
  return codecOf(form).sync(data, { maxOutputLength: bodyLimits.decoded });
}

/** JSON that an SDK compressed and wrote as base64 text (raven-node, PHP 1, sentry-raven), else undefined. */
export function base64Deflated(text: Buffer): Buffer | undefined {
  // The two first bytes of zlib's wrapping are within the first four letters.
  if (!isZlib(Buffer.from(text.toString('latin1', 0, 4), 'base64'))) return undefined;
  return Buffer.from(text.toString('latin1'), 'base64');
}

type Encoding = 'gzip' | 'deflate' | 'br' | 'zstd' | 'identity';

function encodingOf(header: string | undefined): Encoding {
  // Ruby sends an empty one with small bodies.
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

/** How a body is compressed; undefined where it is not. Throws `IngestFailure` as `decodeBody` does. */
function packedOf(received: Buffer, contentEncoding: string | undefined, limits: BodyLimits): Packed | undefined {
  if (received.length > limits.received) throw tooLarge(limits.received, 'as it was sent');
  if (received.length === 0) throw new IngestFailure(400, 'the body is empty');
  const encoding = encodingOf(contentEncoding);
  if (encoding !== 'identity') return { form: formOf(encoding, received), data: received, encoding };
  const found = unmarked(received);
  return found === undefined ? undefined : { ...found, encoding };
}

/** Some proxies and SDKs compress without saying so. */
function unmarked(received: Buffer): { readonly form: StoredForm; readonly data: Buffer } | undefined {
  if (received[0] === 0x1f && received[1] === 0x8b) return { form: 'gzip', data: received };
  const data = base64Deflated(received);
  return data === undefined ? undefined : { form: 'deflate', data };
}

/** `deflate` is zlib's format (RFC 9110 §8.4.1.2), which some senders leave out. */
function formOf(encoding: Exclude<Encoding, 'identity'>, received: Buffer): StoredForm {
  return encoding === 'deflate' && !isZlib(received) ? 'raw-deflate' : encoding;
}

/** RFC 1950 §2.2: the method is 8, and the first two bytes are a multiple of 31. */
function isZlib(bytes: Buffer): boolean {
  if (bytes.length < 2) return false;
  const head = bytes.readUInt16BE(0);
  return (head & 0x0f00) === 0x0800 && head % 31 === 0;
}

/** Undefined where the body is too large for it. */
function decompressedAtOnce(packed: Packed, most: number): { readonly form: StoredForm; readonly bytes: Buffer } | undefined {
  const { form, data } = packed;
  if (data.length >= SYNC_RECEIVED || lengthSaidBy(packed) > SYNC_DECODED) return undefined;
  const options = { maxOutputLength: Math.min(most, SYNC_DECODED), chunkSize: pieceOf(packed) };
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

/** Two bytes look like zlib's wrapping by chance in one of 500 bodies without it. */
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
      await decompressInto(form, packed.data, PIECE_OF_LARGE, counted);
    } catch (error) {
      if (!(error instanceof Damaged)) throw error;
      const other = otherForm({ ...packed, form });
      if (other === undefined) throw damaged(packed.encoding);
      form = other.form;
      return decodeInto(createSink);
    }
    if (length === 0) throw emptyInside();
    return sink;
  };
  return {
    get compressed() {
      return { form, data: packed.data };
    },
    workingMemory: codecOf(form).window + 4 * PIECE_OF_LARGE,
    decodeInto,
  };
}

async function firstLineInside(packed: Packed, isWhole: boolean, most: number): Promise<Buffer | undefined> {
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
    await decompressInto(packed.form, packed.data, PIECE_OF_START, sink);
    if (length === 0 && isWhole) throw emptyInside();
  } catch (error) {
    if (error instanceof Damaged) {
      const other = otherForm(packed);
      if (other !== undefined) return firstLineInside(other, isWhole, most);
      // What has not been received yet is missing here.
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

/** zlib's complaint, as opposed to what a sink throws. */
class Damaged extends Error {
  readonly isCutOff: boolean;

  constructor(cause: unknown) {
    super('the data cannot be decompressed', { cause });
    this.isCutOff = cause instanceof Error && 'code' in cause && cause.code === 'Z_BUF_ERROR';
  }
}

/** Decompresses in a thread. Throws `Damaged`, and what the sink throws, which ends it. */
async function decompressInto(form: StoredForm, data: Buffer, pieceSize: number, sink: PieceSink): Promise<void> {
  const stream = codecOf(form).stream({ chunkSize: pieceSize, readableHighWaterMark: pieceSize });
  try {
    // Brotli gives nothing out before it has used all that was written, or filled its window.
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

function emptyInside(): IngestFailure {
  return new IngestFailure(400, 'the body is empty once it is decompressed');
}

/** What gzip says of the decompressed length (RFC 1952 §2.3.1, ISIZE): a hint that nothing may depend on. 0 where it says nothing. */
function lengthSaidBy({ form, data }: Packed): number {
  return form === 'gzip' && data.length >= 18 ? data.readUInt32LE(data.length - 4) : 0;
}

/**
 * The size of the pieces in which zlib answers. When the length that gzip says is true there is one piece, which need not be copied together
 * with others. One byte more says that there is no more.
 */
function pieceOf(packed: Packed): number {
  return Math.min(Math.max(lengthSaidBy(packed) + 1, PIECE), packed.data.length * 100 + PIECE, SYNC_DECODED);
}

/** Small ones may lie in the pool of Node's, which is other people's too. */
function free({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength !== Buffer.poolSize) buffer.transfer(0);
}

/** What came as one piece may share its memory with the next request on the connection. */
function freeReceived(received: Buffer): void {
  if (received.length > MAX_SOCKET_CHUNK && received.length === received.buffer.byteLength) free(received);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

function tooLarge(most: number, how: string): IngestFailure {
  return new IngestFailure(413, `the body is larger ${how} than the ${Math.floor(most / 1024 / 1024)} MB that are taken`);
}

/** The fastest level: a fifth of the size is kept either way. */
function deflated(bytes: Buffer): StoredBytes {
  return { form: 'deflate', data: zlib.deflateSync(bytes, { level: 1 }) };
}
