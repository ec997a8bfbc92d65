import * as z from 'zod';
import { count, named } from '../../http/responses.ts';

// Estimates and time spent, in seconds, of issues and merge requests.

// A day has eight hours, a week five days and a month four weeks, as on GitLab.
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

/** Maximum duration, in seconds. */
const MAX_DURATION = 2_147_483_647;

/** Maximum length of a duration text, in characters. */
const MAX_TEXT_LENGTH = 255;

/** Returns the seconds of a text such as `1w 3h30m` or `-1d`, or undefined if the text is not a duration. */
export function parseDuration(text: string): number | undefined {
  if (text.length > MAX_TEXT_LENGTH) return undefined;
  const normalized = text.trim().toLowerCase();
  const sign = normalized.startsWith('-') ? -1 : 1;
  const rest = normalized.replace(/^[+-]/, '').trim();
  if (!/^(?:\d{1,9}(?:\.\d{1,3})?\s*[a-z]+[\s,]*)+$/.test(rest)) return undefined;
  let total = 0;
  for (const [, number = '', name = ''] of rest.matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/g)) {
    const unit = units.find(({ names }) => names.some((known) => known === name));
    if (unit === undefined) return undefined;
    total += Number(number) * unit.seconds;
  }
  return total > MAX_DURATION ? undefined : sign * Math.round(total);
}

/** Returns a text such as `1w 3h 30m`, or null for 0. */
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
