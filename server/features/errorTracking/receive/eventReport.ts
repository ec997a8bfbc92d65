import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import type { StoredBytes } from '../body/decodeBody.ts';
import type { SentEvent } from '../body/envelopeContents.ts';
import { claimsProblems, payloadOf } from '../event/scrubbedPayload.ts';
import { namesSecret } from '../event/secretScan.ts';
import { type TrackedEvent, withoutDetails } from '../event/trackedEvent.ts';
import { groupingOf } from '../grouping/grouping.ts';
import { withoutDoubtfulFrames, withSourceMaps } from '../sourceMaps/mapEvent.ts';
import type { Report, ReportPayload } from '../write/writeEvents.ts';
import type { Ingestion } from './ingestion.ts';
import type { Sender } from './senders.ts';

/**
 * Maximum number of bytes that are stored as received. Larger bodies contain attachments, so only the event is stored. Each event
 * of an envelope has its own copy, and all copies count together, so that storage does not grow quadratically with the number of
 * events.
 */
const MAX_STORED_WHOLE = 64 * 1024;
const pack = promisify(deflateRaw);

/** Groups an event, and returns it as it is written. `whole` is the received data, or undefined if it is not stored. */
export async function reportOf(
  { core, userHashOf }: Ingestion,
  sent: SentEvent,
  sender: Sender,
  receivedAt: number,
  form: ReportPayload['form'],
  whole: StoredBytes | undefined,
): Promise<Report> {
  const { event, whole: wholeEvent, mayHoldSecrets, ordinal } = sent;
  const isSecret = isStoredAgain(sent);
  // The payload is stored as sent. Source maps are applied again when it is read.
  const mapped = withSourceMaps(core, sender.projectId, event);
  const shown = mapped instanceof Promise ? withoutDoubtfulFrames(await mapped, event) : mapped;
  const isSlim = shown === event && !mayHoldSecrets && event.debugIds.size === 0;
  const slim = isSlim ? event : withoutDetails(shown);
  return {
    projectId: sender.projectId,
    event: slim,
    grouping: groupingOf(slim, sender.projectId, sender.scrub),
    userHash: userHashOf(event.user),
    receivedAt,
    payload:
      isSecret || whole === undefined
        ? await packedEvent(wholeEvent())
        : { encoding: whole.form, form, ordinal, bytes: whole.data, traces: sent.traces },
  };
}

/** Returns true if the event is stored in normalised form, because the received data holds secrets or contains our own member. */
export function isStoredAgain({ event, mayHoldSecrets, payload }: SentEvent): boolean {
  return (mayHoldSecrets && (isScrubbed(event) || namesSecret(payload))) || claimsProblems(payload);
}

function isScrubbed({ problems }: TrackedEvent): boolean {
  return problems.some(({ type }) => type === 'scrubbed');
}

/** Returns the received data to store with each of its events. Returns undefined if the copies together are too large. */
export function storedWhole(received: StoredBytes | undefined, copies: number): StoredBytes | undefined {
  return received !== undefined && received.data.length * copies <= MAX_STORED_WHOLE ? received : undefined;
}

async function packedEvent(event: TrackedEvent): Promise<ReportPayload> {
  const bytes = await pack(JSON.stringify(payloadOf(event)), { level: 1 });
  return { encoding: 'raw-deflate', form: 'store', ordinal: 0, bytes };
}
