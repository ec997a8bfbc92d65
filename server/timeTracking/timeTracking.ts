import * as z from 'zod';
import { count, named } from '../http/responses.ts';

// Estimates and time spent, in seconds, of whatever they are kept for (issues, merge requests).

/** A working day has eight hours, a week five days and a month four weeks, as on the real platform. */
const MINUTE = 60;
const HOUR = 60 * MINUTE;
const WORKDAY = 8 * HOUR;
const WEEK = 5 * WORKDAY;
const MONTH = 4 * WEEK;

const units = [
  { short: 'mo', names: ['mo', 'mos', 'month', 'months'], seconds: MONTH },
  { short: 'w', names: ['w', 'wk', 'wks', 'week', 'weeks'], seconds: WEEK },
  { short: 'd', names: ['d', 'day', 'days'], seconds: WORKDAY },
  { short: 'h', names: ['h', 'hr', 'hrs', 'hour', 'hours'], seconds: HOUR },
  { short: 'm', names: ['m', 'min', 'mins', 'minute', 'minutes'], seconds: MINUTE },
  { short: 's', names: ['s', 'sec', 'secs', 'second', 'seconds'], seconds: 1 },
] as const;

/** Longest time that is kept, in seconds; more cannot be meant. */
const MAX_LENGTH = 2_147_483_647;

/** Characters of a text that names a time. */
const MAX_TEXT_LENGTH = 255;

/** Seconds of a text such as `1w 3h30m` or `-1d`; undefined when it is none. */
export function parseDuration(text: string): number | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const message = text.trim().toLowerCase();
  const sign = message.startsWith('-') ? -1 : 1;
  const rest = message.replace(/^[+-]/, '').trim();
  if (!/^(?:\d{1,9}(?:\.\d{1,3})?\s*[a-z]+[\s,]*)+$/.test(rest)) return undefined;
  let total = 0;
  for (const [, number = '', name = ''] of rest.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const unit = units.find(({ names }) => names.some((known) => known === name));
    if (unit === undefined) return undefined;
    total += Number(number) * unit.seconds;
  }
  return total > MAX_LENGTH ? undefined : sign * Math.round(total);
}

/** `1w 3h 30m`; null for no time at all. */
export function humanDuration(seconds: number): string | null {
  if (seconds === 0) return null;
  const parts: string[] = [];
  let left = Math.abs(seconds);
  for (const { short, seconds: size } of units) {
    const whole = Math.floor(left / size);
    if (whole > 0) parts.push(`${whole}${short}`);
    left -= whole * size;
  }
  return `${seconds < 0 ? '-' : ''}${parts.join(' ')}`;
}

export const timeStats = named('TimeStats', () =>
  z.strictObject({
    time_estimate: count(),
    total_time_spent: count(),
    human_time_estimate: z.string().nullable(),
    human_total_time_spent: z.string().nullable(),
  }),
);

export function presentTimeStats(stored: {
  readonly time_estimate: number;
  readonly time_spent: number;
}): z.output<ReturnType<typeof timeStats>> {
  return {
    time_estimate: stored.time_estimate,
    total_time_spent: stored.time_spent,
    human_time_estimate: humanDuration(stored.time_estimate),
    human_total_time_spent: humanDuration(stored.time_spent),
  };
}
