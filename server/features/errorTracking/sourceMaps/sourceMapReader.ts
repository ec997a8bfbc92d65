// Thread that reads source maps, so that parsing large ones does not block the server. It caches the most recently used maps.
import { hash } from 'node:crypto';
import { parentPort } from 'node:worker_threads';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { Frame } from '../event/trackedEvent.ts';
import { limits } from '../event/eventLimits.ts';
import { type ChosenMap, type MapChoice, type MappedFrame, mapFrames } from './chooseSourceMap.ts';
import { readSourceMap, type SourceMapReading } from './parseSourceMap.ts';

/** Maximum size of the cached maps, as uploaded. In memory they take up to fifteen times as much. */
const MAX_STORED = 64 * 1024 * 1024;

/** Maps are identified by a key, which is unique by content. */
export type ReaderTask =
  | { readonly kind: 'examine'; readonly bytes: Uint8Array }
  | { readonly kind: 'keep'; readonly key: string; readonly packed: Uint8Array }
  /** With `isLast`, missing maps are no longer requested. */
  | { readonly kind: 'map'; readonly stacks: readonly StackToMap[]; readonly isLast: boolean };

export interface StackToMap {
  readonly frames: readonly Frame[];
  readonly choices: readonly MapChoice<string>[];
}

export type ReaderReply =
  | { readonly problem: string }
  | ExaminedMap
  | { readonly stored: true }
  | { readonly missing: readonly string[] }
  | { readonly stacks: readonly (readonly MappedFrame[])[] }
  | { readonly error: string };

export interface ReaderMessage {
  readonly id: number;
  readonly task: ReaderTask;
}

export interface ReaderResponse {
  readonly id: number;
  readonly reply: ReaderReply;
}

/** Properties of a map that are needed to store it. */
export interface ExaminedMap {
  readonly key: string;
  readonly packed: Uint8Array;
  /** Name of the generated file according to the map. */
  readonly file: string | undefined;
  readonly debugId: string | undefined;
}

interface StoredMap {
  readonly reading: SourceMapReading;
  readonly size: number;
}

/** In the order of use, the most recently used last. */
const stored = new Map<string, StoredMap>();

function keep(key: string, packed: Uint8Array): void {
  stored.delete(key);
  const bytes = unpacked(packed);
  let size = bytes?.byteLength ?? 0;
  // Before the map is parsed, to make room.
  for (const [other, one] of [...stored].reverse()) {
    size += one.size;
    if (size > MAX_STORED) stored.delete(other);
  }
  const reading = bytes === undefined ? { problem: 'the stored map is damaged' } : readSourceMap(bytes, limits.sourceMap);
  stored.set(key, { reading, size: bytes?.byteLength ?? 0 });
}

function unpacked(packed: Uint8Array): Uint8Array | undefined {
  try {
    return inflateRawSync(packed, { maxOutputLength: limits.sourceMap });
  } catch {
    return undefined;
  }
}

function open(key: string): SourceMapReading {
  const found = stored.get(key);
  if (found === undefined) return { problem: 'it was deleted meanwhile, or the event needs more source maps than fit in memory' };
  stored.delete(key);
  stored.set(key, found);
  return found.reading;
}

function respond(task: ReaderTask): ReaderReply {
  switch (task.kind) {
    case 'examine': {
      const reading = readSourceMap(task.bytes, limits.sourceMap);
      if ('problem' in reading) return reading;
      const { file, debugId } = reading.map;
      return { key: hash('sha256', task.bytes), packed: deflateRawSync(task.bytes), file, debugId };
    }
    case 'keep':
      keep(task.key, task.packed);
      return { stored: true };
    case 'map': {
      const wanted = task.stacks.flatMap(({ choices }) => choices.filter(isChosen).map(({ map }) => map));
      const missing = [...new Set(wanted)].filter((key) => !stored.has(key));
      if (missing.length > 0 && !task.isLast) return { missing };
      return { stacks: task.stacks.map(({ frames, choices }) => mapFrames(frames, choices, open)) };
    }
  }
}

function isChosen(choice: MapChoice<string>): choice is ChosenMap<string> {
  return choice !== undefined && !('kind' in choice);
}

parentPort?.on('message', ({ id, task }: ReaderMessage) => {
  let reply: ReaderReply;
  try {
    reply = respond(task);
  } catch (error) {
    reply = { error: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage({ id, reply } satisfies ReaderResponse);
});
