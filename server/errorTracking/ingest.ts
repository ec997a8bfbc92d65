import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { JsonObject } from '../../src/contract/json.ts';
import { countDiscarded, findSender, type Refusal, type Sender } from '../clientKeys/clientKeys.ts';
import type { Exchange } from '../http/exchange.ts';
import type { Platform } from '../platform.ts';
import { keyFor } from '../sealing.ts';
import { isStorageFull } from '../store/open.ts';
import { type OfferedKey, offeredKeys } from './authorisation.ts';
import { bodyLimits, type DecodedBody, decodeBody } from './decode.ts';
import { type EnvelopeItem, parseEnvelope } from './envelope.ts';
import { type EventUser, type TrackedEvent } from './event.ts';
import { groupingOf } from './grouping.ts';
import { namesSecret, payloadOf } from './eventText.ts';
import { IngestFailure } from './ingestFailure.ts';
import { IngestRefusal } from './ingestRefusal.ts';
import { createKeyLimit } from './keyLimit.ts';
import { normaliseEvent } from './normalise.ts';
import { readClientReport } from './sessionItems.ts';
import { isErrorEvent, readPayload, readStorePayload } from './storePayload.ts';
import type { Report, ReportPayload } from './writer.ts';

/** What an SDK is told: always 200, because some take anything else for a failure (errors.md §1.6). */
export interface Accepted {
  /** Of the first event that was accepted. */
  readonly id: string | undefined;
}

/** Received bytes up to here are kept as they are; of larger ones, which hold attachments, the event alone. */
const KEPT_WHOLE = 64 * 1024;
const pack = promisify(deflateRaw);

/**
 * Takes what SDKs send: bytes, decoded with caps, parsed, normalised, grouped, written. Fulfilled when what it says is on disk.
 */
export function createIngest(
  platform: Platform,
  write: (report: Report) => Promise<boolean>,
): (exchange: Exchange, form: 'envelope' | 'store') => Promise<Accepted> {
  const withinLimit = createKeyLimit(platform);
  const userKey = keyFor(platform, 'users of tracked errors');

  const userHashOf = (user: EventUser | undefined): Buffer | undefined => {
    // Distinct by id, else name, else e-mail, else address (decisions.md §5).
    const [kind, value] =
      user?.id !== undefined
        ? ['id', user.id]
        : user?.username !== undefined
          ? ['name', user.username]
          : user?.email !== undefined
            ? ['email', user.email]
            : ['address', user?.address];
    return value === undefined ? undefined : hash('sha256', `${userKey}:${kind}:${value}`, 'buffer').subarray(0, 12);
  };

  const reportOf = async (
    payload: JsonObject,
    sender: Sender,
    exchange: Exchange,
    received: { readonly headerId: unknown; readonly sentAt: unknown; readonly kept: () => ReportPayload | undefined },
  ): Promise<Report> => {
    const event = normaliseEvent(payload, {
      headerId: received.headerId,
      receivedAt: exchange.now,
      sentAt: received.sentAt,
      peerAddress: exchange.address,
      scrub: sender.scrub,
    });
    return {
      projectId: sender.projectId,
      event,
      grouping: groupingOf(event, sender.projectId),
      userHash: userHashOf(event.user),
      receivedAt: exchange.now,
      // Secrets that were taken out of the event are in what was received.
      payload:
        (sender.scrub && (isScrubbed(event) || namesSecret(payload)) ? undefined : received.kept()) ?? (await packedEvent(event)),
    };
  };

  const fromEnvelope = async (sender: Sender, exchange: Exchange, body: DecodedBody): Promise<Accepted> => {
    const envelope = parseEnvelope(body.bytes);
    const { header } = envelope;
    const sentAt = header['sent_at'];
    let failure = envelope.failure;
    const writes: Promise<{ readonly id: string }>[] = [];
    let ordinal = 0;
    for (const item of envelope.items) {
      if (item.type === 'client_report') {
        noteClientReport(platform, sender, item);
        continue;
      }
      if (item.type !== 'event') continue;
      const number = ordinal;
      ordinal += 1;
      let payload: JsonObject;
      try {
        payload = readPayload(item.payload);
      } catch (error) {
        if (!(error instanceof IngestFailure)) throw error;
        failure ??= error;
        continue;
      }
      if (!isErrorEvent(payload)) continue;
      const headerId = number === 0 ? header['event_id'] : undefined;
      const kept = (): ReportPayload | undefined => {
        // Attachments and the like are not kept.
        if (envelope.skipped.size > 0) return undefined;
        const whole = body.kept();
        return whole.data.length > KEPT_WHOLE
          ? undefined
          : { encoding: whole.form, form: 'envelope', ordinal: number, bytes: whole.data };
      };
      writes.push(
        reportOf(payload, sender, exchange, { headerId, sentAt, kept }).then(async (report) => {
          await write(report);
          return { id: report.event.id };
        }),
      );
    }
    const written = await Promise.all(writes);
    if (written.length === 0 && failure !== undefined && envelope.kept <= ordinal) throw failure;
    return { id: written[0]?.id };
  };

  const fromStore = async (sender: Sender, exchange: Exchange, body: DecodedBody): Promise<Accepted> => {
    const payload = readStorePayload(body.bytes);
    if (!isErrorEvent(payload)) return { id: undefined };
    const report = await reportOf(payload, sender, exchange, {
      headerId: undefined,
      sentAt: undefined,
      kept: () => {
        const whole = body.kept();
        return whole.data.length > KEPT_WHOLE
          ? undefined
          : { encoding: whole.form, form: 'store', ordinal: 0, bytes: whole.data };
      },
    });
    await write(report);
    return { id: report.event.id };
  };

  return async (exchange, form) => {
    const projectId = projectIdOf(exchange);
    const { query, headers } = exchange;
    const offered = offeredKeys({ query, headers });
    // Whoever is refused is told so before anything is decoded.
    const early = offered.length === 0 ? undefined : senderOf(platform, projectId, offered);
    if (early !== undefined) withinLimit(early, exchange.now);
    const received = await exchange.body(bodyLimits.received);
    try {
      const body = await decodeBody(received, headers['content-encoding']);
      const sender = early ?? senderOf(platform, projectId, offeredIn(body, form));
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
function senderOf(platform: Platform, projectId: number, offered: readonly OfferedKey[]): Sender {
  let refused: Refusal | undefined;
  for (const { key } of offered) {
    const found = findSender(platform, projectId, key);
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

function noteClientReport(platform: Platform, { keyId }: Sender, item: EnvelopeItem): void {
  try {
    const discarded = readClientReport(readPayload(item.payload));
    if (discarded.length > 0) countDiscarded(platform, keyId, discarded);
  } catch (error) {
    // Nobody can do anything about a report of what was not sent.
    if (!(error instanceof IngestFailure)) throw error;
  }
}

function isScrubbed({ problems }: TrackedEvent): boolean {
  return problems.some(({ type }) => type === 'scrubbed');
}

async function packedEvent(event: TrackedEvent): Promise<ReportPayload> {
  const bytes = await pack(JSON.stringify(payloadOf(event)), { level: 1 });
  return { encoding: 'raw-deflate', form: 'store', ordinal: 0, bytes };
}
