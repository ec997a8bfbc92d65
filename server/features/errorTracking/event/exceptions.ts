import { isJsonObject, type JsonObject } from '../../../../src/contract/json.ts';
import type { Mechanism, TrackedException, TrackedThread } from './trackedEvent.ts';
import { readFrames } from './stackFrames.ts';
import { limits } from './eventLimits.ts';
import { cut, type Location, readFlag, readList, readName, type Reading, readText, report } from './readValue.ts';
import { readTree } from './jsonTree.ts';

/** Returns the exceptions, causes first. Of a long chain, the last ones are kept (docs/interface.md#event-payloads). */
export function readExceptions(reading: Reading, exception: unknown): readonly TrackedException[] {
  // A single exception that is not wrapped in a list.
  const isSingle = isJsonObject(exception) && exception['values'] === undefined && Object.keys(exception).length > 0;
  const list = isSingle ? [exception] : readList(reading, exception, undefined, 'exception');
  const location: Location =
    isSingle || Array.isArray(exception) ? { parent: undefined, key: 'exception' } : valuesOf('exception');
  const skipped = Math.max(list.length - limits.exceptions, 0);
  if (skipped > 0) report(reading, 'too_many', undefined, 'exception', list.length);
  const read: TrackedException[] = [];
  for (let index = skipped; index < list.length; index += 1) {
    const member = list[index];
    if (isJsonObject(member)) {
      const one = readException(reading, member, isSingle ? location : { parent: location, key: index });
      if (one !== undefined) read.push(one);
    } else if (member !== null) {
      report(reading, 'invalid_data', location, index, member);
    }
  }
  return read;
}

function valuesOf(key: string): Location {
  return { parent: { parent: undefined, key }, key: 'values' };
}

/** Returns undefined for an exception without type, value and frames. */
function readException(reading: Reading, exception: JsonObject, location: Location): TrackedException | undefined {
  const type = readName(reading, exception['type'], limits.exceptionType, location, 'type');
  const value = readValue(reading, exception['value'], location);
  const frames = readFrames(reading, exception['stacktrace'], location, 'stacktrace');
  if (type === undefined && value === undefined && frames.length === 0) return undefined;
  return {
    type,
    value,
    module: readName(reading, exception['module'], limits.text, location, 'module'),
    frames,
    mechanism: readMechanism(reading, exception['mechanism'], location),
  };
}

/** Returns the value as text. A program can throw any value, so objects are serialised. */
function readValue(reading: Reading, value: unknown, location: Location): string | undefined {
  if (typeof value !== 'object' || value === null) return readText(reading, value, limits.exceptionValue, location, 'value');
  return cut(JSON.stringify(readTree(reading, value, limits.exceptionValue, location, 'value')), limits.exceptionValue);
}

function readMechanism(reading: Reading, mechanism: unknown, parent: Location): Mechanism | undefined {
  if (mechanism === undefined || mechanism === null) return undefined;
  const location = { parent, key: 'mechanism' };
  if (!isJsonObject(mechanism)) {
    const type = readName(reading, mechanism, limits.text, parent, 'mechanism');
    return type === undefined ? undefined : { type, handled: undefined, synthetic: false, isExceptionGroup: false };
  }
  return {
    type: readName(reading, mechanism['type'], limits.text, location, 'type'),
    handled: readFlag(reading, mechanism['handled'], location, 'handled'),
    synthetic: readFlag(reading, mechanism['synthetic'], location, 'synthetic') ?? false,
    isExceptionGroup: readFlag(reading, mechanism['is_exception_group'], location, 'is_exception_group') ?? false,
  };
}

/** Returns the threads. If there are too many, those that crashed or were running are kept before others. */
export function readThreads(reading: Reading, threads: unknown): readonly TrackedThread[] {
  let list = readList(reading, threads, undefined, 'threads');
  if (list.length > limits.threads) {
    report(reading, 'too_many', undefined, 'threads', list.length);
    const isChosen = (thread: unknown): boolean =>
      isJsonObject(thread) && (thread['crashed'] === true || thread['current'] === true);
    const chosen = new Set([...list.filter(isChosen).slice(0, limits.threads), ...list].slice(0, limits.threads));
    list = list.filter((thread) => chosen.has(thread)).slice(0, limits.threads);
  }
  const location = Array.isArray(threads) ? { parent: undefined, key: 'threads' } : valuesOf('threads');
  const read: TrackedThread[] = [];
  for (const [index, thread] of list.entries()) {
    if (!isJsonObject(thread)) {
      if (thread !== null) report(reading, 'invalid_data', location, index, thread);
      continue;
    }
    const at = { parent: location, key: index };
    read.push({
      id: readName(reading, thread['id'], limits.text, at, 'id'),
      name: readName(reading, thread['name'], limits.text, at, 'name'),
      crashed: readFlag(reading, thread['crashed'], at, 'crashed') ?? false,
      current: readFlag(reading, thread['current'], at, 'current') ?? false,
      frames: readFrames(reading, thread['stacktrace'], at, 'stacktrace'),
    });
  }
  return read;
}
