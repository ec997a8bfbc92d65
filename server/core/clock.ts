/**
 * The only source of time of the server. Everything that is stored, compared or expires uses it, so moving it moves the whole platform.
 * Times are integer milliseconds since the Unix epoch.
 */
export interface Clock {
  /** Returns the platform's time, which can be moved or frozen. */
  now(): number;
  /** Returns the machine's time. Only for durations of requests and communication with the operating system. */
  systemNow(): number;
  state(): ClockState;
  freeze(at: number): void;
  /** Moves the clock by a number of milliseconds, which may be negative. A frozen clock stays frozen. */
  advance(by: number): void;
  reset(): void;
  /** Adds a function that is called after every move. Returns a function that removes it. */
  onMove(listener: () => void): () => void;
}

export interface ClockState {
  readonly offset: number;
  readonly frozenAt: number | null;
}

/** Persistent state of the clock. Optional in tests. */
export interface ClockMemory {
  load(): ClockState;
  save(state: ClockState): void;
}

const unmoved: ClockState = { offset: 0, frozenAt: null };

export function createClock(memory?: ClockMemory, systemNow: () => number = Date.now): Clock {
  let state = memory?.load() ?? unmoved;
  const listeners = new Set<() => void>();
  const move = (next: ClockState): void => {
    state = next;
    memory?.save(next);
    for (const listener of listeners) listener();
  };
  const now = (): number => state.frozenAt ?? systemNow() + state.offset;
  return {
    now,
    systemNow,
    state: () => state,
    freeze: (at) => move({ offset: at - systemNow(), frozenAt: at }),
    advance: (by) => move({ offset: state.offset + by, frozenAt: state.frozenAt === null ? null : state.frozenAt + by }),
    reset: () => move(unmoved),
    onMove: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Beginnings of times in ISO 8601 up to the `T`, by the number of days since 1970. */
const days = new Map<number, string>();
const MAX_CACHED_DAYS = 1000;
const twoDigits = Array.from({ length: 60 }, (_, value) => String(value).padStart(2, '0'));
const threeDigits = Array.from({ length: 1000 }, (_, value) => String(value).padStart(3, '0'));

/**
 * Returns a time in ISO 8601, UTC with milliseconds, like every timestamp of the REST API. Lists have hundreds of times of few days, and
 * this takes a third of the time of `Date`.
 */
export function isoTime(time: number): string {
  if (!Number.isInteger(time)) return new Date(time).toISOString();
  const day = Math.floor(time / DAY);
  let start = days.get(day);
  if (start === undefined) {
    start = new Date(time).toISOString().slice(0, -'00:00:00.000Z'.length);
    if (days.size >= MAX_CACHED_DAYS) days.clear();
    days.set(day, start);
  }
  const inDay = time - day * DAY;
  const seconds = Math.floor(inDay / SECOND);
  const hour = twoDigits[Math.floor(seconds / 3600)] ?? '';
  const minute = twoDigits[Math.floor(seconds / 60) % 60] ?? '';
  return `${start}${hour}:${minute}:${twoDigits[seconds % 60] ?? ''}.${threeDigits[inDay % SECOND] ?? ''}Z`;
}

/** Returns a time in the format of HTTP headers (RFC 9110 §5.6.7). */
export function httpDate(time: number): string {
  return new Date(time).toUTCString();
}

/** Returns the UTC date of a time as `YYYY-MM-DD`. */
export function isoDate(time: number): string {
  return isoTime(time).slice(0, 10);
}

/** Returns the UTC year, month (from 1) and day of the week (Sunday is 0) of a time. */
export function utcDate(time: number): { readonly year: number; readonly month: number; readonly weekday: number } {
  const date = new Date(time);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, weekday: date.getUTCDay() };
}

/** Returns midnight UTC of a day. Months and days out of range roll over. */
export function utcDay(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day);
}

/** Parses a date or date-time, or returns undefined if it is invalid. The default time zone is UTC. */
export function parseTime(text: string): number | undefined {
  const zoned = /(?:z|[+-]\d\d:?\d\d)$/i.test(text) || !text.includes(':') ? text : `${text}Z`;
  const time = new Date(zoned).getTime();
  return Number.isNaN(time) ? undefined : time;
}

/** Returns midnight UTC of a calendar day, or undefined if there is no such day. */
export function dayStart(year: number, month: number, day: number): number | undefined {
  const time = Date.UTC(year, month - 1, day);
  const date = new Date(time);
  const isReal = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? time : undefined;
}

export const DAY = 86_400_000;
export const HOUR = 3_600_000;
export const MINUTE = 60_000;
export const SECOND = 1000;
