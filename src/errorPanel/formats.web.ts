import { formatRoundAge } from '../support/ages.ts';

const locale = document.documentElement.lang || 'en';
const number = new Intl.NumberFormat(locale);
const moment = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const hour = new Intl.DateTimeFormat(locale, { weekday: 'short', hour: '2-digit', minute: '2-digit' });
// Days are counted in UTC.
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
const clock = new Intl.DateTimeFormat(locale, { timeStyle: 'medium' });

export const formatNumber = (value: number): string => number.format(value);
/** Times are in milliseconds since the epoch. */
export const formatMoment = (at: number): string => moment.format(at);
export const formatHour = (at: number): string => hour.format(at);
export const formatDay = (at: number): string => day.format(at);
export const formatClock = (at: number): string => clock.format(at);
export const formatAge = (at: number): string => formatRoundAge(Date.now() - at, locale);
