import { isExactNumber } from '../../../../src/contract/exactJson.ts';
import { isJsonObject, type JsonObject } from '../../../../src/contract/json.ts';
import { limits } from '../event/eventLimits.ts';
import { eventIdOf } from '../event/normaliseEvent.ts';
import { clean, cut } from '../event/readValue.ts';
import { nameScrubber } from '../event/scrubText.ts';
import { longestSession, type SessionAggregate, type SessionReport, sessionStatusOf } from './sessionRules.ts';
import { driftOf, timeOf } from '../event/sdkTimes.ts';

/**
 * Item `session`: a report of one session (docs/interface.md#release-health). It is passed to `afterReport` when the user is
 * hashed.
 */
export interface SentSession extends Omit<SessionReport, 'userHash'> {
  /** 32 lower-case hexadecimal digits. Undefined only for a session that ended when it started. */
  readonly id: string | undefined;
  /** ID, email or name of the user as sent. Hashed before it is stored. */
  readonly user: string | undefined;
  /** Status as sent if it is unknown. It counts as `ok`. */
  readonly unknownStatus: string | undefined;
}

interface SessionAttributes {
  readonly appRelease: string;
  readonly environment: string | undefined;
}

/**
 * Item `sessions`: number of sessions that started per minute (docs/interface.md#release-health). The counts are added to the
 * existing ones.
 */
export interface SentAggregates extends SessionAttributes {
  readonly buckets: readonly SessionBucket[];
  /** Reasons why other aggregates were dropped, one per aggregate. */
  readonly dropped: readonly string[];
}

export interface SessionBucket extends Omit<SessionAggregate, 'userHash'> {
  /** Start of a minute, in milliseconds since 1970, UTC. */
  readonly startedAt: number;
  /** See `SentSession.user`. */
  readonly user: string | undefined;
}

/** Items that an SDK did not send, with the reason. */
export interface DiscardedCount {
  readonly reason: string;
  readonly category: string;
  readonly quantity: number;
}

/** An item that is dropped. The response is the same as if it was accepted. */
export interface Dropped {
  readonly dropped: string;
}

/** Time of receipt in milliseconds since 1970, and `sent_at` of the envelope header as sent. */
export interface AboutSession {
  readonly receivedAt: number;
  readonly sentAt: unknown;
  /** True if secrets are scrubbed. */
  readonly scrub: boolean;
}

const MAX_AHEAD = 60_000;
const MINUTE = 60_000;
const MAX_BUCKETS = 100;
const MAX_COUNT = 1_000_000_000;
const MAX_REASONS = 100;

/** Returns a session with times corrected by the drift of the sender's clock. `afterReport` checks their range. */
export function readSession(payload: JsonObject, about: AboutSession): SentSession | Dropped {
  const attributes = attributesOf(payload, about.scrub);
  if (attributes === undefined) return { dropped: 'the session has no release' };
  const drift = driftOf(about.sentAt, about.receivedAt);
  const started = timeOf(payload['started']);
  if (started === undefined) return { dropped: 'the session has no start time' };
  const sent = textOf(payload['status']);
  const { status, hasErrors, isKnown } = sessionStatusOf(sent);
  const id = eventIdOf(payload['sid']);
  if (id === undefined && (status !== 'exited' || isPresent(payload['sid']))) return { dropped: 'the session has no id' };
  const at = timeOf(payload['timestamp']);
  const { seq, duration } = payload;
  return {
    ...attributes,
    id,
    user: textOf(payload['did']),
    isFirst: payload['init'] === true,
    seq: typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0 ? seq : undefined,
    startedAt: started + drift,
    sentAt: at === undefined ? about.receivedAt : Math.min(at + drift, about.receivedAt),
    duration: typeof duration === 'number' && duration >= 0 && Number.isFinite(duration) ? duration : undefined,
    status,
    unknownStatus: isKnown ? undefined : shownOf(sent, about.scrub),
    errors: Math.max(countOf(payload['errors']), hasErrors ? 1 : 0),
    abnormalMechanism: shownOf(textOf(payload['abnormal_mechanism']), about.scrub),
  };
}

