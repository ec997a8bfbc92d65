import { isExactNumber } from '../../../../src/contract/exactJson.ts';
import { isJsonObject, type JsonObject } from '../../../../src/contract/json.ts';
import { limits } from './eventLimits.ts';
import { clean, cut, type Location, type Reading, report } from './readValue.ts';
import { FILTERED } from './filtered.ts';
import { isIdName, isSecretName, isSecretValue } from './secretNames.ts';
import { contentScrubber, textScrubber } from './scrubText.ts';
import { withoutKeyLines } from './secretForms.ts';

/** Placeholder for values that are nested too deeply. */
const TRUNCATED = '<truncated>';

interface Copying {
  readonly reading: Reading;
  /** Remaining number of UTF-16 units. */
  remaining: number;
  isTruncated: boolean;
}

/**
 * Returns a JSON tree, truncated to a number of UTF-16 units of names and texts and to the limits of maps and depth, without
 * secrets. Unchanged parts are not copied, so the result may share objects with the payload.
 */
export function readTree(
  reading: Reading,
  value: unknown,
  most: number,
  parent: Location | undefined,
  key: string | number,
): unknown {
  return copyOf(value, { reading, remaining: most, isTruncated: false }, parent, key);
}

/**
 * Same for a map with a limit per item and a limit in total. Anything else except null is reported as a problem and treated as
 * empty.
 */
export function readTrees(reading: Reading, value: unknown, item: number, all: number, key: string): JsonObject {
  if (value === undefined || value === null) return emptyMap;
  if (!isJsonObject(value)) {
    report(reading, 'invalid_data', undefined, key, value);
    return emptyMap;
  }
  const location = { parent: undefined, key };
  const copying: Copying = { reading, remaining: all, isTruncated: false };
  const copy = mapOf(value, copying, undefined, key, (member, name) => {
    const most = Math.max(Math.min(item, copying.remaining), 1);
    const own = { reading, remaining: most, isTruncated: false };
    const stored = copyOf(member, own, location, name);
    copying.remaining -= most - own.remaining;
    return stored;
  });
  if (copying.isTruncated) report(reading, 'value_too_long', undefined, key);
  return copy;
}

/**
 * Returns a map, such as the variables of a frame or the data of a breadcrumb. Anything else except null is reported as a problem
 * and left out.
 */
export function readMap(
  reading: Reading,
  value: unknown,
  most: number,
  parent: Location | undefined,
  key: string | number,
): JsonObject | undefined {
  if (value === undefined || value === null) return undefined;
  const copy = isJsonObject(value) ? readTree(reading, value, most, parent, key) : undefined;
  if (isJsonObject(copy)) return copy;
  report(reading, 'invalid_data', parent, key, value);
  return undefined;
}

const emptyMap: JsonObject = Object.freeze({});

function copyOf(value: unknown, copying: Copying, parent: Location | undefined, key: string | number): unknown {
  const copy = nodeOf(value, copying, parent, key, 0);
  if (copying.isTruncated) report(copying.reading, 'value_too_long', parent, key);
  return copy;
}

function nodeOf(value: unknown, copying: Copying, parent: Location | undefined, key: string | number, depth: number): unknown {
  if (typeof value === 'string') return textOf(value, copying, parent, key);
  if (typeof value !== 'object' || value === null) {
    copying.remaining -= 8;
    return value;
  }
  if (isExactNumber(value)) {
    const { rawJSON: digits } = value;
    if (digits.length > copying.remaining) return textOf(digits, copying, parent, key);
    copying.remaining -= digits.length;
    return value;
  }
  if (depth >= limits.depth) {
    report(copying.reading, 'value_too_long', parent, key);
    return TRUNCATED;
  }
  copying.remaining -= 2;
  if (isJsonObject(value)) {
    const location = { parent, key };
    return mapOf(value, copying, parent, key, (member, name) => nodeOf(member, copying, location, name, depth + 1));
  }
  return Array.isArray(value) ? listOf(value, copying, { parent, key }, depth) : undefined;
}

function textOf(value: string, copying: Copying, parent: Location | undefined, key: string | number): string {
  const most = Math.max(copying.remaining, 1);
  let text = copying.reading.isClean ? value : clean(value);
  if (text.length > most) {
    copying.isTruncated = true;
    text = cut(text, most);
  }
  if (copying.reading.scrub) {
    let stored = contentScrubber.scrub(text);
    if (stored !== text && isIdAt(parent, key)) stored = textScrubber.scrub(text);
    if (stored !== text) report(copying.reading, 'scrubbed', parent, key);
    text = stored;
  }
  copying.remaining -= text.length + 3;
  return text;
}

/** Returns true for the value of an ID, or one in a list of IDs, and everything about the trace: these are no numbers of cards. */
function isIdAt(parent: Location | undefined, key: string | number): boolean {
  if (typeof key === 'number') return parent !== undefined && isIdAt(parent.parent, parent.key);
  return isIdName(key) || isInTrace(parent, key);
}

