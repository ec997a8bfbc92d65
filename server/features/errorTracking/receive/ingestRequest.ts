import type { TrackingCore } from '../trackingCore.ts';
import type { RequestContext } from '../../../http/requestContext.ts';
import { createTurns } from '../../../http/turns.ts';
import { storageFailureOf } from '../../../store/storageFailure.ts';
import { bodyLimits, decodeBody, type LargeBody } from '../body/decodeBody.ts';
import { IngestFailure } from '../body/ingestFailure.ts';
import { createKeyLimit } from './clientKeyLimit.ts';
import { readEnvelope, writeEnvelope } from './ingestEnvelope.ts';
import { createIngestion, type Ingestion } from './ingestion.ts';
import { IngestRefusal, type RefusalCode } from './ingestRefusal.ts';
import type { Accepted } from './ingestResponses.ts';
import { ingestStoreEvent } from './ingestStoreEvent.ts';
import { receiveEnvelope, receiveStorePayload, receivedWhole } from './receivedBodies.ts';
import { type Endpoint, senderOfRequest } from './requestSender.ts';
import type { Sender } from './senders.ts';

/** Bodies up to this number of bytes are decompressed and parsed without reserving memory, because they are released at once. */
const MAX_UNRESERVED = 64 * 1024;

type Form = 'envelope' | 'store';

/** Reading of a request, which completes before the data is on disk. */
interface Reading {
  readonly accepted: Promise<Accepted>;
}

/**
 * Returns the handler of requests by SDKs, which decodes, parses, normalises, groups and writes events. The result resolves when
 * the data is on disk.
 */
export function createIngest(core: TrackingCore): (context: RequestContext, endpoint: Endpoint) => Promise<Accepted> {
  const ingestion = createIngestion(core);
  const withinLimit = createKeyLimit(core);
  // Requests of many connections are read in separate turns of the event loop, so that other requests are not blocked.
  const turns = createTurns();

  const startReading = async (context: RequestContext, endpoint: Endpoint): Promise<Reading> => {
    const sender = await senderOfRequest(ingestion, context, endpoint);
    withinLimit(sender, context.now);
    const received = await context.body(bodyLimits.received);
    await turns.enter();
    try {
      return await readBody(ingestion, sender, context, endpoint === 'store' ? 'store' : 'envelope', received);
    } finally {
      turns.leave();
    }
  };

  return async (context, endpoint) => {
    try {
      const { accepted } = await startReading(context, endpoint);
      return await accepted;
    } catch (error) {
      if (error instanceof IngestFailure) throw new IngestRefusal(failureCodes[error.status], error.message);
      const storage = storageFailureOf(error);
      if (storage === 'full') throw new IngestRefusal('database_full', 'the database is full; what was sent is not kept');
      if (storage === 'unwritable')
        throw new IngestRefusal('database_unwritable', 'the database cannot be written; what was sent is not kept');
      throw error;
    }
  };
}

const failureCodes = { 400: 'malformed', 413: 'too_large', 415: 'encoding' } as const satisfies Record<number, RefusalCode>;

/**
 * Completes before the data is on disk. What waits for the disk must not reference the received bytes, because V8 frees objects
 * that survived two garbage collections only in a full collection.
 */
async function readBody(
  ingestion: Ingestion,
  sender: Sender,
  context: RequestContext,
  form: Form,
  received: Buffer,
): Promise<Reading> {
  const body = decodeBody(received, context.headers['content-encoding']);
  if (!('bytes' in body)) return { accepted: ingestLargeBody(ingestion, sender, context, form, body) };
  if (body.bytes.length > MAX_UNRESERVED) await context.reserveMemory(body.bytes.length);
  try {
    if (form === 'store') return { accepted: ingestStoreEvent(ingestion, sender, context, body) };
    return {
      accepted: writeEnvelope(
        ingestion,
        sender,
        context.now,
        await readEnvelope(ingestion, sender, context, receivedWhole(body)),
      ),
    };
  } finally {
    body.free();
  }
}

/** Reads a body that is too large to be decompressed at once. Only the stored parts are held in memory. */
async function ingestLargeBody(
  ingestion: Ingestion,
  sender: Sender,
  context: RequestContext,
  form: Form,
  body: LargeBody,
): Promise<Accepted> {
  if (form === 'store') {
    return ingestStoreEvent(ingestion, sender, context, await receiveStorePayload(body, context.reserveMemory));
  }
  const received = await receiveEnvelope(body, context.reserveMemory);
  return writeEnvelope(ingestion, sender, context.now, await readEnvelope(ingestion, sender, context, received));
}
