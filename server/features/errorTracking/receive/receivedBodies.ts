import { createHash, hash } from 'node:crypto';
import type { DecodedBody, StoredBytes, LargeBody, PieceSink } from '../body/decodeBody.ts';
import { EnvelopeParser, type Envelope, type EnvelopeItem, envelopeLimits, parseEnvelope } from '../body/envelope.ts';
import { MAX_STORE_BODY } from '../body/storePayload.ts';

/** A parsed envelope with the required details of its bytes. */
export interface ReceivedEnvelope {
  readonly envelope: Envelope;
  /** Returns the bytes in the form to store, or undefined if they are not worth storing. */
  stored(): StoredBytes | undefined;
  /** Returns the SHA-256 of the decompressed bytes, for an envelope that contains more than events. */
  sha256(): Buffer;
}

/** Decompressed body of a request to the store endpoint. */
export interface ReceivedStorePayload {
  readonly bytes: Buffer;
  stored(): StoredBytes | undefined;
}

/** Counts bytes that will be held in memory; see `RequestContext.reserveMemory`. */
type ReserveMemory = (bytes: number) => Promise<void>;

/** Bytes. Longer uncompressed bodies are not compressed as a whole, because that would block other requests. */
const MAX_DEFLATED_BYTES = 1024 * 1024;

export function receivedWhole({ bytes, stored }: DecodedBody): ReceivedEnvelope {
  return {
    envelope: parseEnvelope(bytes),
    stored: () => (bytes.length > MAX_DEFLATED_BYTES ? undefined : stored()),
    sha256: () => hash('sha256', bytes, 'buffer'),
  };
}

/** Reads an envelope while it is decompressed. Only stored payloads are in memory, and counted. */
export async function receiveEnvelope(body: LargeBody, reserveMemory: ReserveMemory): Promise<ReceivedEnvelope> {
  // The parser holds at most one incomplete payload.
  await reserveMemory(body.workingMemory + envelopeLimits.payload.event);
  const { parser, items } = await body.decodeInto(() => createEnvelopeSink(reserveMemory));
  const envelope = { items, ...parser.end() };
  const holdsOthers = items.some(({ type }) => type !== 'event');
  // Computed only if needed, which is rare.
  const digest = holdsOthers ? (await body.decodeInto(createHashSink)).hash.digest() : Buffer.alloc(0);
  return { envelope, stored: () => body.compressed, sha256: () => digest };
}

function createEnvelopeSink(reserveMemory: ReserveMemory) {
  const items: EnvelopeItem[] = [];
  let reserved = 0;
  let held = 0;
  const parser = new EnvelopeParser((item) => {
    // A copy, because a slice would keep the whole chunk in memory.
    items.push({ ...item, payload: Buffer.from(item.payload) });
    held += item.payload.length;
  });
  const push = (piece: Buffer): Promise<void> | undefined => {
    parser.push(piece);
    if (held === reserved) return undefined;
    const more = held - reserved;
    reserved = held;
    return reserveMemory(more);
  };
  return { parser, items, push } satisfies PieceSink & Record<string, unknown>;
}

function createHashSink() {
  const digest = createHash('sha256');
  const push = (piece: Buffer): undefined => {
    digest.update(piece);
  };
  return { hash: digest, push } satisfies PieceSink & Record<string, unknown>;
}

/** Collects the body of a request to the store endpoint. Data beyond the maximum length is dropped. */
export async function receiveStorePayload(body: LargeBody, reserveMemory: ReserveMemory): Promise<ReceivedStorePayload> {
  await reserveMemory(body.workingMemory);
  const { pieces } = await body.decodeInto(() => createStoreSink(reserveMemory));
  return { bytes: Buffer.concat(pieces), stored: () => body.compressed };
}

function createStoreSink(reserveMemory: ReserveMemory) {
  const pieces: Buffer[] = [];
  let length = 0;
  const push = (piece: Buffer): Promise<void> | undefined => {
    if (length > MAX_STORE_BODY) return undefined;
    pieces.push(piece);
    length += piece.length;
    return reserveMemory(piece.length);
  };
  return { pieces, push } satisfies PieceSink & Record<string, unknown>;
}
