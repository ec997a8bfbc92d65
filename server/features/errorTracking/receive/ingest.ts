import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { RequestContext } from '../../../http/requestContext.ts';
import { createTurns } from '../../../http/turns.ts';
import type { Platform } from '../../../platform.ts';
import { storageFailureOf } from '../../../store/storageFailure.ts';
import { type OfferedKey, offeredKeys } from './offeredKeys.ts';
import {
  type EnvelopeContents,
  ITEMS_AT_ONCE,
  readContentsInPieces,
  sentEvent,
  type SentEvent,
} from '../body/envelopeContents.ts';
import { bodyLimits, checkDecodable, decodeBody, decodeFirstLine, type StoredBytes, type LargeBody } from '../body/decodeBody.ts';
import { type Envelope, envelopeLimits } from '../body/envelope.ts';
import { mayBeScrubbed, mayJsonHoldSecrets } from '../event/scrubText.ts';
import { type EventUser, type TrackedEvent, withoutDetails } from '../event/trackedEvent.ts';
import { groupingOf } from '../grouping/grouping.ts';
import { claimsProblems, namesSecret, payloadOf } from '../event/scrubbedPayload.ts';
import { IngestFailure } from '../body/ingestFailure.ts';
import { IngestRefusal, type RefusalCode } from './ingestRefusal.ts';
import { createKeyLimit } from './clientKeyLimit.ts';
import { createSenderLookup, type Sender, type SenderRefusal } from './senders.ts';
import {
  type ReceivedEnvelope,
  type ReceivedStorePayload,
  receiveEnvelope,
  receiveStorePayload,
  receivedWhole,
} from './receivedBodies.ts';
import { writeSessions } from '../releases/sessions.ts';
import { scrubsSecrets, tracksErrors } from '../settings/errorTrackingSettings.ts';
import { demandLocal, streamProject } from './localStream.ts';
import { withSourceMaps } from '../sourceMaps/mapEvent.ts';
import { holdsForm, isErrorEvent, readPayload, readStorePayload } from '../body/storePayload.ts';
import { userHasher } from '../event/userHashes.ts';
import type { Report, ReportPayload } from '../write/writeEvents.ts';

/**
 * Response to an SDK. The status is always 200, because some SDKs treat other statuses as failures
 * (docs/interface.md#error-ingestion).
 */
export interface Accepted {
  /** ID of the first accepted event. */
  readonly id: string | undefined;
}

/**
 * Maximum number of bytes that are stored as received. Larger bodies contain attachments, so only the event is stored. Each event
 * of an envelope has its own copy, and all copies count together, so that storage does not grow quadratically with the number of
 * events.
 */
const MAX_STORED_WHOLE = 64 * 1024;
/**
 * Number of received bytes that are searched for the first line of an envelope. Most formats need less to produce 8 KB. zstd
 * needs the most, with blocks of up to 128 KB (RFC 8878 §3.1.1.2.4).
 */
const ENVELOPE_START = 160 * 1024;
/** Bodies up to this number of bytes are decompressed and parsed without reserving memory, because they are released at once. */
const MAX_UNRESERVED = 64 * 1024;
const pack = promisify(deflateRaw);
const anonymous: EventUser = { id: undefined, username: undefined, email: undefined, address: undefined, name: undefined };

/** Kind of request: an envelope or an event with a client key, or an envelope from this machine without one. */
export type Endpoint = 'envelope' | 'store' | 'stream';

/**
 * Returns the handler of requests by SDKs, which decodes, parses, normalises, groups and writes events. The result resolves when
 * the data is on disk.
 */
