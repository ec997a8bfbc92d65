import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { IngestFailure } from './ingestFailure.ts';

/** A body as an SDK wrote it, before it compressed it: an envelope or JSON, which nobody has looked at yet. */
export interface DecodedBody {
  readonly bytes: Buffer;
  /**
   * The same bytes in the form in which they are best kept: as they were received when they were compressed, else deflated, which is done
   * by the first call.
   */
  kept(): KeptBytes;
  /**
   * Gives the memory of `bytes` back, which are empty from then on; what `kept` has answered stays. Left to the collection of garbage they
   * would lie for long: Node's zlib holds on to what it has made until all memory is looked through.
   */
  free(): void;
}

/** Compressed bytes; `unpack` has them again as they were. */
export interface KeptBytes {
  readonly form: KeptForm;
  readonly data: Buffer;
}

export type KeptForm = 'gzip' | 'deflate' | 'raw-deflate' | 'br' | 'zstd';

/** Bytes; errors.md §2.2. */
export interface BodyLimits {
  readonly received: number;
  readonly decoded: number;
}

export const bodyLimits: BodyLimits = { received: 20 * 1024 * 1024, decoded: 40 * 1024 * 1024 };

/** Above so many received bytes, or decoded ones, a thread of Node's does it: the hand-over costs more than to decode an event. */
const SYNC_RECEIVED = 64 * 1024;
const SYNC_DECODED = 1024 * 1024;
/** Of what zlib answers in, where nothing better is known. */
const PIECE = 16 * 1024;

interface Codec {
  readonly sync: (data: Buffer, options: { readonly maxOutputLength: number; readonly chunkSize?: number }) => Buffer;
  readonly async: (data: Buffer, options: { readonly maxOutputLength: number }) => Promise<Buffer>;
}

const codecs: { readonly [form in KeptForm]: Codec | undefined } = {
  gzip: { sync: zlib.gunzipSync, async: promisify(zlib.gunzip) },
  deflate: { sync: zlib.inflateSync, async: promisify(zlib.inflate) },
  'raw-deflate': { sync: zlib.inflateRawSync, async: promisify(zlib.inflateRaw) },
  br: { sync: zlib.brotliDecompressSync, async: promisify(zlib.brotliDecompress) },
  // Node has it since 22.15.
  zstd:
    typeof zlib.zstdDecompressSync === 'function'
      ? { sync: zlib.zstdDecompressSync, async: promisify(zlib.zstdDecompress) }
      : undefined,
};

/**
 * What stands in a body, by its Content-Encoding (errors.md §1.4): gzip, deflate with and without its wrapping, br, zstd, identity; without
 * one also unmarked gzip and the base64 of old SDKs. One level only. Small bodies are decoded at once, others in a thread.
 * Rejects with `IngestFailure`: 400 empty, cut off or not what it says; 413 too large on either side; 415 an encoding that is not known.
 */
export async function decodeBody(
  received: Buffer,
  contentEncoding: string | undefined,
  limits: BodyLimits = bodyLimits,
): Promise<DecodedBody> {
  if (received.length > limits.received) throw tooLarge(limits.received, 'as it was sent');
  if (received.length === 0) throw new IngestFailure(400, 'the body is empty');
  const encoding = encodingOf(contentEncoding);
  const packed = encoding === 'identity' ? unmarked(received) : { form: formOf(encoding, received), data: received };
  if (packed === undefined) {
    if (received.length > limits.decoded) throw tooLarge(limits.decoded, 'as it was sent');
    return { bytes: received, kept: once(() => deflated(received)), free: () => {} };
  }
  const { form, bytes } = await decompressed(packed.form, packed.data, encoding, limits.decoded);
  if (bytes.length === 0) throw new IngestFailure(400, 'the body is empty once it is decompressed');
  // Bytes that compression made larger are kept as others are.
  const kept = packed.data.length <= bytes.length ? { form, data: packed.data } : undefined;
  return { bytes, kept: once(() => kept ?? deflated(bytes)), free: () => free(bytes) };
}

