import { isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject } from '../../../src/contract/json.ts';
import { IngestFailure } from './ingestFailure.ts';

/** The types of items that are kept; all others are read past. */
export type StoredItemType = 'event' | 'session' | 'sessions' | 'client_report';

export interface EnvelopeItem {
  readonly type: StoredItemType;
  readonly header: JsonObject;
  /** Bytes of JSON that nobody has looked at yet; often a part of what was pushed. */
  readonly payload: Buffer;
}

/** Limits of one envelope (docs/interface.md#error-ingestion). */
export interface EnvelopeLimits {
  /** Bytes of a header line, of the envelope or of an item. */
  readonly header: number;
  /** How many items are read, of whatever type; what follows them is ignored. */
  readonly items: number;
  /** Bytes of a payload. */
  readonly payload: { readonly [type in StoredItemType]: number };
}

export const envelopeLimits: EnvelopeLimits = {
  header: 8 * 1024,
  items: 1000,
  payload: { event: 1024 * 1024, session: 64 * 1024, sessions: 1024 * 1024, client_report: 256 * 1024 },
};

/** What is known of an envelope besides its items. */
export interface EnvelopeEnd {
  /** Empty when it could not be read. */
  readonly header: JsonObject;
  /** How many items were kept. */
  readonly stored: number;
  /** How many were read past, by type; items without a type count as ``. */
  readonly skipped: ReadonlyMap<string, number>;
  /** There were more items than are read. */
  readonly isCut: boolean;
  /**
   * Why something was not read. What was malformed ends the envelope (400); a payload that is too large (413) is read past. It is the
   * answer when nothing was kept, else 200 is.
   */
  readonly failure: IngestFailure | undefined;
}

export interface EnvelopeParser {
  /** The next bytes, which must not change until the end. */
  push(chunk: Buffer): void;
  /** After the last bytes. Called once. */
  end(): EnvelopeEnd;
}

export interface Envelope extends EnvelopeEnd {
  readonly items: readonly EnvelopeItem[];
}

/** A whole envelope. Throws nothing: see `failure`. */
export function parseEnvelope(body: Buffer, limits: EnvelopeLimits = envelopeLimits): Envelope {
  const items: EnvelopeItem[] = [];
  const parser = createEnvelopeParser((item) => items.push(item), limits);
  parser.push(body);
  return { items, ...parser.end() };
}

/** What comes next. */
type Expecting =
  | 'header'
  | 'item'
  /** A payload whose length is known. */
  | 'bytes'
  /** One that runs to the end of the line. */
  | 'line'
  /** The end of the line behind a payload whose length is known. */
  | 'newline'
  /** Nothing: whatever follows is ignored. */
  | 'nothing';

const NEWLINE = 0x0a;
const nothing = Buffer.alloc(0);
const byteOrderMark = Buffer.from('\uFEFF');

/**
 * Reads an envelope in pieces of any size (docs/interface.md#error-ingestion): lengths count bytes, a payload without one runs to the end
 * of its line, and nothing but a newline or the end may follow a payload. Holds one payload at most, and none of those that are not kept.
 * Throws nothing but what `onItem` throws.
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

  // The line or payload that has begun.
  let pieces: Buffer[] = [];
  let held = 0;
  let item: JsonObject = header;
  /** Undefined: its payload is read past. */
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
  /** What is held, and the bytes behind it. */
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
    // Some end with more than one newline.
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

  /** Reads at `at` and answers how far it came. */
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
          // Not to be believed before the end of the line is seen.
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
      // A last line needs no end.
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
