import type { SeedCore } from './seedCore.ts';
import type { JsonObject } from '../../src/contract/json.ts';
import { DAY, HOUR, isoTime } from '../core/clock.ts';
import { type ErrorHistory, openHistory, type PastEvent, type RepeatedEvent } from '../features/errorTracking/errorTracking.ts';
import { type DemoError, demoErrors, demoReleases, endUser } from './demoFailures.ts';
import { frameOf, furtherOccurrences } from './demoFurtherErrors.ts';
import { pastOf } from './past.ts';
import { type Random, randomFrom } from './random.ts';

/** Random seed of errors, separate because they were added to the demo data later. */
const ERRORS_SEED = 20_261_123;
/** Random seed of the further errors and of late events, which were added even later. */
const FURTHER_SEED = 20_261_127;
const EVENTS = 20_000;
/** Span of the events in days: shorter than their retention period, so that none expires on the next day. */
const DAYS = 84;
const PERIOD = (DAYS * DAY) / demoReleases.length;
/** Number of events with full details per error: enough to step through, and small in the database. */
const MAX_STORED_PAYLOADS = 20;
/** Number of end users of the service, and of those affected by the most frequent error. */
const USERS = 400;
const USERS_OF_FIRST = 60;
/** Share of an error's events that occur after it came back. */
const SHARE_AGAIN = 0.1;
/** Index of the release from which some errors are ignored. */
const IGNORED_WITH = 3;
/** Number of events that a release without the fix reports after its error was resolved. */
const LATE_EVENTS = 41;

type Occurrence = Omit<PastEvent, 'id'>;

/**
 * Records twelve weeks of a failing program, up to now: 40 errors, 20,000 events and the sessions of 6 releases, processed like events from
 * SDKs. Errors are resolved with the release after their last event; some come back, and some are ignored. In the last two weeks, further
 * errors are recorded (demoFurtherErrors.ts). Everything except the times is the same every time. The caller provides the transaction.
 * Yields after each release, and yields promises that have to be awaited.
 */
export function* recordErrors(core: SeedCore, projectId: number): Generator<Promise<void> | undefined, void> {
  const random = randomFrom(ERRORS_SEED);
  const furtherRandom = randomFrom(FURTHER_SEED);
  const start = core.clock.now() - DAYS * DAY;
  let now = start;
  const moved = pastOf(core, () => now);
  try {
    const history = openHistory(moved.core, projectId, MAX_STORED_PAYLOADS);
    const kinds = demoErrors.map((error, index) => kindsOf(history, random, error, index));
    const errorsByRelease = eventsByRelease(random);
    for (const [releaseIndex, release] of demoReleases.entries()) {
      const begin = start + releaseIndex * PERIOD;
      const sample = (index: number): RepeatedEvent => kinds[index]?.(release) ?? missing();
      const occurrences = (errorsByRelease[releaseIndex] ?? [])
        .map((index): Occurrence => ({ at: begin + Math.floor(random.next() * PERIOD), what: sample(index) }))
        .toSorted((one, other) => one.at - other.at);
      now = begin;
      const isLatest = releaseIndex === demoReleases.length - 1;
      const further = isLatest
        ? [
            ...lateOccurrences(history, furtherRandom, begin),
            ...(yield* furtherOccurrences(history, furtherRandom, begin + PERIOD)),
          ]
        : [];
      for (let day = begin; day < begin + PERIOD; day += DAY) {
        now = day + DAY - 1;
        const isOfDay = ({ at }: Occurrence): boolean => at >= day && at < day + DAY;
        const withIds = (list: readonly Occurrence[], ids: Random): PastEvent[] =>
          list.filter(isOfDay).map((one) => ({ ...one, id: eventId(ids) }));
        const events = [...withIds(occurrences, random), ...withIds(further, furtherRandom)];
        history.write(events.toSorted((one, other) => one.at - other.at));
        history.writeSessions(sessionsOf(random, release, day));
      }
      for (const [index, { releases, ignored, isReportedLate }] of demoErrors.entries()) {
        if (releaseIndex === releases[1] && !isLatest)
          history.change(sample(index), { status: isReportedLate === true ? 'resolved_in_next_release' : 'resolved' });
        else if (releaseIndex === IGNORED_WITH && ignored === true) history.change(sample(index), { status: 'ignored' });
      }
      yield;
    }
  } finally {
    moved.end();
  }
}

/** End users who can be affected by an error. */
export const demoUserIds: readonly string[] = Array.from({ length: USERS }, (_, index) => endUser(index + 1));

function missing(): never {
  throw new Error('the demo data has no such error');
}

