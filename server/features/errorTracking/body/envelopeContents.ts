import type { JsonObject } from '../../../../src/contract/json.ts';
import type { Envelope } from './envelope.ts';
import type { TrackedEvent } from '../event/trackedEvent.ts';
import { IngestFailure } from './ingestFailure.ts';
import { type AboutEvent, normaliseEvent, outlineOf, type RequestTraces, requestTracesOf } from '../event/normaliseEvent.ts';
import {
  type DiscardedCount,
  readClientReport,
  readSession,
  readSessionCounts,
  type SentAggregates,
  type SentSession,
} from '../releases/sessionItems.ts';
import { mayHoldSecrets } from '../event/secretScan.ts';
import { holdsCleanTexts } from '../event/readValue.ts';
import { isErrorEvent, readPayload } from './storePayload.ts';

export interface SentEvent {
  /** Event with at least the members of `outlineOf`. */
  readonly event: TrackedEvent;
  /** Returns the whole event. */
  readonly whole: () => TrackedEvent;
  /** True if something may have been scrubbed. Otherwise the received bytes are stored. */
  readonly mayHoldSecrets: boolean;
  /** Payload of the event. */
  readonly payload: JsonObject;
  /** Index among the items of type `event`, from 0. */
  readonly ordinal: number;
  readonly traces: RequestTraces;
}

export function sentEvent(payload: JsonObject, about: AboutEvent, ordinal: number): SentEvent {
  const traces = requestTracesOf(payload, about);
  if (about.scrub && mayHoldSecrets(payload)) {
    const event = normaliseEvent(payload, about);
    return { event, whole: () => event, mayHoldSecrets: true, payload, ordinal, traces };
  }
  // The contents need no scrubbing.
  const clean = { ...about, scrub: false };
  const event = outlineOf(payload, clean);
  const whole = (): TrackedEvent => normaliseEvent(payload, { ...clean, givenId: event.id });
  return { event, whole, mayHoldSecrets: false, payload, ordinal, traces };
}

/** Contents of an envelope, in the order of its items. */
export interface EnvelopeContents {
  readonly events: readonly SentEvent[];
  readonly sessions: readonly SentSession[];
  readonly sessionCounts: readonly SentAggregates[];
  readonly discarded: readonly DiscardedCount[];
  /** Reasons why items were dropped. The status of the response is still 200. */
  readonly dropped: readonly string[];
  /** Error to respond with if nothing could be read. Otherwise the status is 200 (docs/interface.md#error-ingestion). */
  readonly refusal: IngestFailure | undefined;
}

type AboutEnvelope = Pick<AboutEvent, 'receivedAt' | 'peerAddress' | 'client' | 'scrub'>;

/** Number of items read without a pause. */
export const ITEMS_AT_ONCE = 20;

/** Reads the items that `parseEnvelope` returned. Throws nothing. */
export function readContents(envelope: Envelope, about: AboutEnvelope): EnvelopeContents {
  const reading = readContentsInPieces(envelope, about);
  let step = reading.next();
  while (step.done !== true) step = reading.next();
  return step.value;
}

/** Same, but yields after every `ITEMS_AT_ONCE` items, so that other requests can be handled. */
export function* readContentsInPieces(envelope: Envelope, about: AboutEnvelope): Generator<void, EnvelopeContents, void> {
  const { event_id: headerId, sent_at: sentAt } = envelope.header;
  const events: SentEvent[] = [];
  const sessions: SentSession[] = [];
  const sessionCounts: SentAggregates[] = [];
  const discarded: DiscardedCount[] = [];
  const dropped: string[] = [];
  let { failure } = envelope;
  let read = 0;
  let ordinal = -1;
  for (const [index, { type, payload: bytes }] of envelope.items.entries()) {
    if (index > 0 && index % ITEMS_AT_ONCE === 0) yield;
    if (type === 'event') ordinal += 1;
    const payload = payloadOf(bytes);
    if (payload instanceof IngestFailure) {
      failure ??= payload;
      continue;
    }
    read += 1;
    switch (type) {
      case 'event':
        // The ID in the envelope header belongs to the first event.
        if (isErrorEvent(payload)) {
          const id = events.length === 0 ? headerId : undefined;
          events.push(sentEvent(payload, { ...about, headerId: id, sentAt, isClean: holdsCleanTexts(bytes) }, ordinal));
        } else dropped.push('an item of type event is not an error');
        break;
      case 'session': {
        const session = readSession(payload, { receivedAt: about.receivedAt, sentAt, scrub: about.scrub });
        if ('dropped' in session) dropped.push(session.dropped);
        else sessions.push(session);
        break;
      }
      case 'sessions': {
        const counts = readSessionCounts(payload, { receivedAt: about.receivedAt, sentAt, scrub: about.scrub });
        if (!('buckets' in counts)) dropped.push(counts.dropped);
        else sessionCounts.push(counts);
        break;
      }
      case 'client_report':
        discarded.push(...readClientReport(payload));
        break;
    }
  }
  return { events, sessions, sessionCounts, discarded, dropped, refusal: read === 0 ? failure : undefined };
}

function payloadOf(bytes: Buffer): JsonObject | IngestFailure {
  try {
    return readPayload(bytes);
  } catch (error) {
    if (error instanceof IngestFailure) return error;
    throw error;
  }
}
