import { DAY, MINUTE } from '../../../core/clock.ts';
import type { Store } from '../../../store/open.ts';
import type { SentAggregates, SentSession } from './sessionItems.ts';
import { afterReport, type ReleaseHealth, releaseHealth, type Session } from './sessionRules.ts';
import {
  addSessionCounts,
  findSession,
  type HealthWindow,
  isNewRequest,
  medianDurations,
  putSession,
  type SessionRow,
  sessionSums,
  sessionTotals,
} from './sessionStore.ts';
import { releaseIdOf } from './releaseStore.ts';

/** Period in which a repeated request with anonymous sessions is recognised. */
const REPLAY_WINDOW = 10 * MINUTE;
const noUser = Buffer.alloc(0);

/** Release health data of a request. */
export interface SentSessions {
  readonly projectId: number;
  readonly receivedAt: number;
  readonly sessions: readonly SentSession[];
  readonly counts: readonly SentAggregates[];
  /** Hash of the whole request, which identifies it. */
  readonly bodyHash: Buffer;
  readonly userHashOf: (user: string) => Buffer | undefined;
}

/** Writes sessions by the rules in `sessionRules.ts`. The caller opens the transaction. */
export function writeSessions(store: Store, sent: SentSessions): void {
  const { projectId, receivedAt, bodyHash } = sent;
  const hasAnonymous = sent.counts.length > 0 || sent.sessions.some(({ id }) => id === undefined);
  const isNew =
    !hasAnonymous || isNewRequest(store, { projectId, hash: bodyHash, receivedAt, since: receivedAt - REPLAY_WINDOW });
  for (const session of sent.sessions) {
    if (session.id !== undefined || isNew) writeSession(store, session, sent);
  }
  if (!isNew) return;
  for (const { appRelease, environment = '', buckets } of sent.counts) {
    if (buckets.length === 0) continue;
    const releaseId = releaseIdOf(store, projectId, appRelease, receivedAt);
    for (const { user, ...counts } of buckets) {
      addSessionCounts(store, { ...counts, projectId, releaseId, environment, receivedAt, userHash: userOf(sent, user) });
    }
  }
}

function writeSession(store: Store, { id, user, ...report }: SentSession, sent: SentSessions): void {
  const { projectId, receivedAt } = sent;
  const sid = id === undefined ? null : Buffer.from(id, 'hex');
  const stored = sid === null ? undefined : findSession(store, projectId, sid);
  const userHash = stored === undefined ? userOf(sent, user) : Buffer.from(stored.user_hash);
  // The user does not affect the result.
  const after = afterReport(stored && sessionOf(stored), { ...report, userHash: undefined }, receivedAt);
  if ('ignored' in after) return;
  const { session } = after;
  putSession(store, {
    projectId,
    sid,
    releaseId: releaseIdOf(store, projectId, session.appRelease, receivedAt),
    receivedAt,
    environment: session.environment ?? '',
    user_hash: userHash,
    status: session.status,
    seq: session.seq,
    started_at: session.startedAt,
    sent_at: session.sentAt,
    errors: session.errors,
    duration: session.duration ?? null,
    abnormal_mechanism: session.abnormalMechanism ?? null,
  });
}

function userOf({ userHashOf }: SentSessions, user: string | undefined): Buffer {
  return (user === undefined ? undefined : userHashOf(user)) ?? noUser;
}

/** Converts a row to a session. */
export function sessionOf(row: SessionRow): Session {
  return {
    status: row.status,
    seq: row.seq,
    startedAt: row.started_at,
    sentAt: row.sent_at,
    userHash: row.user_hash.length === 0 ? undefined : Buffer.from(row.user_hash).toString('hex'),
    errors: row.errors,
    duration: row.duration ?? undefined,
    abnormalMechanism: row.abnormal_mechanism ?? undefined,
    appRelease: row.release,
    environment: row.environment === '' ? undefined : row.environment,
  };
}

/** Returns the health of releases from the sessions that started in a window. Adoption always covers the last 24 hours. */
export async function healthOf(
  store: Store,
  projectId: number,
  releaseIds: readonly number[],
  window: HealthWindow,
  now: number,
): Promise<Map<number, ReleaseHealth>> {
  const lastDay: HealthWindow = { environment: window.environment, from: now - DAY };
  const [sums, medians, totals] = await Promise.all([
    sessionSums(store, releaseIds, window),
    medianDurations(store, releaseIds, window),
    sessionTotals(store, projectId, lastDay),
  ]);
  const sumOf = new Map(sums.map((row) => [row.release_id, row]));
  const medianOf = new Map(medians.map((row) => [row.release_id, row.duration]));
  const totalOf = new Map(totals.map((row) => [row.release_id, row.total]));
  const ofProject = totals.reduce((sum, { total }) => sum + total, 0);
  return new Map(
    releaseIds.map((id) => {
      const sum = sumOf.get(id);
      const counts = {
        total: sum?.total ?? 0,
        crashed: sum?.crashed ?? 0,
        abnormal: sum?.abnormal ?? 0,
        errored: sum?.errored ?? 0,
        users: sum?.users ?? 0,
        crashedUsers: sum?.crashed_users ?? 0,
        medianDuration: medianOf.get(id),
      };
      return [id, releaseHealth(counts, { ofRelease: totalOf.get(id) ?? 0, ofProject })];
    }),
  );
}
