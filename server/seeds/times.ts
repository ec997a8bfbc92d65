import { DAY, dayStart, HOUR, MINUTE, parseTime, SECOND } from '../core/clock.ts';

const units: Readonly<Record<string, number>> = { second: SECOND, minute: MINUTE, hour: HOUR, day: DAY, week: 7 * DAY };
const SPAN = String.raw`\d{1,6} (?:second|minute|hour|day|week)s?`;
const DAYS = String.raw`\d{1,6} (?:day|week)s?`;
const CALENDAR = String.raw`\d{4}-\d\d-\d\d`;

/** A time: a date, a date and time, or a time relative to the platform's clock. */
export const timePattern = new RegExp(
  String.raw`^(?:now|${CALENDAR}(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d)?)?|${SPAN}(?: ${SPAN})* ago)$`,
);

/** A day: a date, or a day relative to today by the platform's clock. */
export const dayPattern = new RegExp(String.raw`^(?:today|${CALENDAR}|in ${DAYS}|${DAYS} ago)$`);

/** Returns milliseconds since the epoch, or undefined for an invalid time. The default time zone is UTC. */
export function readTime(text: string, now: number): number | undefined {
  if (!timePattern.test(text)) return undefined;
  if (text === 'now') return now;
  if (text.endsWith(' ago')) return now - spanOf(text);
  return calendarDay(text) === undefined ? undefined : parseTime(text.replace(' ', 'T'));
}

/** Returns midnight UTC of a day in milliseconds since the epoch, or undefined for an invalid day. */
export function readDay(text: string, now: number): number | undefined {
  if (!dayPattern.test(text)) return undefined;
  const today = Math.floor(now / DAY) * DAY;
  if (text === 'today') return today;
  if (text.endsWith(' ago')) return today - spanOf(text);
  return text.startsWith('in ') ? today + spanOf(text) : calendarDay(text);
}

function spanOf(text: string): number {
  return [...text.matchAll(/(\d+) (second|minute|hour|day|week)/g)].reduce(
    (sum, [, count = '', unit = '']) => sum + Number(count) * (units[unit] ?? 0),
    0,
  );
}

function calendarDay(text: string): number | undefined {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  return dayStart(year, month, day);
}
