import { setImmediate as turn } from 'node:timers/promises';
import type { RequestContext } from '../../../http/requestContext.ts';
import type { Envelope } from '../body/envelope.ts';
import { type EnvelopeContents, ITEMS_AT_ONCE, readContentsInPieces } from '../body/envelopeContents.ts';
import { mayHeaderHoldSecrets, mayItemHoldSecrets } from '../event/secretScan.ts';
import type { EventUser } from '../event/trackedEvent.ts';
import type { DiscardedCount } from '../releases/sessionItems.ts';
import { type SentSessions, writeSessions } from '../releases/sessions.ts';
import { isStoredAgain, reportOf, storedWhole } from './eventReport.ts';
import { countEvent, type Ingestion } from './ingestion.ts';
import { otherProgramsOf, programOf } from './keyUse.ts';
import type { Program } from './keyUseStore.ts';
import { offeredClient } from './offeredKeys.ts';
import type { Accepted } from './ingestResponses.ts';
import type { ReceivedEnvelope } from './receivedBodies.ts';
import type { Sender } from './senders.ts';

/** An envelope that was read to its end. */
export interface ReadEnvelope {
  /** ID of the first event. */
  readonly id: string | undefined;
  /** Resolve when the events are on disk: to true for each new one. */
  readonly events: readonly Promise<boolean>[];
  /** Programs that sent the events. */
  readonly programs: readonly Program[];
  /** Programs that sent other items. */
  readonly otherPrograms: readonly Program[];
  readonly sessions: SentSessions | undefined;
  /** Counters of everything except events. */
  readonly others: readonly Count[];
  readonly report: { readonly discarded: readonly DiscardedCount[]; readonly hash: string } | undefined;
}

interface Count {
  readonly outcome: 'accepted' | 'ignored' | 'dropped';
  readonly name: string;
  readonly quantity: number;
}

const anonymous: EventUser = { id: undefined, username: undefined, email: undefined, address: undefined, name: undefined };

/** Reads an envelope to its end. Its events are written afterwards. */
export async function readEnvelope(
  ingestion: Ingestion,
  sender: Sender,
  context: RequestContext,
  received: ReceivedEnvelope,
): Promise<ReadEnvelope> {
  const { envelope } = received;
  const contents = await contentsOf(envelope, sender, context);
  if (contents.refusal !== undefined) throw contents.refusal;
  // Attachments and similar items are not stored.
  const hasUnstoredItems = contents.events.length === 0 || envelope.skipped.size > 0;
  // Otherwise each event would be stored with the secrets of the others and of the header.
  const isSecret = sender.scrub && (contents.events.some(isStoredAgain) || mayHoldOtherSecrets(envelope, contents));
  const whole = hasUnstoredItems || isSecret ? undefined : storedWhole(received.stored(), contents.events.length);
  const reports = inPieces(contents.events, (sent) => reportOf(ingestion, sent, sender, context.now, 'envelope', whole));
  const all = reports.length > ITEMS_AT_ONCE ? Promise.all(reports) : undefined;
  return {
    id: contents.events[0]?.event.id,
    // They are written together, however many batches they were read in.
    events: reports.map(async (report) => {
      await all;
      return ingestion.core.inbox.add(await report);
    }),
    programs: contents.events.map(programOf),
    otherPrograms: otherProgramsOf(envelope, contents, () => offeredClient(context)),
    sessions:
      contents.sessions.length > 0 || contents.sessionCounts.length > 0
        ? sentSessions(ingestion, sender, context, received, contents)
        : undefined,
    others: countsOf(envelope, contents),
    report:
      contents.discarded.length === 0 ? undefined : { discarded: contents.discarded, hash: received.sha256().toString('base64') },
  };
}

/** Writes what an envelope contains, and counts it. Returns the ID of its first event when everything is on disk. */
export async function writeEnvelope(
  ingestion: Ingestion,
  sender: Sender,
  now: number,
  envelope: ReadEnvelope,
): Promise<Accepted> {
  const { store, ingestStats } = ingestion.core;
  const { id, events, programs, otherPrograms, sessions, others, report } = envelope;
  const writes: Promise<unknown>[] = [...events];
  if (sessions !== undefined) writes.push(store.groupCommit(() => writeSessions(store, sessions)));
  await Promise.all(writes);
  ingestStats.keyUse.used(sender.keyId, now);
  for (const [index, isNew] of (await Promise.all(events)).entries()) {
    const program = programs[index];
    if (program !== undefined) countEvent(ingestion, sender, now, isNew, program);
  }
  for (const program of otherPrograms) ingestStats.keyUse.usedBy(sender.keyId, now, program, 0);
  for (const { outcome, name, quantity } of others) ingestStats.count(now, sender.projectId, outcome, name, quantity);
  if (report !== undefined && !ingestion.isRepeatedReport(sender, report.hash))
    ingestStats.discarded(now, sender.projectId, report.discarded);
  return { id };
}

function sentSessions(
  { userHashOf }: Ingestion,
  { projectId }: Sender,
  { now }: RequestContext,
  { sha256 }: ReceivedEnvelope,
  { sessions, sessionCounts }: EnvelopeContents,
): SentSessions {
  return {
    projectId,
    receivedAt: now,
    sessions,
    counts: sessionCounts,
    bodyHash: sha256().subarray(0, 16),
    // SDKs identify the user of a session by the first of these values that they know.
    userHashOf: (user: string) => userHashOf({ ...anonymous, id: user }),
  };
}

/** Reads the items of an envelope. Other requests are handled between batches of items. */
async function contentsOf(envelope: Envelope, { scrub }: Sender, context: RequestContext): Promise<EnvelopeContents> {
  const { now, address } = context;
  const client = (): string | undefined => offeredClient(context);
  const reading = readContentsInPieces(envelope, { receivedAt: now, peerAddress: address, client, scrub });
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

/** Returns true if an envelope may hold secrets outside its events, in headers or other items. Unreadable data counts as such. */
function mayHoldOtherSecrets({ header, items, failure, isCut }: Envelope, { events, dropped }: EnvelopeContents): boolean {
  if (failure !== undefined || isCut || dropped.length > 0 || mayHeaderHoldSecrets(header)) return true;
  const others = items.filter(({ type }) => type !== 'event');
  if (events.length + others.length < items.length) return true;
  return items.some((item) => mayHeaderHoldSecrets(item.header)) || others.some(({ payload }) => mayItemHoldSecrets(payload));
}