export function createIngest(platform: Platform): (context: RequestContext, endpoint: Endpoint) => Promise<Accepted> {
  const { ingestStats, inbox } = platform;
  const withinLimit = createKeyLimit(platform);
  const findSender = createSenderLookup(platform);
  const userHashOf = userHasher(platform);
  const isRepeatedReport = createRepeatDetector();
  // Requests of many connections are read in separate turns of the event loop, so that other requests are not blocked.
  const turns = createTurns();

  const reportOf = async (
    sent: SentEvent,
    sender: Sender,
    receivedAt: number,
    form: ReportPayload['form'],
    whole: StoredBytes | undefined,
  ): Promise<Report> => {
    const { event, whole: wholeEvent, mayHoldSecrets, ordinal } = sent;
    const isSecret = isStoredAgain(sent);
    // The payload is stored as sent. Source maps are applied again when it is read.
    const mapped = withSourceMaps(platform, sender.projectId, event);
    const shown = mapped instanceof Promise ? await mapped : mapped;
    const isSlim = shown === event && !mayHoldSecrets && event.debugIds.size === 0;
    const slim = isSlim ? event : withoutDetails(shown);
    return {
      projectId: sender.projectId,
      event: slim,
      grouping: groupingOf(slim, sender.projectId),
      userHash: userHashOf(event.user),
      receivedAt,
      payload:
        isSecret || whole === undefined
          ? await packedEvent(wholeEvent())
          : { encoding: whole.form, form, ordinal, bytes: whole.data },
    };
  };

  const fromEnvelope = async (sender: Sender, context: RequestContext, received: ReceivedEnvelope): Promise<Accepted> =>
    written(sender, context.now, await readEnvelope(sender, context, received));

  const written = async (sender: Sender, now: number, envelope: Awaited<ReturnType<typeof readEnvelope>>): Promise<Accepted> => {
    const { id, events, sessions, others, report } = envelope;
    const writes: Promise<unknown>[] = [...events];
    if (sessions !== undefined) writes.push(platform.store.groupCommit(() => writeSessions(platform.store, sessions)));
    await Promise.all(writes);
    for (const isNew of await Promise.all(events)) countEvent(sender, now, isNew);
    for (const { outcome, name, quantity } of others) ingestStats.count(now, sender.projectId, outcome, name, quantity);
    if (report !== undefined && !isRepeatedReport(sender, report.hash))
      ingestStats.discarded(now, sender.projectId, report.discarded);
    return { id };
  };

  /** Reads a body to its end. The returned events are written afterwards. */
  const readEnvelope = async (sender: Sender, context: RequestContext, received: ReceivedEnvelope) => {
    const { envelope } = received;
    const contents = await contentsOf(envelope, sender, context);
    if (contents.refusal !== undefined) throw contents.refusal;
    // Attachments and similar items are not stored.
    const hasUnstoredItems = contents.events.length === 0 || envelope.skipped.size > 0;
    // Otherwise each event would be stored with the secrets of the others and of the header.
    const isSecret = sender.scrub && (contents.events.some(isStoredAgain) || mayHoldOtherSecrets(envelope, contents));
    const whole = hasUnstoredItems || isSecret ? undefined : storedWhole(received.stored(), contents.events.length);
    const reports = inPieces(contents.events, (sent) => reportOf(sent, sender, context.now, 'envelope', whole));
    const all = reports.length > ITEMS_AT_ONCE ? Promise.all(reports) : undefined;
    return {
      id: contents.events[0]?.event.id,
      // They are written together, however many batches they were read in.
      events: reports.map(async (report) => {
        await all;
        return inbox.add(await report);
      }),
      sessions:
        contents.sessions.length > 0 || contents.sessionCounts.length > 0
          ? sentSessions(sender, context, received, contents)
          : undefined,
      others: countsOf(envelope, contents),
      report:
        contents.discarded.length === 0
          ? undefined
          : { discarded: contents.discarded, hash: received.sha256().toString('base64') },
    };
  };

  const sentSessions = (
    { projectId }: Sender,
    { now }: RequestContext,
    { sha256 }: ReceivedEnvelope,
    { sessions, sessionCounts }: EnvelopeContents,
  ) => ({
    projectId,
    receivedAt: now,
    sessions,
    counts: sessionCounts,
    bodyHash: sha256().subarray(0, 16),
    // SDKs identify the user of a session by the first of these values that they know.
    userHashOf: (user: string) => userHashOf({ ...anonymous, id: user }),
  });

  const fromStore = (sender: Sender, context: RequestContext, { bytes, stored }: ReceivedStorePayload): Promise<Accepted> => {
    const { now } = context;
    const payload = readStorePayload(bytes);
    if (!isErrorEvent(payload)) {
      ingestStats.count(now, sender.projectId, 'dropped', 'an event sent to the store endpoint is not an error');
      return Promise.resolve({ id: undefined });
    }
    const about = { headerId: undefined, receivedAt: now, sentAt: undefined, peerAddress: context.address };
    const sent = sentEvent(payload, { ...about, scrub: sender.scrub }, 0);
    const { id } = sent.event;
    // A form can have other fields.
    return reportOf(sent, sender, now, 'store', sender.scrub && holdsForm(bytes) ? undefined : storedWhole(stored(), 1))
      .then(inbox.add)
      .then((isNew) => {
        countEvent(sender, now, isNew);
        return { id };
      });
  };

  const countEvent = ({ projectId }: Sender, now: number, isNew: boolean): void =>
    ingestStats.count(now, projectId, isNew ? 'accepted' : 'repeated', 'event');
  /** Returns the sender of requests to `/stream`, which need no key. */
  const localSender = (context: RequestContext): Sender => {
    demandLocal(context);
    const projectId = streamProject(platform);
    const scrub = projectId === undefined ? undefined : scrubsSecrets(platform, projectId);
    if (projectId === undefined || scrub === undefined || !tracksErrors(platform, projectId)) {
      throw new IngestRefusal('tracking_off', 'error tracking is off');
    }
    return { projectId, keyId: 0, scrub };
  };

  /** Reads a body that is too large to be decompressed at once. Only the stored parts are held in memory. */
  const fromLargeBody = async (
    sender: Sender,
    context: RequestContext,
    form: 'envelope' | 'store',
    body: LargeBody,
  ): Promise<Accepted> =>
    form === 'store'
      ? fromStore(sender, context, await receiveStorePayload(body, context.reserveMemory))
      : fromEnvelope(sender, context, await receiveEnvelope(body, context.reserveMemory));

  /** Returns the sender as far as it can be determined without the body. */
  const senderOutsideBody = (context: RequestContext, endpoint: Endpoint, projectId: number): Sender | undefined => {
    if (endpoint === 'stream') return localSender(context);
    const offered = offeredKeys(context);
    return offered.length === 0 ? undefined : senderOf(findSender, projectId, offered);
  };

  /**
   * Completes before the data is on disk. What waits for the disk must not reference the received bytes, because V8 frees objects
   * that survived two garbage collections only in a full collection.
   */
  const startReading = async (context: RequestContext, endpoint: Endpoint): Promise<{ readonly accepted: Promise<Accepted> }> => {
    const form = endpoint === 'store' ? 'store' : 'envelope';
    const projectId = endpoint === 'stream' ? 0 : projectIdOf(context);
    // Requests without a key are refused before the body is decompressed, unless the key may be in the body.
    const sender =
      senderOutsideBody(context, endpoint, projectId) ??
      senderOf(findSender, projectId, await keysInBody(context, form, context.headers['content-encoding']));
    withinLimit(sender, context.now);
    const received = await context.body(bodyLimits.received);
    await turns.enter();
    try {
      return await beginReading(sender, context, form, received);
    } finally {
      turns.leave();
    }
  };

  const beginReading = async (
    sender: Sender,
    context: RequestContext,
    form: 'envelope' | 'store',
    received: Buffer,
  ): Promise<{ readonly accepted: Promise<Accepted> }> => {
    const body = decodeBody(received, context.headers['content-encoding']);
    if (!('bytes' in body)) return { accepted: fromLargeBody(sender, context, form, body) };
    if (body.bytes.length > MAX_UNRESERVED) await context.reserveMemory(body.bytes.length);
    try {
      if (form === 'store') return { accepted: fromStore(sender, context, body) };
      return { accepted: written(sender, context.now, await readEnvelope(sender, context, receivedWhole(body))) };
    } finally {
      body.free();
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

interface Count {
  readonly outcome: 'accepted' | 'ignored' | 'dropped';
  readonly name: string;
  readonly quantity: number;
}

/** Reads the items of an envelope. Other requests are handled between batches of items. */
async function contentsOf(envelope: Envelope, { scrub }: Sender, { now, address }: RequestContext): Promise<EnvelopeContents> {
  const reading = readContentsInPieces(envelope, { receivedAt: now, peerAddress: address, scrub });
  let step = reading.next();
  while (step.done !== true) {
    await turn();
    step = reading.next();
  }
  return step.value;
}

/** Calls `work` for items in order: for the first batch at once, for further batches in later turns of the event loop. */
function inPieces<T, Result>(items: readonly T[], work: (item: T) => Promise<Result>): readonly Promise<Result>[] {
  let piece: Promise<unknown> | undefined;
  return items.map((item, index) => {
    if (index > 0 && index % ITEMS_AT_ONCE === 0) piece = piece === undefined ? turn() : piece.then(() => turn());
    return piece === undefined ? work(item) : piece.then(() => work(item));
  });
}

/** Returns the counters of an envelope except those of events. */
function countsOf(
  { items, skipped, failure, isCut }: Envelope,
  { sessions, sessionCounts, dropped }: EnvelopeContents,
): readonly Count[] {
  const counts: Count[] = [];
  const count = (outcome: Count['outcome'], name: string, quantity = 1): void => {
    if (quantity > 0) counts.push({ outcome, name, quantity });
  };
  count('accepted', 'session', sessions.length);
  count('accepted', 'sessions', sessionCounts.length);
  count('accepted', 'client_report', items.filter(({ type }) => type === 'client_report').length);
  for (const [type, quantity] of skipped) count('ignored', type, quantity);
  for (const text of dropped) count('dropped', text);
  for (const text of sessionCounts.flatMap((counted) => counted.dropped)) count('dropped', text);
  if (failure?.status === 413) count('dropped', 'an item is too large');
  else if (failure !== undefined) count('dropped', 'an envelope is malformed or incomplete');
  if (isCut) count('dropped', 'an envelope has too many items');
  return counts;
}

const MAX_REMEMBERED_REPORTS = 500;

/**
 * Returns a function that detects client reports that were already received by the other endpoint, because an SDK with
 * `spotlight` sends every envelope twice.
 */
function createRepeatDetector(): ({ projectId, keyId }: Sender, bodyHash: string) => boolean {
  const reported = new Map<string, boolean>();
  return ({ projectId, keyId }, bodyHash) => {
    const name = `${projectId}/${bodyHash}`;
    const hasKey = keyId !== 0;
    if (reported.get(name) === !hasKey) return reported.delete(name);
    if (reported.size >= MAX_REMEMBERED_REPORTS) for (const oldest of reported.keys()) if (reported.delete(oldest)) break;
    reported.set(name, hasKey);
    return false;
  };
}

function projectIdOf(context: RequestContext): number {
  const text = context.pathParameters['project_id'] ?? '';
  if (!/^\d{1,15}$/.test(text)) throw new IngestRefusal('no_project', 'the project ID in the path is not a number');
  return Number(text);
}

const refusalCodes: Readonly<Record<SenderRefusal, RefusalCode>> = {
  'no such project': 'no_project',
  'error tracking is off': 'tracking_off',
  'no such key': 'unknown_key',
  'the key is inactive': 'inactive_key',
  'the key belongs to another project': 'foreign_key',
};

/**
 * Returns the sender of the first valid key. Throws 404 for all reasons alike, as GitLab does
 * (docs/interface.md#error-ingestion).
 */
function senderOf(findSender: ReturnType<typeof createSenderLookup>, projectId: number, offered: readonly OfferedKey[]): Sender {
  let refused: SenderRefusal | undefined;
  for (const { key } of offered) {
    const found = findSender(projectId, key);
    if (!('refused' in found)) return found;
    refused ??= found.refused;
  }
  if (refused === undefined)
    throw new IngestRefusal('no_key', 'the request names no client key: neither in its query, its headers nor its envelope');
  throw new IngestRefusal(refusalCodes[refused], refused);
}

/**
 * Returns the keys in the body. Only the first line of an envelope is decompressed. Events in the store format contain no key.
 */
async function keysInBody(
  context: RequestContext,
  form: 'envelope' | 'store',
  contentEncoding: string | undefined,
): Promise<readonly OfferedKey[]> {
  if (form === 'store') {
    checkDecodable((await context.bodyStart(1, bodyLimits.received)).bytes, contentEncoding);
    return [];
  }
  const start = await context.bodyStart(ENVELOPE_START, bodyLimits.received);
  const line = await decodeFirstLine(start, contentEncoding, envelopeLimits.header, context.reserveMemory);
  if (line === undefined) return [];
  try {
    return offeredKeys({ query: '', headers: {}, envelopeHeader: readPayload(line) });
  } catch (error) {
    if (error instanceof IngestFailure) return [];
    throw error;
  }
}

/** Returns true if the event is stored in normalised form, because the received data holds secrets or contains our own member. */
function isStoredAgain({ event, mayHoldSecrets, payload }: SentEvent): boolean {
  return (mayHoldSecrets && (isScrubbed(event) || namesSecret(payload))) || claimsProblems(payload);
}

/** Returns true if an envelope may hold secrets outside its events, in headers or other items. Unreadable data counts as such. */
function mayHoldOtherSecrets({ header, items, failure, isCut }: Envelope, { events, dropped }: EnvelopeContents): boolean {
  if (failure !== undefined || isCut || dropped.length > 0 || headerHoldsSecret(header)) return true;
  const others = items.filter(({ type }) => type !== 'event');
  if (events.length + others.length < items.length) return true;
  return items.some((item) => headerHoldsSecret(item.header)) || others.some(({ payload }) => mayJsonHoldSecrets(payload));
}

/** Returns true if a header holds a secret. The client key, which most envelopes contain, is public. */
function headerHoldsSecret(header: Envelope['header']): boolean {
  return mayBeScrubbed(JSON.stringify(header).replaceAll(/glet_[0-9a-f]{32}/g, ''));
}

function isScrubbed({ problems }: TrackedEvent): boolean {
  return problems.some(({ type }) => type === 'scrubbed');
}

/** Returns undefined if the copies together are too large. */
function storedWhole(received: StoredBytes | undefined, copies: number): StoredBytes | undefined {
  return received !== undefined && received.data.length * copies <= MAX_STORED_WHOLE ? received : undefined;
}

async function packedEvent(event: TrackedEvent): Promise<ReportPayload> {
  const bytes = await pack(JSON.stringify(payloadOf(event)), { level: 1 });
  return { encoding: 'raw-deflate', form: 'store', ordinal: 0, bytes };
}
