import { readContents } from '../../../server/features/errorTracking/body/envelopeContents.ts';
import { type Envelope, parseEnvelope } from '../../../server/features/errorTracking/body/envelope.ts';
import type { TrackedEvent } from '../../../server/features/errorTracking/event/trackedEvent.ts';
import { normaliseEvent } from '../../../server/features/errorTracking/event/normaliseEvent.ts';
import { readStorePayload } from '../../../server/features/errorTracking/body/storePayload.ts';
import type { JsonObject } from '../../../src/contract/json.ts';
import { decoded } from './decoded.ts';
import { type Sample, SENT_AT } from './grouping/corpus/writers.ts';

/** Time of receipt of requests in tests, the same as their time of sending. */
export const RECEIVED_AT = Date.parse(SENT_AT);

/** Returns the normalised event for the options of a test. */
export function normalised(payload: JsonObject, about: Partial<Parameters<typeof normaliseEvent>[1]> = {}): TrackedEvent {
  return normaliseEvent(payload, {
    headerId: undefined,
    receivedAt: RECEIVED_AT,
    sentAt: undefined,
    peerAddress: '127.0.0.1',
    scrub: true,
    ...about,
  });
}

export interface Ingested {
  readonly envelope: Envelope | undefined;
  readonly events: readonly TrackedEvent[];
}

/** Reads a request like the ingestion endpoints. Rejects with the errors of the parsers. */
export async function ingested({ endpoint, headers, body }: Pick<Sample, 'endpoint' | 'headers' | 'body'>): Promise<Ingested> {
  const { bytes } = await decoded(body, headers['content-encoding']);
  return eventsIn(endpoint, bytes);
}

/** Same for a decoded body. */
export function eventsIn(endpoint: Sample['endpoint'], bytes: Buffer): Ingested {
  if (endpoint === 'store') return { envelope: undefined, events: [normalised(readStorePayload(bytes))] };
  const envelope = parseEnvelope(bytes);
  const { events, refusal } = readContents(envelope, { receivedAt: RECEIVED_AT, peerAddress: '127.0.0.1', scrub: true });
  if (refusal !== undefined) throw refusal;
  return { envelope, events: events.map(({ whole }) => whole()) };
}
