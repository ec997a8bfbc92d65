import { isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject } from '../../../../src/contract/json.ts';
import { IngestFailure } from './ingestFailure.ts';

/** Types of items that are stored. All others are skipped. */
export type StoredItemType = 'event' | 'session' | 'sessions' | 'client_report';

export interface EnvelopeItem {
  readonly type: StoredItemType;
  readonly header: JsonObject;
  /** Unparsed JSON, often a slice of the pushed chunk. */
  readonly payload: Buffer;
}

/** Limits of one envelope (docs/interface.md#error-ingestion). */
export interface EnvelopeLimits {
  /** Bytes of a header line, of the envelope or of an item. */
  readonly header: number;
  /** Number of items of any type. Further ones are ignored. */
  readonly items: number;
  /** Bytes of a payload. */
  readonly payload: { readonly [type in StoredItemType]: number };
}

export const envelopeLimits: EnvelopeLimits = {
  header: 8 * 1024,
  items: 1000,
  payload: { event: 1024 * 1024, session: 64 * 1024, sessions: 1024 * 1024, client_report: 256 * 1024 },
};

/** Result of parsing an envelope, without its items. */
export interface EnvelopeEnd {
  /** Empty if it could not be read. */
  readonly header: JsonObject;
  /** Number of stored items. */
  readonly stored: number;
  /** Number of skipped items by type. Items without a type have an empty type. */
  readonly skipped: ReadonlyMap<string, number>;
  /** True if there were more items than the limit. */
  readonly isCut: boolean;
  /**
   * Reason why something was not read. Malformed data ends the envelope (400); a payload that is too large (413) is skipped. It
   * becomes the response if nothing was stored; otherwise the status is 200.
   */
  readonly failure: IngestFailure | undefined;
}

export interface Envelope extends EnvelopeEnd {
  readonly items: readonly EnvelopeItem[];
}

/** Parses a whole envelope. Throws nothing; see `failure`. */
export function parseEnvelope(body: Buffer, limits: EnvelopeLimits = envelopeLimits): Envelope {
  const items: EnvelopeItem[] = [];
  const parser = new EnvelopeParser((item) => items.push(item), limits);
  parser.push(body);
  return { items, ...parser.end() };
}

/** Next expected part of the envelope. */
type Expecting =
  | 'header'
  | 'item'
  /** A payload of known length. */
  | 'bytes'
  /** A payload up to the end of the line. */
  | 'line'
  /** The end of the line after a payload of known length. */
  | 'newline'
  /** No further part; the rest is ignored. */
  | 'nothing';

const NEWLINE = 0x0a;
const nothing = Buffer.alloc(0);
const byteOrderMark = Buffer.from('\uFEFF');

/**
 * Reads an envelope in chunks of any size (docs/interface.md#error-ingestion). Lengths are in bytes, a payload without a length ends
 * with its line, and only a newline or the end may follow a payload. Holds at most one payload, and none of skipped items. Throws
 * only errors of `onItem`.
 */
export class EnvelopeParser {
  private readonly onItem: (item: EnvelopeItem) => void;
  private readonly limits: EnvelopeLimits;
  private expecting: Expecting = 'header';
  private header: JsonObject = {};
  private failure: IngestFailure | undefined;
  private stored = 0;
  private count = 0;
  private isCut = false;
  private readonly skipped = new Map<string, number>();

  // Chunks of the incomplete line or payload.
  private pieces: Buffer[] = [];
  private held = 0;
  private item: JsonObject = this.header;
  /** Undefined if the payload is skipped. */
  private type: StoredItemType | undefined;
  private remaining = 0;
  private complete: Buffer = nothing;

  constructor(onItem: (item: EnvelopeItem) => void, limits: EnvelopeLimits = envelopeLimits) {
    this.onItem = onItem;
    this.limits = limits;
  }