function isInTrace(parent: Location | undefined, key: string | number): boolean {
  if (parent === undefined) return false;
  return (key === 'trace' && parent.key === 'contexts' && parent.parent === undefined) || isInTrace(parent.parent, parent.key);
}

function listOf(sent: readonly unknown[], copying: Copying, location: Location, depth: number): readonly unknown[] {
  // A pair of a name and its value, a common format of headers.
  if (sent.length === 2 && typeof sent[0] === 'string' && copying.reading.scrub && isSecretMember(nameOf(sent[0]), sent[1])) {
    report(copying.reading, 'scrubbed', location, 1);
    return [nameOf(sent[0])?.scrubbed, FILTERED];
  }
  const list = copying.reading.scrub ? withoutKeyTexts(sent, copying.reading, location) : sent;
  let copy: unknown[] | undefined;
  for (let index = 0; index < list.length; index += 1) {
    if (copying.remaining <= 0) {
      copying.isTruncated = true;
      return copy ?? list.slice(0, index);
    }
    const member = list[index];
    const stored = nodeOf(member, copying, location, index, depth + 1);
    if (copy === undefined && stored !== member) copy = list.slice(0, index);
    copy?.push(stored);
  }
  return copy ?? list;
}

/** Returns a list without private keys that span several of its texts. */
function withoutKeyTexts(list: readonly unknown[], reading: Reading, location: Location): readonly unknown[] {
  if (!list.some((item) => typeof item === 'string' && item.includes('PRIVATE KEY-----'))) return list;
  const lines = list.map((item) => (typeof item === 'string' ? item : '…'));
  const stored = withoutKeyLines(lines, FILTERED);
  if (stored === lines) return list;
  report(reading, 'scrubbed', location.parent, location.key);
  return list.map((item, index) => (typeof item === 'string' ? stored[index] : item));
}

function mapOf(
  map: JsonObject,
  copying: Copying,
  parent: Location | undefined,
  key: string | number,
  member: (value: unknown, name: string) => unknown,
): JsonObject {
  const { reading } = copying;
  let copy: Record<string, unknown> | undefined;
  let count = 0;
  const all = Object.keys(map);
  for (const name of all) {
    if (count >= limits.pairs || copying.remaining <= 0) {
      if (copying.remaining <= 0) copying.isTruncated = true;
      else report(reading, 'too_many', parent, key, all.length);
      return copy ?? partOf(map, all, count);
    }
    const value = map[name];
    const known = nameOf(name);
    const storedName = reading.scrub ? known?.scrubbed : known?.stored;
    if (storedName !== known?.stored) report(reading, 'scrubbed', parent, key);
    let stored: unknown;
    if (known === undefined) {
      report(reading, 'invalid_data', { parent, key }, name);
    } else if (reading.scrub && isSecretMember(known, value) && isWorthFiltering(value)) {
      stored = FILTERED;
      report(reading, 'scrubbed', { parent, key }, name);
    } else {
      stored = member(value, name);
    }
    if (copy === undefined && (stored !== value || storedName !== name)) copy = partOf(map, all, count);
    if (copy !== undefined && storedName !== undefined) copy[storedName] = stored;
    copying.remaining -= name.length + 3;
    count += 1;
  }
  return copy ?? map;
}

function isSecretMember(name: Name | undefined, value: unknown): boolean {
  return name !== undefined && name.isSecret && isSecretValue(name.stored, value);
}

function isWorthFiltering(value: unknown): boolean {
  return typeof value !== 'boolean' && value !== null && value !== '' && value !== FILTERED;
}

/** Returns the first pairs of a map unchanged. */
function partOf(map: JsonObject, names: readonly string[], count: number): Record<string, unknown> {
  const part: Record<string, unknown> = {};
  for (const name of names.slice(0, count)) part[name] = map[name];
  return part;
}

/** Name of a member. */
interface Name {
  readonly stored: string;
  /** Name without secrets. */
  readonly scrubbed: string;
  readonly isSecret: boolean;
}

/** Cached names. Most programs send the same names again and again. */
const names = new Map<string, Name>();
const MAX_NAMES = 10_000;

/** Returns undefined for `__proto__`, which must not be stored because it would change the prototype. */
function nameOf(sent: string): Name | undefined {
  const known = names.get(sent);
  if (known !== undefined) return known;
  const stored = cut(clean(sent), limits.text);
  if (stored === '__proto__') return undefined;
  const name = { stored, scrubbed: textScrubber.scrub(stored), isSecret: isSecretName(stored) };
  if (sent.length <= limits.text) {
    if (names.size >= MAX_NAMES) names.clear();
    names.set(sent, name);
  }
  return name;
}
