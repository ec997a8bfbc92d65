import { isExactNumber } from '../../../../src/contract/exactJson.ts';
import type { ProcessingProblem } from './trackedEvent.ts';
import { limits } from './eventLimits.ts';
import { isSecretName } from './secretNames.ts';
import { contentScrubber, type Scrubber, textScrubber } from './scrubText.ts';

/** State of the normalisation of an event. */
export interface Reading {
  readonly problems: ProcessingProblem[];
  /** True if secrets are scrubbed. */
  readonly scrub: boolean;
  /** Milliseconds to add to times of the sender. */
  readonly drift: number;
  /** IP address of the sender. */
  readonly address: string | undefined;
  /** True if all texts of the event are known to be clean, so that they are not checked. */
  readonly isClean: boolean;
  /** True if only the members for `outlineOf` are read. Problems are not recorded. */
  readonly isOutline: boolean;
}

/** Position of a member in an event. It becomes a path only if there is a problem. Undefined for the event itself. */
export interface Location {
  readonly parent: Location | undefined;
  readonly key: string | number;
}

/** Records data that could not be stored as it was sent. */
export function report(
  reading: Reading,
  type: ProcessingProblem['type'],
  parent: Location | undefined,
  key: string | number,
  sent?: unknown,
): void {
  if (reading.isOutline) return;
  if (reading.problems.length >= limits.problems) {
    // Scrubbing decides which payload is stored, so this problem is never left out.
    if (type !== 'scrubbed' || reading.problems.some((problem) => problem.type === type)) return;
    reading.problems.pop();
  }
  const name = clean(pathOf(parent, key));
  const stored = reading.scrub ? textScrubber.scrub(name) : name;
  reading.problems.push({ name: stored.slice(0, 300), type, value: shown(reading, parent, key, sent) });
}

/** Maximum length of a name in a path, in UTF-16 units. */
const MAX_NAME = 100;

function pathOf(parent: Location | undefined, key: string | number): string {
  const name = typeof key === 'number' ? `[${key}]` : key.slice(0, MAX_NAME);
  if (parent === undefined) return name;
  return `${pathOf(parent.parent, parent.key)}${typeof key === 'number' ? '' : '.'}${name}`;
}

function shown(reading: Reading, parent: Location | undefined, key: string | number, sent: unknown): string | undefined {
  if (typeof sent === 'number' || typeof sent === 'boolean') return String(sent);
  if (isExactNumber(sent)) return cut(sent.rawJSON, 100);
  if (typeof sent !== 'string' || (reading.scrub && isSecret(parent, key))) return undefined;
  const text = clean(sent.slice(0, 1000));
  return cut(reading.scrub ? contentScrubber.scrub(text) : text, 100);
}

function isSecret(parent: Location | undefined, key: string | number): boolean {
  if (typeof key === 'string' && isSecretName(key)) return true;
  return parent !== undefined && isSecret(parent.parent, parent.key);
}

/** Returns true if a text has neither NUL, which ends a string in C, nor lone surrogates, which UTF-8 cannot encode. */
export function isClean(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Returns true if all texts in some JSON are clean. Characters that are not clean can only appear as escapes. */
export function holdsCleanTexts(json: Buffer): boolean {
  return !json.includes(ESCAPE);
}

const ESCAPE = Buffer.from('\\u');

export function clean(text: string): string {
  return isClean(text) ? text : text.replaceAll('\0', '').toWellFormed();
}

/** Truncates a text to a number of UTF-16 units, including the `…` at its end, without splitting a surrogate pair. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 2);
  const isHalf = last >= 0xd800 && last < 0xdc00;
  return `${text.slice(0, isHalf ? most - 2 : most - 1)}…`;
}

/** Number of characters after a cut that are scrubbed as well, so that a secret that begins before the cut is recognised. */
const SCRUBBED_AFTER_CUT = 8192;

/** Returns a text without its secrets if scrubbing is on. */
export function scrubbed(
  reading: Reading,
  text: string,
  scrubber: Scrubber,
  parent: Location | undefined,
  key: string | number,
): string {
  if (!reading.scrub) return text;
  const stored = scrubber.scrub(text);
  if (stored !== text) report(reading, 'scrubbed', parent, key);
  return stored;
}

/**
 * Returns a text as `scrubber` scrubs it. Numbers and booleans are converted, null counts as missing, and anything else is reported as
 * a problem and left out.
 */
export function readText(
  reading: Reading,
  value: unknown,
  most: number,
  scrubber: Scrubber,
  parent: Location | undefined,
  key: string | number,
): string | undefined {
  if (typeof value === 'string') {
    const text = reading.isClean ? value : clean(value);
    const stored = scrubbed(
      reading,
      text.length > most + SCRUBBED_AFTER_CUT ? text.slice(0, most + SCRUBBED_AFTER_CUT) : text,
      scrubber,
      parent,
      key,
    );
    if (text.length <= most) return cut(stored, most);
    report(reading, 'value_too_long', parent, key, text);
    return cut(stored, most);
  }
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (isExactNumber(value)) {
    const { rawJSON: digits } = value;
    if (digits.length > most) report(reading, 'value_too_long', parent, key, value);
    return cut(digits, most);
  }
  report(reading, 'invalid_data', parent, key);
  return undefined;
}

/** Same as {@link readText}, but an empty text counts as missing: PHP sends `transaction: ""`. */
export function readName(
  reading: Reading,
  value: unknown,
  most: number,
  scrubber: Scrubber,
  parent: Location | undefined,
  key: string | number,
): string | undefined {
  const text = readText(reading, value, most, scrubber, parent, key);
  return text === '' ? undefined : text;
}

/** Returns a boolean. Anything else except null is reported as a problem and left out. */
export function readFlag(reading: Reading, value: unknown, parent: Location | undefined, key: string): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value !== undefined && value !== null) report(reading, 'invalid_data', parent, key, value);
  return undefined;
}

/**
 * Returns a list, or the list in the member `values`. Anything else except null is reported as a problem and treated as empty.
 */
export function readList(reading: Reading, value: unknown, parent: Location | undefined, key: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null && 'values' in value) {
    if (Array.isArray(value.values)) return value.values;
    if (value.values === null) return [];
  }
  if (value !== undefined && value !== null) report(reading, 'invalid_data', parent, key, value);
  return [];
}
