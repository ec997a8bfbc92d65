import * as l10n from '@vscode/l10n';

// End times of timed profiles, in local time.

/** Point in time, offered in a list. */
export interface OfferedEnd {
  readonly label: string;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

const HOUR = 3_600_000;
const EVENING = 18;
const MORNING = 9;

/** Returns the end times that are offered at `now`, without those that have passed today. */
export function offeredEnds(now: Date, locale: string): readonly OfferedEnd[] {
  const evening = atTime(now, 0, EVENING, 0);
  const morning = atTime(now, 1, MORNING, 0);
  return [
    { label: l10n.t('For 1 hour'), until: now.getTime() + HOUR },
    ...(evening > now.getTime() ? [{ label: l10n.t('Until {0}', formatTime(evening, locale)), until: evening }] : []),
    { label: l10n.t('Until tomorrow, {0}', formatTime(morning, locale)), until: morning },
  ];
}

/** Longest profile that can be entered as a time span. */
const MAX_HOURS = 24 * 14;

/**
 * Returns the end that was entered as a time (`18:30`, today or else tomorrow) or as a time span (`90m`, `2h`), or undefined if it is
 * neither.
 */
export function readEnd(text: string, now: Date): number | undefined {
  const [, amount, unit] = /^(\d{1,4})\s*(m|min|h)$/i.exec(text.trim()) ?? [];
  if (amount !== undefined && unit !== undefined) {
    const span = Number(amount) * (unit.toLowerCase() === 'h' ? HOUR : 60_000);
    return span > 0 && span <= MAX_HOURS * HOUR ? now.getTime() + span : undefined;
  }
  const [, hours, minutes] = /^([01]?\d|2[0-3])[:.]([0-5]\d)$/.exec(text.trim()) ?? [];
  if (hours === undefined || minutes === undefined) return undefined;
  const today = atTime(now, 0, Number(hours), Number(minutes));
  return today > now.getTime() ? today : atTime(now, 1, Number(hours), Number(minutes));
}

/** Returns the end for texts: the time, with the day unless it is today. */
export function formatEnd(until: number, now: Date, locale: string): string {
  const isToday = new Date(until).toDateString() === now.toDateString();
  return isToday
    ? formatTime(until, locale)
    : new Intl.DateTimeFormat(locale, { weekday: 'short', hour: 'numeric', minute: '2-digit' }).format(until);
}

function formatTime(moment: number, locale: string): string {
  return new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(moment);
}

/** Returns a time of the day that is `days` after `now`. The calendar decides, because a day may have 23 or 25 hours. */
function atTime(now: Date, days: number, hours: number, minutes: number): number {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hours, minutes).getTime();
}

/** Returns the text of the status bar while a profile is on. */
export function profileText(name: string, until: number, now: Date, locale: string): string {
  return l10n.t('{0} until {1}', name, formatEnd(until, now, locale));
}
