// Times of cron expressions with five fields: minute, hour, day of the month, month, day of the week.

/** Values of a field that match. `isAny` is true for `*`. */
interface CronField {
  readonly values: ReadonlySet<number>;
  readonly isAny: boolean;
}

export interface Cron {
  readonly minutes: CronField;
  readonly hours: CronField;
  readonly days: CronField;
  readonly months: CronField;
  readonly weekdays: CronField;
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const weekdayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** Maximum length of an expression. */
const MAX_LENGTH = 255;

/** Returns the parsed expression; undefined if it is invalid. */
export function parseCron(text: string): Cron | undefined {
  const fields = text.length > MAX_LENGTH ? [] : text.trim().split(/\s+/);
  const [minute, hour, day, month, weekday] = fields;
  if (fields.length !== 5 || minute === undefined || hour === undefined || day === undefined) return undefined;
  const minutes = parseField(minute, 0, 59);
  const hours = parseField(hour, 0, 23);
  const days = parseField(day, 1, 31);
  const months = parseField(month ?? '', 1, 12, monthNames, 1);
  const weekdays = parseField(weekday ?? '', 0, 7, weekdayNames, 0);
  if (!minutes || !hours || !days || !months || !weekdays) return undefined;
  // Sunday is 0 and 7.
  const values = new Set([...weekdays.values].map((value) => value % 7));
  return { minutes, hours, days, months, weekdays: { values, isAny: weekdays.isAny } };
}

function parseField(text: string, min: number, max: number, names: readonly string[] = [], firstName = 0): CronField | undefined {
  const numberOf = (part: string): number => {
    const name = names.indexOf(part.toLowerCase());
    return name !== -1 ? name + firstName : /^\d{1,2}$/.test(part) ? Number(part) : Number.NaN;
  };
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const match = /^(?:(?<any>\*)|(?<from>\w+)(?:-(?<to>\w+))?)(?:\/(?<step>\d{1,2}))?$/.exec(part);
    if (match?.groups === undefined) return undefined;
    const { any, from = '', to, step } = match.groups;
    const start = any === undefined ? numberOf(from) : min;
    // A step after a single value continues to the maximum.
    const end = any !== undefined || (to === undefined && step !== undefined) ? max : numberOf(to ?? from);
    const distance = step === undefined ? 1 : Number(step);
    if (!(start >= min && end <= max && start <= end && distance > 0)) return undefined;
    for (let value = start; value <= end; value += distance) values.add(value);
  }
  return { values, isAny: text.startsWith('*') };
}

/** Returns true if a text names a time zone. */
export function isTimeZone(text: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
/** Number of days in which a time is sought. February 29 can be eight years away. */
const MAX_DAYS = 9 * 366;

/**
 * Returns the first time after another one, in milliseconds. Undefined if there is none, as for February 30. A local time that the clocks skip
 * is left out, and one that they repeat counts once.
 */
export function nextTime(cron: Cron, timeZone: string, after: number): number | undefined {
  const offset = offsets(timeZone);
  const sortedHours = [...cron.hours.values].toSorted((a, b) => a - b);
  const sortedMinutes = [...cron.minutes.values].toSorted((a, b) => a - b);
  const firstDay = Math.floor((after + offset(after)) / DAY) * DAY;
  for (let number = 0; number < MAX_DAYS; number += 1) {
    const day = firstDay + number * DAY;
    if (!isDay(cron, new Date(day))) continue;
    for (const hour of sortedHours) {
      // An hour that is over everywhere needs no look at the time zone.
      if (day + (hour + 1) * HOUR < after - DAY) continue;
      for (const minute of sortedMinutes) {
        const local = day + hour * HOUR + minute * MINUTE;
        const time = timeOfLocal(local, offset);
        if (time !== undefined && time > after) return time;
      }
    }
  }
  return undefined;
}

/** Returns true if a day matches. If days of the month and of the week are both limited, one of them is enough. */
function isDay({ days, months, weekdays }: Cron, date: Date): boolean {
  if (!months.values.has(date.getUTCMonth() + 1)) return false;
  const isInMonth = days.values.has(date.getUTCDate());
  const isInWeek = weekdays.values.has(date.getUTCDay());
  return days.isAny || weekdays.isAny ? isInMonth && isInWeek : isInMonth || isInWeek;
}

/** Returns the first time at which clocks show a local time, which is written as if it were UTC; undefined if they skip it. */
function timeOfLocal(local: number, offset: (time: number) => number): number | undefined {
  const candidates = [local - offset(local - DAY), local - offset(local + DAY)].toSorted((a, b) => a - b);
  return candidates.find((time) => time + offset(time) === local);
}

/** Returns a function that returns the difference between local time and UTC, in milliseconds. */
function offsets(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (time) => {
    const parts = new Map(format.formatToParts(time).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second'));
    return local - Math.floor(time / 1000) * 1000;
  };
}
