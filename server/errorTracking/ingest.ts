import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { countDiscarded, createSenderLookup, type Refusal, type Sender } from '../clientKeys/clientKeys.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Platform } from '../platform.ts';
import { isStorageFull } from '../store/open.ts';
import { type OfferedKey, offeredKeys } from './authorisation.ts';
import { readContents, type SentEvent } from './contents.ts';
import { bodyLimits, type DecodedBody, decodeBody, type KeptBytes } from './decode.ts';
import { parseEnvelope } from './envelope.ts';
import type { EventUser, TrackedEvent } from './event.ts';
import { groupingOf } from './grouping.ts';
import { namesSecret, payloadOf } from './eventText.ts';
import { IngestFailure } from './ingestFailure.ts';
import { IngestRefusal } from './ingestRefusal.ts';
import { createKeyLimit } from './keyLimit.ts';
import { normaliseEvent } from './normalise.ts';
import { writeSessions } from './sessions.ts';
import { isErrorEvent, readPayload, readStorePayload } from './storePayload.ts';
import { userHasher } from './userHashes.ts';
import type { Report, ReportPayload } from './writer.ts';

/** What an SDK is told: always 200, because some take anything else for a failure (errors.md §1.6). */
export interface Accepted {
  /** Of the first event that was accepted. */
  readonly id: string | undefined;
}

/** Received bytes up to here are kept as they are; of larger ones, which hold attachments, the event alone. */
const KEPT_WHOLE = 64 * 1024;
const pack = promisify(deflateRaw);
const nobody: EventUser = { id: undefined, username: undefined, email: undefined, address: undefined, name: undefined };

/**
 * Takes what SDKs send: bytes, decoded with caps, parsed, normalised, grouped, written. Fulfilled when what it says is on disk.
 */
export function createIngest(
  platform: Platform,
  write: (report: Report) => Promise<boolean>,
): (exchange: Exchange, form: 'envelope' | 'store') => Promise<Accepted> {
  const withinLimit = createKeyLimit(platform);
  const findSender = createSenderLookup(platform);
  const userHashOf = userHasher(platform);

  const reportOf = async (
    { event, payload, ordinal }: SentEvent,
    sender: Sender,
    receivedAt: number,
    form: ReportPayload['form'],
    whole: KeptBytes | undefined,
  ): Promise<Report> => {
    // What was received holds the secrets that were taken out of the event.
    const isSecret = sender.scrub && (isScrubbed(event) || namesSecret(payload));
    return {
      projectId: sender.projectId,
      event,
      grouping: groupingOf(event, sender.projectId),
      userHash: userHashOf(event.user),
      receivedAt,
      payload:
        isSecret || whole === undefined || whole.data.length > KEPT_WHOLE
          ? await packedEvent(event)
          : { encoding: whole.form, form, ordinal, bytes: whole.data },
    };
  };

  const fromEnvelope = async (sender: Sender, exchange: Exchange, body: DecodedBody): Promise<Accepted> => {
    const envelope = parseEnvelope(body.bytes);
    const contents = readContents(envelope, { receivedAt: exchange.now, peerAddress: exchange.address, scrub: sender.scrub });
    if (contents.refusal !== undefined) throw contents.refusal;
    // Attachments and the like are not kept.
    const whole = contents.events.length === 0 || envelope.skipped.size > 0 ? undefined : body.kept();
    const writes: Promise<unknown>[] = contents.events.map(async (sent) =>
      write(await reportOf(sent, sender, exchange.now, 'envelope', whole)),
    );
    if (contents.discarded.length > 0) {
      writes.push(platform.store.sharedTransaction(() => countDiscarded(platform, sender.keyId, contents.discarded)));
    }
    if (contents.sessions.length > 0 || contents.sessionCounts.length > 0) {
      const sent = {
        projectId: sender.projectId,
        receivedAt: exchange.now,
        sessions: contents.sessions,
        counts: contents.sessionCounts,
        bodyHash: hash('sha256', body.bytes, 'buffer').subarray(0, 16),
        // What SDKs call the user of a session is the first of these that they know.
        userHashOf: (user: string) => userHashOf({ ...nobody, id: user }),
      };
      writes.push(platform.store.sharedTransaction(() => writeSessions(platform.store, sent)));
    }
    await Promise.all(writes);
    return { id: contents.events[0]?.event.id };
  };

  const fromStore = async (sender: Sender, exchange: Exchange, body: DecodedBody): Promise<Accepted> => {
    const payload = readStorePayload(body.bytes);
    if (!isErrorEvent(payload)) return { id: undefined };
    const about = { headerId: undefined, receivedAt: exchange.now, sentAt: undefined, peerAddress: exchange.address };
    const event = normaliseEvent(payload, { ...about, scrub: sender.scrub });
    await write(await reportOf({ event, payload, ordinal: 0 }, sender, exchange.now, 'store', body.kept()));
    return { id: event.id };
  };

  return async (exchange, form) => {
    const projectId = projectIdOf(exchange);
    const { query, headers } = exchange;
    const offered = offeredKeys({ query, headers });
    // Whoever is refused is told so before anything is decoded.
    const early = offered.length === 0 ? undefined : senderOf(findSender, projectId, offered);
    if (early !== undefined) withinLimit(early, exchange.now);
    const received = await exchange.body(bodyLimits.received);
    try {
      const body = await decodeBody(received, headers['content-encoding']);
      const sender = early ?? senderOf(findSender, projectId, offeredIn(body, form));
      if (early === undefined) withinLimit(sender, exchange.now);
      return await (form === 'store' ? fromStore(sender, exchange, body) : fromEnvelope(sender, exchange, body));
    } catch (error) {
      if (error instanceof IngestFailure) throw new IngestRefusal(error.status, error.message);
      if (isStorageFull(error)) throw new IngestRefusal(503, 'the database is full; what was sent is not kept');
      throw error;
    }
  };
}

function projectIdOf(exchange: Exchange): number {
  const text = exchange.pathParameters['project_id'] ?? '';
  if (!/^\d{1,15}$/.test(text)) throw new IngestRefusal(404, 'the number of the project in the path is no number');
  return Number(text);
}

/** The first of the keys with which somebody may send. 404 for all reasons alike, as the real platform has it (errors.md §1.8). */
function senderOf(findSender: ReturnType<typeof createSenderLookup>, projectId: number, offered: readonly OfferedKey[]): Sender {
  let refused: Refusal | undefined;
  for (const { key } of offered) {
    const found = findSender(projectId, key);
    if (!('refused' in found)) return found;
    refused ??= found.refused;
  }
  if (refused === undefined)
    throw new IngestRefusal(400, 'the request names no client key: neither in its query, its headers nor its envelope');
  throw new IngestRefusal(404, refused);
}

function offeredIn(body: DecodedBody, form: 'envelope' | 'store'): readonly OfferedKey[] {
  if (form === 'store') return [];
  const end = body.bytes.indexOf(0x0a);
  const line = end === -1 ? body.bytes : body.bytes.subarray(0, end);
  if (line.length > KEPT_WHOLE) return [];
  try {
    return offeredKeys({ query: '', headers: {}, envelopeHeader: readPayload(line) });
  } catch (error) {
    if (error instanceof IngestFailure) return [];
    throw error;
  }
}

function isScrubbed({ problems }: TrackedEvent): boolean {
  return problems.some(({ type }) => type === 'scrubbed');
}

async function packedEvent(event: TrackedEvent): Promise<ReportPayload> {
  const bytes = await pack(JSON.stringify(payloadOf(event)), { level: 1 });
  return { encoding: 'raw-deflate', form: 'store', ordinal: 0, bytes };
}
