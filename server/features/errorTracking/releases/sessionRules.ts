/**
 * Rules of release health, based on the sessions that SDKs report (docs/interface.md#release-health). Times are milliseconds
 * since 1970.
 */

/** `ok` sessions continue; all other statuses are final. */
export type SessionStatus = 'ok' | 'exited' | 'crashed' | 'abnormal';

/** A report of a session. Members that the SDK left out are undefined. */
export interface SessionReport {
  readonly status: SessionStatus;
  /** True for the first report of a session. Some SDKs set it on every report. */
  readonly isFirst: boolean;
  /** Sequence number of the report. */
  readonly seq: number | undefined;
  readonly startedAt: number;
  readonly sentAt: number;
  /** Hash of the user. */
  readonly userHash: string | undefined;
  /** Number of errors so far. */
  readonly errors: number | undefined;
  /** In seconds. */
  readonly duration: number | undefined;
  readonly abnormalMechanism: string | undefined;
  readonly appRelease: string;
  readonly environment: string | undefined;
}

/** A stored session, identified by project and `sid`. */
export interface Session {
  readonly status: SessionStatus;
  readonly seq: number;
  readonly startedAt: number;
  readonly sentAt: number;
  readonly userHash: string | undefined;
  readonly errors: number;
  /** In seconds. */
  readonly duration: number | undefined;
  readonly abnormalMechanism: string | undefined;
  readonly appRelease: string;
  readonly environment: string | undefined;
}

const DAY = 86_400_000;
/** Time after its start during which a session is updated (docs/interface.md#release-health). */
export const longestSession = 5 * DAY;
/** Tolerance for differences between clocks. */
const MAX_AHEAD = 60_000;

/**
 * Maps the status that an SDK sent. Newer statuses end a session with errors but without a crash. Unknown ones continue it, with
 * `isKnown` false so that they can be reported.
 */
export function sessionStatusOf(sent: string | undefined): {
  readonly status: SessionStatus;
  readonly hasErrors: boolean;
  readonly isKnown: boolean;
} {
  switch (sent) {
    case undefined:
    case 'ok':
      return { status: 'ok', hasErrors: false, isKnown: true };
    case 'exited':
      return { status: 'exited', hasErrors: false, isKnown: true };
    case 'crashed':
    case 'abnormal':
      return { status: sent, hasErrors: true, isKnown: true };
    case 'errored':
    case 'unhandled':
      return { status: 'ok', hasErrors: true, isKnown: true };
    default:
      return { status: 'ok', hasErrors: false, isKnown: false };
  }
}

/**
 * `in_future`, `too_old`: start of the session out of range. `ended`: the session has ended. `outdated`: a later report has been
 * processed.
 */
export type IgnoredReport = 'in_future' | 'too_old' | 'ended' | 'outdated';

/** Returns the session after a report, or the reason why the report is ignored. */
export function afterReport(
  stored: Session | undefined,
  report: SessionReport,
  receivedAt: number,
): { readonly session: Session } | { readonly ignored: IgnoredReport } {
  const startedAt = stored?.startedAt ?? report.startedAt;
  if (startedAt > receivedAt + MAX_AHEAD) return { ignored: 'in_future' };
  if (startedAt < receivedAt - longestSession) return { ignored: 'too_old' };
  const seq = report.isFirst ? 0 : (report.seq ?? receivedAt);
  if (stored === undefined) return { session: startSession(report, seq) };
  if (stored.status !== 'ok') return { ignored: 'ended' };
  if (seq < stored.seq || (seq === stored.seq && report.sentAt < stored.sentAt)) return { ignored: 'outdated' };
  const { status, sentAt } = report;
  return {
    session: {
      // User, release and start are set by the first report.
      ...stored,
      status,
      seq,
      sentAt,
      // A total, which never decreases.
      errors: Math.max(stored.errors, errorsOf(report)),
      duration: durationOf(report) ?? stored.duration,
      abnormalMechanism: report.abnormalMechanism ?? stored.abnormalMechanism,
    },
  };
}

