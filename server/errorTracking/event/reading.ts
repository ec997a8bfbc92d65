import type { ProcessingProblem } from './event.ts';
import { limits } from './limits.ts';
import { isSecretName, scrubText } from './scrub.ts';

/** What is known while an event is normalised. */
export interface Reading {
  readonly problems: ProcessingProblem[];
  /** Whether secrets are taken out. */
  readonly scrub: boolean;
  /** Milliseconds to add to times of the sender. */
  readonly drift: number;
  /** Of whom sent it. */
  readonly address: string | undefined;
  /** Every text of the event is known to be clean, so that none is looked at. */
  readonly isClean: boolean;
  /** Only what `outlineOf` needs is read, and no problem is remembered. */
  readonly isOutline: boolean;
}

/** Where in an event something stands; made into a path only when there is a problem. Undefined: the event itself. */
export interface Location {
  readonly parent: Location | undefined;
  readonly key: string | number;
}

/** Remembers what could not be kept as it was sent. */
export function report(
  reading: Reading,
  type: ProcessingProblem['type'],
  parent: Location | undefined,
  key: string | number,
  sent?: unknown,
): void {
  if (reading.isOutline) return;
  if (reading.problems.length >= limits.problems) {
    // That something was taken out decides what is kept, so that it is never left out.
    if (type !== 'scrubbed' || reading.problems.some((problem) => problem.type === type)) return;
    reading.problems.pop();
  }
  const name = clean(pathOf(parent, key));
  const stored = reading.scrub ? scrubText(name) : name;
  reading.problems.push({ name: stored.slice(0, 300), type, value: shown(reading, parent, key, sent) });
}

/** UTF-16 units of a name in a path. */
const MAX_NAME = 100;

function pathOf(parent: Location | undefined, key: string | number): string {
  const name = typeof key === 'number' ? `[${key}]` : key.slice(0, MAX_NAME);
  if (parent === undefined) return name;
  return `${pathOf(parent.parent, parent.key)}${typeof key === 'number' ? '' : '.'}${name}`;
}

function shown(reading: Reading, parent: Location | undefined, key: string | number, sent: unknown): string | undefined {
  if (typeof sent === 'number' || typeof sent === 'boolean') return String(sent);
  if (typeof sent !== 'string' || (reading.scrub && isSecret(parent, key))) return undefined;
  const text = clean(sent.slice(0, 1000));
  return cut(reading.scrub ? scrubText(text) : text, 100);
}

function isSecret(parent: Location | undefined, key: string | number): boolean {
  if (typeof key === 'string' && isSecretName(key)) return true;
  return parent !== undefined && isSecret(parent.parent, parent.key);
}

/** Neither NUL, at which C functions end a text, nor half a surrogate pair, which no UTF-8 can hold. */
export function isClean(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Whether all texts that the bytes of some JSON hold are clean: what is not can only stand there as an escape. */
export function holdsCleanTexts(json: Buffer): boolean {
  return !json.includes(ESCAPE);
}

const ESCAPE = Buffer.from('\\u');

export function clean(text: string): string {
  return isClean(text) ? text : text.replaceAll('\0', '').toWellFormed();
}

/** At most so many UTF-16 units, the `…` at its end included, and no half of a pair. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 2);
  const isHalf = last >= 0xd800 && last < 0xdc00;
  return `${text.slice(0, isHalf ? most - 2 : most - 1)}…`;
}

/** The number of characters behind a cut that are scrubbed too, so that a secret that begins before the cut is recognised. */
const BEYOND_CUT = 8192;

/** A text without its secrets, where they are taken out. */
export function scrubbed(reading: Reading, text: string, parent: Location | undefined, key: string | number): string {
  if (!reading.scrub) return text;
  const stored = scrubText(text);
  if (stored !== text) report(reading, 'scrubbed', parent, key);
  return stored;
}

/** A text; numbers and truth values are made ones, null is absent, anything else is a problem and absent. */
export function readText(
  reading: Reading,
  value: unknown,
  most: number,
  parent: Location | undefined,
  key: string | number,
): string | undefined {
  if (typeof value === 'string') {
    const text = reading.isClean ? value : clean(value);
    const stored = scrubbed(reading, text.length > most + BEYOND_CUT ? text.slice(0, most + BEYOND_CUT) : text, parent, key);
    if (text.length <= most) return cut(stored, most);
    report(reading, 'value_too_long', parent, key, text);
    return cut(stored, most);
  }
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  report(reading, 'invalid_data', parent, key);
  return undefined;
}

/** The same where an empty text says nothing: PHP sends `transaction: ""`. */
export function readName(
  reading: Reading,
  value: unknown,
  most: number,
  parent: Location | undefined,
  key: string | number,
): string | undefined {
  const text = readText(reading, value, most, parent, key);
  return text === '' ? undefined : text;
}

/** A truth value; anything else but null is a problem and absent. */
export function readFlag(reading: Reading, value: unknown, parent: Location | undefined, key: string): boolean | undefined {
  if (typeof value === 'boolean') return value;
  if (value !== undefined && value !== null) report(reading, 'invalid_data', parent, key, value);
  return undefined;
}

/** A list, or the one in the member `values`; anything else but null is a problem and empty. */
export function readList(reading: Reading, value: unknown, parent: Location | undefined, key: string): readonly unknown[] {
  if (Array.isArray(value)) return value;
  if (typeof value === 'object' && value !== null && 'values' in value) {
    if (Array.isArray(value.values)) return value.values;
    if (value.values === null) return [];
  }
  if (value !== undefined && value !== null) report(reading, 'invalid_data', parent, key, value);
  return [];
}