  /** Parses the next bytes, which must not change until the end. */
  push(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) at = this.step(chunk, at);
  }

  /** Ends the envelope. Must be called once, after the last bytes. */
  end(): EnvelopeEnd {
    // The last line needs no line break.
    if (this.expecting === 'header') {
      const line = this.whole(nothing);
      if (line.length === 0) this.malformed('the envelope is empty');
      else this.readHeader(line);
    } else if (this.expecting === 'item' && this.held > 0) this.readItem(this.whole(nothing));

    const { expecting, remaining } = this;
    if (expecting === 'newline') this.payload(this.complete);
    else if (expecting === 'line' || (expecting === 'bytes' && remaining === 0)) this.payload(this.whole(nothing));
    else if (expecting === 'bytes') this.malformed(`the envelope ends ${remaining} bytes before the end of item ${this.count}`);
    this.expecting = 'nothing';
    const { header, stored, skipped, isCut, failure } = this;
    return { header, stored, skipped, isCut, failure };
  }

  /** Reads from `at` and returns the position where it stopped. */
  private step(chunk: Buffer, at: number): number {
    switch (this.expecting) {
      case 'header':
      case 'item':
        return this.stepInHeader(chunk, at);
      case 'bytes':
        return this.stepInBytes(chunk, at);
      case 'line':
        return this.stepInLine(chunk, at);
      case 'newline':
        if (chunk[at] === NEWLINE) {
          this.payload(this.complete);
          this.expecting = 'item';
        } else this.malformed(`item ${this.count} goes on behind its length, which counts bytes`);
        return at + 1;
      case 'nothing':
        return chunk.length;
    }
  }

  private stepInHeader(chunk: Buffer, at: number): number {
    const newline = chunk.indexOf(NEWLINE, at);
    const end = newline < 0 ? chunk.length : newline;
    if (this.held + end - at > this.limits.header) {
      this.malformed(`a header line is longer than the ${this.limits.header} bytes that are taken`);
    } else if (newline < 0) {
      this.hold(chunk.subarray(at));
    } else if (this.expecting === 'header') {
      this.readHeader(this.whole(chunk.subarray(at, end)));
    } else {
      this.readItem(this.whole(chunk.subarray(at, end)));
    }
    return end + 1;
  }

  private stepInBytes(chunk: Buffer, at: number): number {
    const end = Math.min(chunk.length, at + this.remaining);
    this.remaining -= end - at;
    if (this.remaining === 0) {
      // The payload is valid only if the line ends after it.
      this.complete = this.whole(chunk.subarray(at, end));
      this.expecting = 'newline';
    } else if (this.type !== undefined) {
      this.hold(chunk.subarray(at, end));
    }
    return end;
  }

  private stepInLine(chunk: Buffer, at: number): number {
    const newline = chunk.indexOf(NEWLINE, at);
    const end = newline < 0 ? chunk.length : newline;
    if (this.type !== undefined && this.held + end - at > this.limits.payload[this.type]) this.payloadTooLarge(this.type);
    if (newline >= 0) {
      this.payload(this.whole(chunk.subarray(at, end)));
      this.expecting = 'item';
    } else if (this.type !== undefined) {
      this.hold(chunk.subarray(at, end));
    }
    return end + 1;
  }

  private readHeader(line: Buffer): void {
    const hasMark = line.length >= 3 && line.subarray(0, 3).equals(byteOrderMark);
    const read = readHeaderLine(hasMark ? line.subarray(3) : line);
    if (read === undefined) return this.malformed('the first line of the envelope is not a JSON object');
    this.header = read;
    this.expecting = 'item';
  }

  private readItem(line: Buffer): void {
    this.count += 1;
    if (this.count > this.limits.items) {
      this.isCut = !isBlank(line);
      this.expecting = 'nothing';
      return;
    }
    // Some envelopes end with more than one newline.
    if (isBlank(line)) return;
    const read = readHeaderLine(line);
    if (read === undefined) return this.malformed(`the header of item ${this.count} is not a JSON object on one line`);
    this.item = read;
    const { type: name, length } = read;
    if (isStoredType(name)) this.type = name;
    else this.skip(typeof name === 'string' ? name.slice(0, 100) : '');
    if (length === undefined || length === null) {
      this.expecting = 'line';
      return;
    }
    if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) {
      return this.malformed(`the length of item ${this.count} is not a number of bytes`);
    }
    if (this.type !== undefined && length > this.limits.payload[this.type]) this.payloadTooLarge(this.type);
    this.remaining = length;
    this.expecting = 'bytes';
  }

  private payload(bytes: Buffer): void {
    if (this.type === undefined) return;
    this.stored += 1;
    this.onItem({ type: this.type, header: this.item, payload: bytes });
  }

  private payloadTooLarge(of: StoredItemType): void {
    this.failure ??= new IngestFailure(
      413,
      `an item of type ${of} is larger than the ${this.limits.payload[of]} bytes that are taken`,
    );
    this.release();
    this.skip(of);
  }

  private skip(name: string): void {
    this.type = undefined;
    this.skipped.set(name, (this.skipped.get(name) ?? 0) + 1);
  }

  private malformed(text: string): void {
    this.failure ??= new IngestFailure(400, text);
    this.expecting = 'nothing';
    this.release();
  }

  private hold(piece: Buffer): void {
    if (piece.length === 0) return;
    this.pieces.push(piece);
    this.held += piece.length;
  }

  /** Returns the held chunks and the given one. */
  private whole(last: Buffer): Buffer {
    if (this.held === 0) return last;
    const all = Buffer.concat([...this.pieces, last]);
    this.release();
    return all;
  }

  private release(): void {
    this.pieces = [];
    this.held = 0;
  }
}

function readHeaderLine(line: Buffer): JsonObject | undefined {
  if (!isUtf8(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isBlank(line: Buffer): boolean {
  return line.length === 0 || (line.length === 1 && line[0] === 0x0d);
}

function isStoredType(name: unknown): name is StoredItemType {
  return name === 'event' || name === 'session' || name === 'sessions' || name === 'client_report';
}
