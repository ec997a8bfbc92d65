import { isExactNumber } from '../../../../src/contract/exactJson.ts';

/** Seconds until about the year 5138. Larger numbers are milliseconds or smaller units. */
const MAX_SECONDS = 1e11;
const MAX_MILLISECONDS = 1e14;
const MAX_MICROSECONDS = 1e17;
/** Latest time that a Date can represent. */
const MAX_TIME = 8.64e15;

const ISO =
  /^\s*(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?)?\s*(?:(Z|UTC)|([+-])(\d\d):?(\d\d)?)?\s*$/i;

/**
 * Returns a time sent by an SDK in milliseconds since 1970, UTC (docs/interface.md#event-payloads). Accepts seconds since 1970 as
 * a number or text, also milliseconds, microseconds and nanoseconds, and ISO 8601 with any fraction and offset, UTC by default.
 * Undefined if it is not a time.
 */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return timeOfNumber(value);
  if (isExactNumber(value)) return timeOfNumber(Number(value.rawJSON));
  if (typeof value !== 'string' || value.length > 64) return undefined;
  const usual = parseUsualTime(value);
  if (usual !== undefined) return usual;
  const parts = ISO.exec(value);
  if (parts === null) return /^\s*-?\d+(?:\.\d+)?\s*$/.test(value) ? timeOfNumber(Number(value)) : undefined;
  const [
    ,
    year,
    month,
    day,
    hour = '0',
    minute = '0',
    second = '0',
    fraction = '',
    ,
    sign,
    offsetHours = '0',
    offsetMinutes = '0',
  ] = parts;
  const monthIndex = Number(month) - 1;
  // A leap second counts as the following second.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60 || Number(offsetMinutes) > 59) return undefined;
  if (monthIndex < 0 || monthIndex > 11 || Number(day) < 1 || Number(day) > daysOf(Number(year), monthIndex)) return undefined;
  // Date.UTC maps years below 100 to the 20th century.
  if (Number(year) < 100) return undefined;
  const local = Date.UTC(Number(year), monthIndex, Number(day), Number(hour), Number(minute), Number(second));
  const milliseconds = fraction === '' ? 0 : Math.floor(Number(`0.${fraction}`) * 1000 + 1e-6);
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * 60_000;
  return local + milliseconds - (sign === '-' ? -offset : offset);
}

/**
 * Parses `2026-11-20T10:00:00.123456Z`, the format of nearly all SDKs, in a sixth of the time of the pattern. An event has up to
 * a hundred times.
 */
function parseUsualTime(text: string): number | undefined {
  const { length } = text;
  if (length < 20 || length > 30 || text.charCodeAt(10) !== 84 || text.charCodeAt(length - 1) !== 90) return undefined;
  if (text.charCodeAt(4) !== 45 || text.charCodeAt(7) !== 45 || text.charCodeAt(13) !== 58 || text.charCodeAt(16) !== 58) {
    return undefined;
  }
  if (length > 20 && text.charCodeAt(19) !== 46) return undefined;
  const year = digits(text, 0, 4);
  const month = digits(text, 5, 7);
  const day = digits(text, 8, 10);
  const hour = digits(text, 11, 13);
  const minute = digits(text, 14, 16);
  const second = digits(text, 17, 19);
  const fraction = length < 22 ? (length === 20 ? 0 : Number.NaN) : digits(text, 20, length - 1);
  // Also false if one of them is NaN. Rare formats are left to the pattern.
  const isUsual =
    year >= 1000 && month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour <= 23 && minute <= 59 && second <= 59;
  if (!isUsual || Number.isNaN(fraction)) return undefined;
  const milliseconds = length === 20 ? 0 : Math.floor((fraction / 10 ** (length - 21)) * 1000 + 1e-6);
  return Date.UTC(year, month - 1, day, hour, minute, second) + milliseconds;
}

/** Returns NaN if there are other characters. */
function digits(text: string, from: number, to: number): number {
  let number = 0;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    number = number * 10 + digit;
  }
  return number;
}

function timeOfNumber(value: number): number | undefined {
  const size = Math.abs(value);
  const time =
    size <= MAX_SECONDS
      ? value * 1000
      : size <= MAX_MILLISECONDS
        ? value
        : size <= MAX_MICROSECONDS
          ? value / 1000
          : value / 1_000_000;
  return Math.abs(time) <= MAX_TIME ? Math.round(time) : undefined;
}

function daysOf(year: number, month: number): number {
  if (month === 1) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 3 || month === 5 || month === 8 || month === 10 ? 30 : 31;
}

/** Clock differences below this are ignored, in milliseconds. */
const MIN_DRIFT = 60_000;
const MAX_FUTURE = 60_000;
const MAX_PAST = 30 * 24 * 3_600_000;

/**
 * Returns the milliseconds to add to the times of an envelope, if the sender's clock differs by more than a minute according to
 * `sent_at` of the header (docs/interface.md#event-payloads), or 0.
 */
export function driftOf(sentAt: unknown, receivedAt: number): number {
  const sent = timeOf(sentAt);
  if (sent === undefined) return 0;
  const drift = receivedAt - sent;
  return Math.abs(drift) > MIN_DRIFT ? drift : 0;
}

/**
 * Checks the time of an event: it may be at most a minute after receipt and at most thirty days before
 * (docs/interface.md#event-payloads).
 */
export function rangeOf(time: number, receivedAt: number): 'future' | 'past' | 'present' {
  if (time > receivedAt + MAX_FUTURE) return 'future';
  return time < receivedAt - MAX_PAST ? 'past' : 'present';
}
