import type { TrackingCore } from './trackingCore.ts';
import { hash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import type { JsonObject } from '../../../src/contract/json.ts';
import { changeErrorStatus, type CountedEvents, updateStates } from './status/errorStatus.ts';
import type { TrackedEvent } from './event/trackedEvent.ts';
import { payloadOf } from './event/scrubbedPayload.ts';
import { namesSecret } from './event/secretScan.ts';
import { type Grouping, groupingOf } from './grouping/grouping.ts';
import { normaliseEvent } from './event/normaliseEvent.ts';
import { withoutDoubtfulFrames, withSourceMaps } from './sourceMaps/mapEvent.ts';
import { uploadSourceMap } from './sourceMaps/uploadSourceMap.ts';
import { readSessionCounts } from './releases/sessionItems.ts';
import { writeSessions } from './releases/sessions.ts';
import type { StateInput } from './status/statusRules.ts';
import { userHasher } from './event/userHashes.ts';
import { type Report, writeReports } from './write/writeEvents.ts';
import { findGrouping } from './write/eventStore.ts';
import type { WrittenError } from './status/statusStore.ts';

/** An event that occurs repeatedly, read and grouped once. */
export interface RepeatedEvent {
  readonly event: TrackedEvent;
  readonly grouping: Grouping;
  readonly userHash: Buffer | undefined;
  readonly bytes: Buffer;
}

/** An occurrence of an event. */
export interface PastEvent {
  readonly what: RepeatedEvent;
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly at: number;
}

/** Writes errors of a project as if they had been received over time. */
export interface ErrorHistory {
  /** `payload` is an event without ID and time. */
  read(payload: JsonObject): RepeatedEvent;
  /** Like `read`, with the frames mapped by the uploaded source maps. */
  readMapped(payload: JsonObject): Promise<RepeatedEvent>;
  uploadSourceMap(bytes: Uint8Array, appRelease: string): Promise<void>;
  write(events: readonly PastEvent[]): void;
  /** `payload` is the payload of a `sessions` item. */
  writeSessions(payload: JsonObject): void;
  /** Changes the status of the error of such events. */
  change(what: RepeatedEvent, input: StateInput): void;
}

/**
 * Writes events as if they were received, without HTTP. Uses the clock of the platform and transactions of the caller. The latest
 * `storedPayloads` events of each grouping are stored with their payload.
 */
export function openHistory(core: TrackingCore, projectId: number, storedPayloads: number): ErrorHistory {
  const { store, clock, ingestStats } = core;
  const userHashOf = userHasher(core);
  const written = new Map<number, WrittenError>();
  const eventOf = (payload: JsonObject): TrackedEvent =>
    normaliseEvent(payload, {
      headerId: undefined,
      receivedAt: clock.now(),
      sentAt: undefined,
      peerAddress: undefined,
      scrub: true,
    });
  /** `shown` is the event with mapped frames. */
  const repeated = (payload: JsonObject, event: TrackedEvent, shown: TrackedEvent): RepeatedEvent => {
    const isScrubbed = event.problems.some(({ type }) => type === 'scrubbed') || namesSecret(payload);
    const bytes = deflateRawSync(JSON.stringify(isScrubbed ? payloadOf(event) : payload));
    return { event: shown, grouping: groupingOf(shown, projectId, true), userHash: userHashOf(event.user), bytes };
  };
  return {
    read: (payload) => {
      const event = eventOf(payload);
      return repeated(payload, event, event);
    },
    readMapped: async (payload) => {
      const event = eventOf(payload);
      return repeated(payload, event, withoutDoubtfulFrames(await withSourceMaps(core, projectId, event), event));
    },
    uploadSourceMap: async (bytes, appRelease) => {
      const other = { name: undefined, fileName: undefined, dist: undefined, debugId: undefined };
      await uploadSourceMap(core, projectId, { bytes, appRelease, ...other });
    },
    write: (events) => {
      const reports = events.map(
        ({ what: { event, bytes, ...rest }, id, at }): Report => ({
          ...rest,
          projectId,
          event: { ...event, id, occurredAt: at },
          receivedAt: at,
          payload: { encoding: 'raw-deflate', form: 'store', ordinal: 0, bytes },
        }),
      );
      const commentable = (happened: CountedEvents): void => {
        written.set(happened.error.id, happened.error);
        updateStates(core, happened);
      };
      writeReports(store, reports, commentable, storedPayloads);
      for (const { at } of events) ingestStats.count(at, projectId, 'accepted', 'event');
    },
    writeSessions: (payload) => {
      const receivedAt = clock.now();
      const counts = readSessionCounts(payload, { receivedAt, sentAt: undefined, scrub: true });
      if (!('buckets' in counts)) throw new Error(counts.dropped);
      const bodyHash = hash('sha256', JSON.stringify(payload), 'buffer').subarray(0, 16);
      const userOf = (id: string): Buffer | undefined =>
        userHashOf({ id, username: undefined, email: undefined, address: undefined, name: undefined });
      ingestStats.count(receivedAt, projectId, 'accepted', 'sessions');
      writeSessions(store, { projectId, receivedAt, sessions: [], counts: [counts], bodyHash, userHashOf: userOf });
    },
    change: ({ grouping }, input) => {
      const found = findGrouping(store, projectId, grouping.app);
      const error = found && written.get(found.error_id);
      if (error === undefined) throw new Error('no event of the error has been written yet');
      changeErrorStatus(core, error, input);
    },
  };
}