function startSession(report: SessionReport, seq: number): Session {
  const { isFirst: _, ...members } = report;
  return { ...members, seq, errors: errorsOf(report), duration: durationOf(report) };
}

function errorsOf({ status, errors }: SessionReport): number {
  const sent = errors !== undefined && Number.isFinite(errors) ? Math.max(0, Math.floor(errors)) : 0;
  return status === 'crashed' || status === 'abnormal' ? Math.max(1, sent) : sent;
}

function durationOf({ duration }: SessionReport): number | undefined {
  return duration !== undefined && Number.isFinite(duration) && duration >= 0 ? duration : undefined;
}

/**
 * Sessions of one minute that the application counted itself (docs/interface.md#release-health). They cannot be identified
 * individually.
 */
export interface SessionAggregate {
  readonly userHash: string | undefined;
  /** Sessions without errors. */
  readonly exited: number;
  readonly errored: number;
  readonly crashed: number;
  readonly abnormal: number;
}

/** Sums from which the health of a release is calculated. They can also be calculated in SQL. */
export interface SessionCounts {
  readonly total: number;
  readonly crashed: number;
  readonly abnormal: number;
  /** Neither crashed nor abnormal, but with errors. */
  readonly errored: number;
  readonly users: number;
  readonly crashedUsers: number;
  /** Median duration of exited sessions in seconds, or undefined if there are none. */
  readonly medianDuration: number | undefined;
}

export function countSessions(sessions: Iterable<Session>, aggregates: Iterable<SessionAggregate>): SessionCounts {
  let [total, crashed, abnormal, errored] = [0, 0, 0, 0];
  const users = new Set<string>();
  const crashedUsers = new Set<string>();
  const durations: number[] = [];
  for (const { status, errors, userHash, duration } of sessions) {
    total += 1;
    if (status === 'crashed') crashed += 1;
    else if (status === 'abnormal') abnormal += 1;
    else if (errors > 0) errored += 1;
    if (status === 'exited' && duration !== undefined) durations.push(duration);
    if (userHash === undefined) continue;
    users.add(userHash);
    if (status === 'crashed') crashedUsers.add(userHash);
  }
  for (const counts of aggregates) {
    total += counts.exited + counts.errored + counts.crashed + counts.abnormal;
    crashed += counts.crashed;
    abnormal += counts.abnormal;
    errored += counts.errored;
    if (counts.userHash === undefined) continue;
    users.add(counts.userHash);
    if (counts.crashed > 0) crashedUsers.add(counts.userHash);
  }
  return {
    total,
    crashed,
    abnormal,
    errored,
    users: users.size,
    crashedUsers: crashedUsers.size,
    medianDuration: medianOf(durations),
  };
}

function medianOf(numbers: readonly number[]): number | undefined {
  const sorted = Float64Array.from(numbers).sort();
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? undefined : (lower + upper) / 2;
}

/** Rates are from 0 to 1, or undefined without data. */
export interface ReleaseHealth extends SessionCounts {
  readonly healthy: number;
  readonly crashFreeSessions: number | undefined;
  readonly crashFreeUsers: number | undefined;
  /** Share of the release in all sessions of the project in the last 24 hours. */
  readonly adoption: number | undefined;
}

/**
 * Returns the health of a release (docs/interface.md#release-health). `lastDay` contains the sessions of the last 24 hours of the
 * release and of the whole project.
 */
export function releaseHealth(
  counts: SessionCounts,
  lastDay: { readonly ofRelease: number; readonly ofProject: number },
): ReleaseHealth {
  const { total, errored, crashed, abnormal, users, crashedUsers } = counts;
  return {
    ...counts,
    healthy: total - errored - crashed - abnormal,
    crashFreeSessions: total === 0 ? undefined : 1 - crashed / total,
    crashFreeUsers: users === 0 ? undefined : 1 - crashedUsers / users,
    adoption: lastDay.ofProject === 0 ? undefined : lastDay.ofRelease / lastDay.ofProject,
  };
}
