import { isJsonObject, type JsonObject } from '../../src/contract/json.ts';
import { limits } from './limits.ts';
import { eventIdOf } from './normalise.ts';
import { clean, cut } from './reading.ts';
import { driftOf, timeOf } from './times.ts';

/** An item `session`: one more message about one session, which replaces what is known of it (errors.md §5.1). */
export interface SessionUpdate extends SessionAttributes {
  /** 32 lower-case hexadecimal digits; undefined only for a session that ended as it began. */
  readonly id: string | undefined;
  /** Id, e-mail or name of the user as sent; to be hashed before it is stored. */
  readonly user: string | undefined;
  /** The first message of it; not to be counted by, because some SDKs say so of every one. */
  readonly isFirst: boolean;
  /** An update counts only when its sequence is at least the stored one. */
  readonly sequence: number;
  /** Milliseconds since 1970, UTC. */
  readonly startedAt: number;
  readonly at: number;
  readonly durationSeconds: number | undefined;
  readonly status: SessionStatus;
  /** As sent, when it is none of those; it counts as `ok`. */
  readonly otherStatus: string | undefined;
  /** Running total. */
  readonly errors: number;
  readonly abnormalMechanism: string | undefined;
}

export interface SessionAttributes {
  readonly appRelease: string;
  readonly environment: string | undefined;
}

export type SessionStatus = 'ok' | 'exited' | 'crashed' | 'abnormal';

/** An item `sessions`: how many sessions began in which minute (§5.2). Counts are to be added to those that are known. */
export interface SessionCounts extends SessionAttributes {
  readonly buckets: readonly SessionBucket[];
  /** Why others were left out; one reason for each. */
  readonly dropped: readonly string[];
}

export interface SessionBucket {
  /** Milliseconds since 1970, UTC, the start of a minute. */
  readonly startedAt: number;
  /** As `SessionUpdate.user`. */
  readonly user: string | undefined;
  /** Ended without errors. */
  readonly exited: number;
  /** Ended after errors that were caught. */
  readonly errored: number;
  readonly abnormal: number;
  readonly crashed: number;
}

/** What an SDK itself did not send, and why. */
export interface DiscardedCount {
  readonly reason: string;
  readonly category: string;
  readonly quantity: number;
}

/** An item that cannot be taken; the request is answered as if it were. */
export interface Dropped {
  readonly dropped: string;
}

/** Milliseconds since 1970: when the request came in, and `sent_at` of the envelope's header as it stands there. */
export interface AboutSession {
  readonly receivedAt: number;
  readonly sentAt: unknown;
}

const FUTURE = 60_000;
const OLDEST = 5 * 24 * 3_600_000;
const MINUTE = 60_000;
const MOST_BUCKETS = 100;
const MOST_COUNT = 1_000_000_000;
const MOST_REASONS = 100;

export function readSession(payload: JsonObject, about: AboutSession): SessionUpdate | Dropped {
  const attributes = attributesOf(payload);
  if (attributes === undefined) return { dropped: 'the session has no release' };
  const drift = driftOf(about.sentAt, about.receivedAt);
  const startedAt = startOf(payload['started'], drift, about.receivedAt);
  if (typeof startedAt !== 'number') return startedAt;

  const { status, otherStatus } = statusOf(payload['status']);
  const id = eventIdOf(payload['sid']);
  if (id === undefined && (status !== 'exited' || isPresent(payload['sid']))) return { dropped: 'the session has no id' };
  const isFirst = payload['init'] === true;
  const at = timeOf(payload['timestamp']);
  const { seq, duration } = payload;
  const leastErrors =
    status === 'crashed' || status === 'abnormal' || otherStatus === 'errored' || otherStatus === 'unhandled' ? 1 : 0;
  return {
    ...attributes,
    id,
    user: textOf(payload['did']),
    isFirst,
    sequence: isFirst ? 0 : typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0 ? seq : about.receivedAt,
    startedAt,
    at: at === undefined ? about.receivedAt : Math.min(at + drift, about.receivedAt),
    durationSeconds: typeof duration === 'number' && duration >= 0 && Number.isFinite(duration) ? duration : undefined,
    status,
    otherStatus,
    errors: Math.max(countOf(payload['errors']), leastErrors),
    abnormalMechanism: textOf(payload['abnormal_mechanism']),
  };
}

export function readSessionCounts(payload: JsonObject, about: AboutSession): SessionCounts | Dropped {
  const attributes = attributesOf(payload);
  if (attributes === undefined) return { dropped: 'the sessions have no release' };
  const { aggregates } = payload;
  if (!Array.isArray(aggregates)) return { dropped: 'the sessions have no list of aggregates' };
  const drift = driftOf(about.sentAt, about.receivedAt);
  const buckets: SessionBucket[] = [];
  const dropped: string[] = [];
  const list: readonly unknown[] = aggregates;
  for (const aggregate of list.slice(0, MOST_BUCKETS)) {
    const bucket = isJsonObject(aggregate)
      ? bucketOf(aggregate, drift, about.receivedAt)
      : { dropped: 'an aggregate is no object' };
    if ('dropped' in bucket) dropped.push(bucket.dropped);
    else buckets.push(bucket);
  }
  if (list.length > MOST_BUCKETS) dropped.push(`there are more than ${MOST_BUCKETS} aggregates`);
  return { ...attributes, buckets, dropped };
}

/** An item `client_report`. What is not readable in it is left out. */
export function readClientReport(payload: JsonObject): readonly DiscardedCount[] {
  const { discarded_events: discarded } = payload;
  if (!Array.isArray(discarded)) return [];
  const counts: DiscardedCount[] = [];
  const list: readonly unknown[] = discarded;
  for (const entry of list.slice(0, MOST_REASONS)) {
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

function attributesOf(payload: JsonObject): SessionAttributes | undefined {
  const { attrs } = payload;
  if (!isJsonObject(attrs)) return undefined;
  const appRelease = textOf(attrs['release'], limits.appRelease);
  return appRelease === undefined ? undefined : { appRelease, environment: textOf(attrs['environment']) };
}

function startOf(started: unknown, drift: number, receivedAt: number): number | Dropped {
  const time = timeOf(started);
  if (time === undefined) return { dropped: 'the session does not say when it began' };
  const startedAt = time + drift;
  if (startedAt > receivedAt + FUTURE) return { dropped: 'the session begins in the future' };
  // As long as updates are accepted.
  return startedAt < receivedAt - OLDEST ? { dropped: 'the session began more than five days ago' } : startedAt;
}

function statusOf(sent: unknown): Pick<SessionUpdate, 'status' | 'otherStatus'> {
  if (sent === 'ok' || sent === 'exited' || sent === 'crashed' || sent === 'abnormal')
    return { status: sent, otherStatus: undefined };
  return { status: 'ok', otherStatus: textOf(sent) };
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? Math.min(value, MOST_COUNT) : 0;
}

function textOf(value: unknown, most: number = limits.text): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? cut(clean(value), most) : undefined;
}

function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null;
}
