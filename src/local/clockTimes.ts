const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };
/** The longest time by which the clock moves at once: 100 years. */
const LONGEST = 100 * 366 * 86_400;

/** Returns the seconds of a duration such as `90m` or `1d 12h`, or undefined if it is none. Units: s, m, h, d and w (weeks). */
export function secondsOf(text: string): number | undefined {
  const parts = text.trim().split(/\s+/);
  let sum = 0;
  for (const part of parts) {
    const [, count, unit] = /^(\d{1,6})([smhdw])$/i.exec(part) ?? [];
    if (count === undefined || unit === undefined) return undefined;
    sum += Number(count) * (SECONDS[unit.toLowerCase()] ?? 0);
  }
  return sum > 0 && sum <= LONGEST ? sum : undefined;
}

/** Returns the ISO 8601 time of a text such as `2030-01-31` or `2030-01-31 14:30`, which is in UTC; undefined if it is none. */
export function timeOf(text: string): string | undefined {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?)Z?)?$/.exec(text.trim()) ?? [];
  const at = Date.parse(`${date}T${time ?? '00:00'}Z`);
  // A day that the month does not have becomes one of the next month.
  if (Number.isNaN(at) || new Date(at).toISOString().slice(0, 10) !== date) return undefined;
  return new Date(at).toISOString();
}

/** Returns a time as `timeOf` reads it: `2030-01-31 14:30:00`. */
export function textOfTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;

/** Returns how long a number of seconds is, in its two largest units: `30 days 2 hours`. */
export function formatDuration(seconds: number, locale: string): string {
  let rest = Math.round(Math.abs(seconds));
  const parts = UNITS.flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)];
  });
  return parts.slice(0, 2).join(' ');
}