/** What was kept, as it was before. Throws zlib's errors: such bytes come from the database only. */
export function unpack({ form, data }: KeptBytes): Buffer {
  const codec = codecs[form];
  if (codec === undefined) throw new Error(`this Node cannot decompress ${form}`);
  return codec.sync(data, { maxOutputLength: bodyLimits.decoded });
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

/** Some proxies and SDKs compress without saying so. */
function unmarked(received: Buffer): { readonly form: KeptForm; readonly data: Buffer } | undefined {
  if (received[0] === 0x1f && received[1] === 0x8b) return { form: 'gzip', data: received };
  const data = base64Deflated(received);
  return data === undefined ? undefined : { form: 'deflate', data };
}

/** `deflate` is zlib's format (RFC 9110 §8.4.1.2), which some senders leave out. */
function formOf(encoding: Exclude<Encoding, 'identity'>, received: Buffer): KeptForm {
  return encoding === 'deflate' && !isZlib(received) ? 'raw-deflate' : encoding;
}

/** RFC 1950 §2.2: the method is 8, and the first two bytes are a multiple of 31. */
function isZlib(bytes: Buffer): boolean {
  if (bytes.length < 2) return false;
  const head = bytes.readUInt16BE(0);
  return (head & 0x0f00) === 0x0800 && head % 31 === 0;
}

async function decompressed(
  form: KeptForm,
  data: Buffer,
  encoding: Encoding,
  most: number,
): Promise<{ readonly form: KeptForm; readonly bytes: Buffer }> {
  try {
    return { form, bytes: await run(form, data, most) };
  } catch (error) {
    if (isTooLarge(error)) throw tooLarge(most, 'decompressed');
    // Two bytes look like zlib's wrapping by chance in one of 500 bodies without it.
    if (form === 'deflate' && encoding === 'deflate') return await decompressed('raw-deflate', data, encoding, most);
    const words =
      encoding === 'identity'
        ? 'the body starts like compressed data'
        : `the body is not ${encoding} as its Content-Encoding says`;
    throw new IngestFailure(400, `${words}, but cannot be decompressed: it is damaged or cut off`);
  }
}

async function run(form: KeptForm, data: Buffer, most: number): Promise<Buffer> {
  const codec = codecs[form];
  if (codec === undefined) throw new Error(`this Node cannot decompress ${form}`);
  if (data.length < SYNC_RECEIVED) {
    try {
      return codec.sync(data, { maxOutputLength: Math.min(most, SYNC_DECODED), chunkSize: pieceOf(form, data) });
    } catch (error) {
      if (!isTooLarge(error) || most <= SYNC_DECODED) throw error;
    }
  }
  return await codec.async(data, { maxOutputLength: most });
}

/**
 * The size of the pieces in which zlib answers. What gzip says about the length (RFC 1952 §2.3.1, ISIZE) is a promise of the sender, taken for
 * a hint: when it is true there is one piece, which need not be copied together with others. One byte more says that there is no more.
 */
function pieceOf(form: KeptForm, data: Buffer): number {
  const said = form === 'gzip' && data.length >= 18 ? data.readUInt32LE(data.length - 4) + 1 : 0;
  return Math.min(Math.max(said, PIECE), data.length * 100 + PIECE, SYNC_DECODED);
}

/** Small ones may lie in the pool of Node's, which is other people's too. */
function free({ buffer }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength !== Buffer.poolSize) buffer.transfer(0);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

function tooLarge(most: number, how: string): IngestFailure {
  return new IngestFailure(413, `the body is larger ${how} than the ${Math.floor(most / 1024 / 1024)} MB that are taken`);
}

/** The fastest level: a fifth of the size is kept either way. */
function deflated(bytes: Buffer): KeptBytes {
  return { form: 'deflate', data: zlib.deflateSync(bytes, { level: 1 }) };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
