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

export interface EnvelopeParser {
  /** Parses the next bytes, which must not change until the end. */
  push(chunk: Buffer): void;
  /** Ends the envelope. Must be called once, after the last bytes. */
  end(): EnvelopeEnd;
}

export interface Envelope extends EnvelopeEnd {
  readonly items: readonly EnvelopeItem[];
}

/** Parses a whole envelope. Throws nothing; see `failure`. */
export function parseEnvelope(body: Buffer, limits: EnvelopeLimits = envelopeLimits): Envelope {
  const items: EnvelopeItem[] = [];
  const parser = createEnvelopeParser((item) => items.push(item), limits);
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
 * Creates a parser that reads an envelope in chunks of any size (docs/interface.md#error-ingestion). Lengths are in bytes, a
 * payload without a length ends with its line, and only a newline or the end may follow a payload. Holds at most one payload, and
 * none of skipped items. Throws only errors of `onItem`.
 */
export function createEnvelopeParser(
  onItem: (item: EnvelopeItem) => void,
  limits: EnvelopeLimits = envelopeLimits,
): EnvelopeParser {
  let expecting: Expecting = 'header';
  let header: JsonObject = {};
  let failure: IngestFailure | undefined;
  let stored = 0;
  let count = 0;
  let isCut = false;
  const skipped = new Map<string, number>();

  // Chunks of the incomplete line or payload.
  let pieces: Buffer[] = [];
  let held = 0;
  let item: JsonObject = header;
  /** Undefined if the payload is skipped. */
  let type: StoredItemType | undefined;
  let remaining = 0;
  let complete: Buffer = nothing;

  const malformed = (text: string): void => {
    failure ??= new IngestFailure(400, text);
    expecting = 'nothing';
    release();
  };
  const release = (): void => {
    pieces = [];
    held = 0;
  };
  const hold = (piece: Buffer): void => {
    if (piece.length === 0) return;
    pieces.push(piece);
    held += piece.length;
  };
  /** Returns the held chunks and the given one. */
  const whole = (last: Buffer): Buffer => {
    if (held === 0) return last;
    const all = Buffer.concat([...pieces, last]);
    release();
    return all;
  };
  const skip = (name: string): void => {
    type = undefined;
    skipped.set(name, (skipped.get(name) ?? 0) + 1);
  };
  const payloadTooLarge = (of: StoredItemType): void => {
    failure ??= new IngestFailure(413, `an item of type ${of} is larger than the ${limits.payload[of]} bytes that are taken`);
    release();
    skip(of);
  };
  const payload = (bytes: Buffer): void => {
    if (type === undefined) return;
    stored += 1;
    onItem({ type, header: item, payload: bytes });
  };

  const readHeader = (line: Buffer): void => {
    const hasMark = line.length >= 3 && line.subarray(0, 3).equals(byteOrderMark);
    const read = readHeaderLine(hasMark ? line.subarray(3) : line);
    if (read === undefined) return malformed('the first line of the envelope is not a JSON object');
    header = read;
    expecting = 'item';
  };
  const readItem = (line: Buffer): void => {
    count += 1;
    if (count > limits.items) {
      isCut = !isBlank(line);
      expecting = 'nothing';
      return;
    }
    // Some envelopes end with more than one newline.
    if (isBlank(line)) return;
    const read = readHeaderLine(line);
    if (read === undefined) return malformed(`the header of item ${count} is not a JSON object on one line`);
    item = read;
    const { type: name, length } = read;
    if (isStoredType(name)) type = name;
    else skip(typeof name === 'string' ? name.slice(0, 100) : '');
    if (length === undefined || length === null) {
      expecting = 'line';
      return;
    }
    if (typeof length !== 'number' || !Number.isSafeInteger(length) || length < 0) {
      return malformed(`the length of item ${count} is not a number of bytes`);
    }
    if (type !== undefined && length > limits.payload[type]) payloadTooLarge(type);
    remaining = length;
    expecting = 'bytes';
  };

  /** Reads from `at` and returns the position where it stopped. */
  const step = (chunk: Buffer, at: number): number => {
    switch (expecting) {
      case 'header':
      case 'item': {
        const newline = chunk.indexOf(NEWLINE, at);
        const end = newline < 0 ? chunk.length : newline;
        if (held + end - at > limits.header) {
          malformed(`a header line is longer than the ${limits.header} bytes that are taken`);
        } else if (newline < 0) {
          hold(chunk.subarray(at));
        } else if (expecting === 'header') {
          readHeader(whole(chunk.subarray(at, end)));
        } else {
          readItem(whole(chunk.subarray(at, end)));
        }
        return end + 1;
      }
      case 'bytes': {
        const end = Math.min(chunk.length, at + remaining);
        remaining -= end - at;
        if (remaining === 0) {
          // The payload is valid only if the line ends after it.
          complete = whole(chunk.subarray(at, end));
          expecting = 'newline';
        } else if (type !== undefined) {
          hold(chunk.subarray(at, end));
        }
        return end;
      }
      case 'line': {
        const newline = chunk.indexOf(NEWLINE, at);
        const end = newline < 0 ? chunk.length : newline;
        if (type !== undefined && held + end - at > limits.payload[type]) payloadTooLarge(type);
        if (newline >= 0) {
          payload(whole(chunk.subarray(at, end)));
          expecting = 'item';
        } else if (type !== undefined) {
          hold(chunk.subarray(at, end));
        }
        return end + 1;
      }
      case 'newline':
        if (chunk[at] === NEWLINE) {
          payload(complete);
          expecting = 'item';
        } else malformed(`item ${count} goes on behind its length, which counts bytes`);
        return at + 1;
      case 'nothing':
        return chunk.length;
    }
  };

  return {
    push: (chunk) => {
      for (let at = 0; at < chunk.length; ) at = step(chunk, at);
    },
    end: () => {
      // The last line needs no line break.
      if (expecting === 'header') {
        const line = whole(nothing);
        if (line.length === 0) malformed('the envelope is empty');
        else readHeader(line);
      } else if (expecting === 'item' && held > 0) readItem(whole(nothing));

      if (expecting === 'newline') payload(complete);
      else if (expecting === 'line' || (expecting === 'bytes' && remaining === 0)) payload(whole(nothing));
      else if (expecting === 'bytes') malformed(`the envelope ends ${remaining} bytes before the end of item ${count}`);
      expecting = 'nothing';
      return { header, stored, skipped, isCut, failure };
    },
  };
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
