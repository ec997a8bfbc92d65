/**
 * The one source of time of the server. Everything that is stored, compared or expires reads it, so that moving it moves the
 * whole platform. Times are integer milliseconds since the Unix epoch.
 */
export interface Clock {
  /** The platform's time: moved or frozen. */
  now(): number;
  /** The machine's time, for durations of requests and for talking to the operating system only. */
  systemNow(): number;
  state(): ClockState;
  freeze(at: number): void;
  /** Moves the clock by a number of milliseconds, which may be negative. A frozen clock stays frozen. */
  advance(by: number): void;
  reset(): void;
  /** Called after every move; returns a function that ends the subscription. */
  onMove(listener: () => void): () => void;
}

export interface ClockState {
  readonly offset: number;
  readonly frozenAt: number | null;
}

/** Where the state is kept between runs; the store gives one, tests may leave it out. */
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

/** ISO 8601 in UTC with milliseconds, as every timestamp of the REST API is written. */
export function isoTime(time: number): string {
  return new Date(time).toISOString();
}

/** As HTTP headers have times (RFC 9110 §5.6.7). */
export function httpDate(time: number): string {
  return new Date(time).toUTCString();
}

/** `YYYY-MM-DD` of a time, in UTC. */
export function isoDate(time: number): string {
  return isoTime(time).slice(0, 10);
}

/** Year, month (from 1) and day of the week (Sunday is 0) of a time, in UTC. */
export function utcDate(time: number): { readonly year: number; readonly month: number; readonly weekday: number } {
  const date = new Date(time);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, weekday: date.getUTCDay() };
}

/** Midnight UTC of a day; months and days beyond the ends count on. */
export function utcDay(year: number, month: number, day: number): number {
  return Date.UTC(year, month - 1, day);
}

/** Reads a date or date-time text; undefined when it is none. A missing zone means UTC. */
export function parseTime(text: string): number | undefined {
  const zoned = /(?:z|[+-]\d\d:?\d\d)$/i.test(text) || !text.includes(':') ? text : `${text}Z`;
  const time = new Date(zoned).getTime();
  return Number.isNaN(time) ? undefined : time;
}

/** Midnight UTC of a calendar day; undefined when there is no such day. */
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
