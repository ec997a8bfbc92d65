import * as l10n from '@vscode/l10n';

/** Something that happened at a time, such as an activity event or a mail. */
interface Dated {
  /** ISO 8601. */
  readonly created_at: string;
}

/** Events of one day in the local time zone. */
export interface Day<E extends Dated> {
  /** `2026-11-20` */
  readonly key: string;
  /** `Today`, `Yesterday`, or the formatted date. */
  readonly label: string;
  readonly events: readonly E[];
}

/** Groups events by day and keeps their order. `locale` is a language tag. */
export function groupByDay<E extends Dated>(events: readonly E[], now: Date, locale: string): readonly Day<E>[] {
  const days = new Map<string, E[]>();
  for (const event of events) {
    const key = dayKey(new Date(event.created_at));
    const day = days.get(key);
    if (day === undefined) days.set(key, [event]);
    else day.push(event);
  }
  const today = dayKey(now);
  const yesterday = dayKey(new Date(now.getFullYear(), now.getMonth(), now.getDate() - 1));
  return [...days].map(([key, ofDay]) => {
    const label = key === today ? l10n.t('Today') : key === yesterday ? l10n.t('Yesterday') : formatDate(key, now, locale);
    return { key, label, events: ofDay };
  });
}

/** Returns a date such as `2026-11-20` in the local time zone. */
export function dayKey(date: Date): string {
  const two = (number: number): string => String(number).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

function formatDate(key: string, now: Date, locale: string): string {
  const [year = 0, month = 1, day = 1] = key.split('-').map(Number);
  const isThisYear = year === now.getFullYear();
  const format = new Intl.DateTimeFormat(locale, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    ...(isThisYear ? {} : { year: 'numeric' }),
  });
  return format.format(new Date(year, month - 1, day));
}
