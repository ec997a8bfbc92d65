import * as l10n from '@vscode/l10n';

const units: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['day', 24 * 60 * 60_000],
  ['hour', 60 * 60_000],
  ['minute', 60_000],
  ['second', 1_000],
];

/** Returns an age in milliseconds as text in whole units, such as `5 minutes ago`; at least one second. */
export function formatAge(age: number, locale: string): string {
  const format = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  const [unit, size] = units.find(([, milliseconds]) => age >= milliseconds) ?? ['second', 1_000];
  return format.format(-Math.max(1, Math.floor(age / size)), unit);
}

/** Same in whole minutes, for texts that stay on the screen. */
export function formatRoundAge(age: number, locale: string): string {
  return age < 60_000 ? l10n.t('just now') : formatAge(age, locale);
}
