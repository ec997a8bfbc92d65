import { isJsonObject, type JsonObject } from '../../../../src/contract/json.ts';
import type { Mechanism, TrackedException, TrackedThread } from './trackedEvent.ts';
import { readFrames } from './stackFrames.ts';
import { limits } from './eventLimits.ts';
import { itemsOf } from './readItems.ts';
import { cut, type Location, readFlag, readName, type Reading, readText, report } from './readValue.ts';
import { readTree } from './jsonTree.ts';
import { contentScrubber, nameScrubber, textScrubber } from './scrubText.ts';

/** Returns the exceptions, causes first. `cutEvent` leaves out those beyond the limit, when they have been grouped. */
export function readExceptions(reading: Reading, exception: unknown): readonly TrackedException[] {
  const { list, locationOf } = itemsOf(reading, exception, 'exception');
  if (list.length > limits.exceptions) report(reading, 'too_many', undefined, 'exception', list.length);
  const read: TrackedException[] = [];
  for (let index = Math.max(list.length - limits.readExceptions, 0); index < list.length; index += 1) {
    const member = list[index];
    const location = locationOf(index);
    if (isJsonObject(member)) {
      const one = readException(reading, member, location);
      if (one !== undefined) read.push(one);
    } else if (member !== null) {
      report(reading, 'invalid_data', location.parent, location.key, member);
    }
  }
  return read;
}

/** Returns undefined for an exception without type, value and frames. */
function readException(reading: Reading, exception: JsonObject, location: Location): TrackedException | undefined {
  const type = readName(reading, exception['type'], limits.exceptionType, nameScrubber, location, 'type');
  const value = readValue(reading, exception['value'], location);
  const frames = readFrames(reading, exception['stacktrace'], location, 'stacktrace');
  if (type === undefined && value === undefined && frames.length === 0) return undefined;
  return {
    type,
    value,
    module: readName(reading, exception['module'], limits.text, nameScrubber, location, 'module'),
    frames,
    mechanism: readMechanism(reading, exception['mechanism'], location),
  };
}

/** Returns the value as text. A program can throw any value, so objects are serialised. */
function readValue(reading: Reading, value: unknown, location: Location): string | undefined {
  if (typeof value !== 'object' || value === null)
    return readText(reading, value, limits.exceptionValue, contentScrubber, location, 'value');
  return cut(JSON.stringify(readTree(reading, value, limits.exceptionValue, location, 'value')), limits.exceptionValue);
}

function readMechanism(reading: Reading, mechanism: unknown, parent: Location): Mechanism | undefined {
  if (mechanism === undefined || mechanism === null) return undefined;
  const location = { parent, key: 'mechanism' };
  if (!isJsonObject(mechanism)) {
    const type = readName(reading, mechanism, limits.text, nameScrubber, parent, 'mechanism');
    return type === undefined ? undefined : { ...unrelated, type, handled: undefined, synthetic: false, isExceptionGroup: false };
  }
  return {
    type: readName(reading, mechanism['type'], limits.text, nameScrubber, location, 'type'),
    handled: readFlag(reading, mechanism['handled'], location, 'handled'),
    synthetic: readFlag(reading, mechanism['synthetic'], location, 'synthetic') ?? false,
    isExceptionGroup: readFlag(reading, mechanism['is_exception_group'], location, 'is_exception_group') ?? false,
    exceptionId: readId(reading, mechanism['exception_id'], location, 'exception_id'),
    parentId: readId(reading, mechanism['parent_id'], location, 'parent_id'),
    source: readName(reading, mechanism['source'], limits.text, nameScrubber, location, 'source'),
    signal: readSignal(reading, mechanism['meta'], location),
  };
}

const unrelated = { exceptionId: undefined, parentId: undefined, source: undefined, signal: undefined } as const;

function readId(reading: Reading, value: unknown, location: Location, key: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number) && number >= 0) return number;
  report(reading, 'invalid_data', location, key, value);
  return undefined;
}

/** Returns the name of the signal, or of the exception of the kernel, in the metadata of a native crash. */
function readSignal(reading: Reading, meta: unknown, parent: Location): string | undefined {
  if (!isJsonObject(meta)) return undefined;
  for (const key of ['signal', 'mach_exception'] as const) {
    const sent = meta[key];
    const location = { parent: { parent, key: 'meta' }, key };
    const name = isJsonObject(sent) ? readName(reading, sent['name'], limits.text, nameScrubber, location, 'name') : undefined;
    if (name !== undefined) return name;
  }
  return undefined;
}

/** Returns the threads. If there are too many, those that crashed or were running are kept before others. */
export function readThreads(reading: Reading, threads: unknown): readonly TrackedThread[] {
  const { list: sent, locationOf } = itemsOf(reading, threads, 'threads');
  let list = sent;
  if (list.length > limits.threads) {
    report(reading, 'too_many', undefined, 'threads', list.length);
    const isChosen = (thread: unknown): boolean =>
      isJsonObject(thread) && (thread['crashed'] === true || thread['current'] === true);
    const chosen = new Set([...list.filter(isChosen).slice(0, limits.threads), ...list].slice(0, limits.threads));
    list = list.filter((thread) => chosen.has(thread)).slice(0, limits.threads);
  }
  const read: TrackedThread[] = [];
  for (const [index, thread] of list.entries()) {
    const at = locationOf(index);
    if (!isJsonObject(thread)) {
      if (thread !== null) report(reading, 'invalid_data', at.parent, at.key, thread);
      continue;
    }
    read.push({
      id: readName(reading, thread['id'], limits.text, textScrubber, at, 'id'),
      name: readName(reading, thread['name'], limits.text, textScrubber, at, 'name'),
      crashed: readFlag(reading, thread['crashed'], at, 'crashed') ?? false,
      current: readFlag(reading, thread['current'], at, 'current') ?? false,
      frames: readFrames(reading, thread['stacktrace'], at, 'stacktrace'),
    });
  }
  return read;
}