export function readSessionCounts(payload: JsonObject, about: AboutSession): SentAggregates | Dropped {
  const attributes = attributesOf(payload, about.scrub);
  if (attributes === undefined) return { dropped: 'the sessions have no release' };
  const { aggregates } = payload;
  if (!Array.isArray(aggregates)) return { dropped: 'the sessions have no list of aggregates' };
  const drift = driftOf(about.sentAt, about.receivedAt);
  const buckets: SessionBucket[] = [];
  const dropped: string[] = [];
  const list: readonly unknown[] = aggregates;
  for (const aggregate of list.slice(0, MAX_BUCKETS)) {
    const bucket = isJsonObject(aggregate)
      ? bucketOf(aggregate, drift, about.receivedAt)
      : { dropped: 'an aggregate is not an object' };
    if ('dropped' in bucket) dropped.push(bucket.dropped);
    else buckets.push(bucket);
  }
  if (list.length > MAX_BUCKETS) dropped.push(`there are more than ${MAX_BUCKETS} aggregates`);
  return { ...attributes, buckets, dropped };
}

/** Returns the counts of a `client_report` item. Unreadable ones are left out. */
export function readClientReport(payload: JsonObject): readonly DiscardedCount[] {
  const { discarded_events: discarded } = payload;
  if (!Array.isArray(discarded)) return [];
  const counts: DiscardedCount[] = [];
  const list: readonly unknown[] = discarded;
  for (const entry of list.slice(0, MAX_REASONS)) {
    if (!isJsonObject(entry)) continue;
    const reason = textOf(entry['reason']);
    const category = textOf(entry['category']);
    const quantity = countOf(entry['quantity']);
    if (reason !== undefined && category !== undefined && quantity > 0) counts.push({ reason, category, quantity });
  }
  return counts;
}

function bucketOf(aggregate: JsonObject, drift: number, receivedAt: number): SessionBucket | Dropped {
  const startedAt = startOf(aggregate['started'], drift, receivedAt);
  if (typeof startedAt !== 'number') return startedAt;
  const bucket = {
    startedAt: Math.floor(startedAt / MINUTE) * MINUTE,
    user: textOf(aggregate['did']),
    exited: countOf(aggregate['exited']),
    errored: countOf(aggregate['errored']),
    abnormal: countOf(aggregate['abnormal']),
    crashed: countOf(aggregate['crashed']),
  };
  const total = bucket.exited + bucket.errored + bucket.abnormal + bucket.crashed;
  return total === 0 ? { dropped: 'an aggregate counts no sessions' } : bucket;
}

function attributesOf(payload: JsonObject, scrub: boolean): SessionAttributes | undefined {
  const { attrs } = payload;
  if (!isJsonObject(attrs)) return undefined;
  const appRelease = shownOf(textOf(attrs['release'], limits.appRelease), scrub);
  return appRelease === undefined ? undefined : { appRelease, environment: shownOf(textOf(attrs['environment']), scrub) };
}

function startOf(started: unknown, drift: number, receivedAt: number): number | Dropped {
  const time = timeOf(started);
  if (time === undefined) return { dropped: 'an aggregate has no start time' };
  const startedAt = time + drift;
  if (startedAt > receivedAt + MAX_AHEAD) return { dropped: 'an aggregate starts in the future' };
  return startedAt < receivedAt - longestSession ? { dropped: 'an aggregate started more than five days ago' } : startedAt;
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, MAX_COUNT) : 0;
}

function textOf(value: unknown, most: number = limits.text): string | undefined {
  if (typeof value === 'number') return String(value);
  if (isExactNumber(value)) return cut(value.rawJSON, most);
  return typeof value === 'string' && value !== '' ? cut(clean(value), most) : undefined;
}

/** Returns a text that is stored and shown, scrubbed if scrubbing is on. */
function shownOf(text: string | undefined, scrub: boolean): string | undefined {
  return text !== undefined && scrub ? nameScrubber.scrub(text) : text;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