/** Returns the errors of each release by index, once for each event. The first errors are the most frequent. */
function eventsByRelease(random: Random): number[][] {
  const weights = demoErrors.map((_, index) => 1 / (index + 1.5));
  const sum = weights.reduce((total, weight) => total + weight, 0);
  const counts = weights.map((weight) => Math.floor((EVENTS * weight) / sum));
  const rest = EVENTS - counts.reduce((total, count) => total + count, 0);
  const errorsByRelease: number[][] = demoReleases.map(() => []);
  for (const [errorIndex, { releases, again }] of demoErrors.entries()) {
    const [first, last] = releases;
    // Each release of an error has at least one event.
    const count = (counts[errorIndex] ?? 0) + (errorIndex === 0 ? rest : 0);
    for (let number = 0; number < count; number += 1) {
      const isAgain = again !== undefined && (number === 0 || random.chance(SHARE_AGAIN));
      const release = isAgain ? again : number <= last - first ? first + number : random.integer(first, last);
      errorsByRelease[release]?.push(errorIndex);
    }
  }
  return errorsByRelease;
}

/** Returns events of errors that a server with the release before the fix still reports, from `begin` on. */
function lateOccurrences(history: ErrorHistory, random: Random, begin: number): Occurrence[] {
  return demoErrors
    .filter(({ isReportedLate }) => isReportedLate === true)
    .flatMap((error) =>
      Array.from({ length: LATE_EVENTS }, () => {
        // The users of the server berth-3.
        const user = 3 * random.integer(0, 6) + 2;
        const what = history.read(payloadOf(error, demoReleases[error.releases[1]] ?? '', user));
        return { at: begin + HOUR + Math.floor(random.next() * (PERIOD - 2 * HOUR)), what };
      }),
    );
}

/** Event data of an error. Only the affected user varies, so each is parsed once. */
function kindsOf(history: ErrorHistory, random: Random, error: DemoError, index: number): (release: string) => RepeatedEvent {
  const users = Array.from({ length: Math.ceil(USERS_OF_FIRST / (index + 1)) + (index % 5) }, () => random.integer(1, USERS));
  const known = new Map<string, RepeatedEvent>();
  return (release) => {
    const user = users[random.integer(0, users.length - 1)] ?? 1;
    const key = `${release} ${user}`;
    let kind = known.get(key);
    if (kind === undefined) {
      kind = history.read(payloadOf(error, release, user));
      known.set(key, kind);
    }
    return kind;
  };
}

/** Returns what an SDK would send for an error of the demo data. */
export function payloadOf({ type, value, at, from, level, cause }: DemoError, release: string, user: number): JsonObject {
  const text = value.replaceAll('{n}', String(user)).replaceAll('{d}', String(user % 10));
  const stack = [layer, frameOf(from), frameOf(at)];
  return {
    platform: 'node',
    level: level ?? 'error',
    release,
    environment: user % 7 === 0 ? 'staging' : 'production',
    server_name: `berth-${(user % 3) + 1}`,
    sdk: { name: 'sentry.javascript.node', version: '10.2.0' },
    user: { id: endUser(user) },
    tags: { harbour: ['north', 'south', 'island'][user % 3], boat: user % 4 === 0 ? 'motor' : 'sail' },
    contexts: { runtime: { name: 'node', version: 'v24.1.0' } },
    breadcrumbs: [
      { category: 'http', message: 'GET /berths', data: { status_code: 200 } },
      { category: 'console', level: level === 'fatal' ? 'error' : 'info', message: `${from[1]} for ${endUser(user)}` },
    ],
    exception: {
      values: [
        ...(cause === undefined ? [] : [{ type: cause[0], value: cause[1] }]),
        {
          type,
          value: text,
          mechanism: { type: 'generic', handled: level === 'warning' },
          stacktrace: { frames: stack },
        },
      ],
    },
  };
}

const layer = {
  filename: '/srv/berth-api/node_modules/express/lib/router/layer.js',
  function: 'handle',
  lineno: 95,
  colno: 5,
  in_app: false,
} as const;

/** Returns the sessions of a day as an SDK on a server counts them, by the hours in which boats arrive and leave. */
function sessionsOf(random: Random, release: string, day: number): JsonObject {
  const aggregates = [8, 12, 17].map((hour) => {
    const crashed = random.chance(0.3) ? random.integer(1, 3) : 0;
    return {
      started: isoTime(day + hour * HOUR),
      exited: random.integer(80, 240),
      errored: random.integer(0, 12),
      ...(crashed > 0 ? { crashed } : {}),
    };
  });
  return { aggregates, attrs: { release, environment: 'production' } };
}

function eventId(random: Random): string {
  return Array.from({ length: 4 }, () =>
    Math.floor(random.next() * 2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
}
