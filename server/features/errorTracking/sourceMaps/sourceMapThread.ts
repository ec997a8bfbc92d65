import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ExaminedMap, ReaderResponse, ReaderMessage, ReaderReply, ReaderTask, StackToMap } from './sourceMapReader.ts';
import type { MappedFrame } from './chooseSourceMap.ts';

/**
 * Threads that read source maps, shared by all servers of the process, because maps are identified by content. Each starts with
 * its first task.
 */

/** Next to this file in the sources, and next to the bundle in a build. */
const program = path.join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? 'sourceMapReader.ts' : 'sourceMapReader.js',
);

interface Thread {
  ask(task: ReaderTask): Promise<ReaderReply>;
  /** Stops the thread to free its memory, unless tasks are waiting. The next task starts it again. */
  stopIfIdle(): void;
}

interface Waiting {
  readonly task: ReaderTask;
  readonly resolve: (reply: ReaderReply) => void;
  readonly reject: (error: Error) => void;
}

/** The task has ended the thread, which can only be caused by running out of memory. */
class ThreadEnded extends Error {}

function createThread(): Thread {
  let worker: Worker | undefined;
  let last = 0;
  /** In the order of the replies. */
  const waiting = new Map<number, Waiting>();

  const start = (): Worker => {
    const started = new Worker(program, {
      // Modules preloaded by the server are not needed here.
      execArgv: [],
      // Sufficient for every map within the limits. A thread that runs out of memory may end the whole process.
      resourceLimits: { maxOldGenerationSizeMb: 2048, maxYoungGenerationSizeMb: 32 },
    });
    started.on('message', ({ id, reply }: ReaderResponse) => {
      waiting.get(id)?.resolve(reply);
      waiting.delete(id);
      // Otherwise the listeners would keep the process alive.
      if (waiting.size === 0) started.unref();
    });
    const ended = (error: Error): void => {
      if (worker !== started) return;
      worker = undefined;
      const [first, ...others] = waiting;
      if (first === undefined) return;
      waiting.delete(first[0]);
      first[1].reject(new ThreadEnded(error.message));
      // The tasks after the failed one have not started.
      for (const [id, { task }] of others) post(id, task);
    };
    // A thread can report several times that it ran out of memory.
    started.on('error', ended);
    started.once('exit', () => ended(new Error('the source map thread has ended')));
    return started;
  };

  const post = (id: number, task: ReaderTask): void => {
    worker ??= start();
    // A process that only waits for the thread must not end.
    worker.ref();
    worker.postMessage({ id, task } satisfies ReaderMessage);
  };

  return {
    ask: async (task) => {
      const reply = await new Promise<ReaderReply>((resolve, reject) => {
        last += 1;
        waiting.set(last, { task, resolve, reject });
        post(last, task);
      });
      if ('error' in reply) throw new Error(reply.error);
      return reply;
    },
    stopIfIdle: () => {
      if (waiting.size > 0) return;
      void worker?.terminate();
      worker = undefined;
    },
  };
}

/** A separate thread for uploads, so that events do not wait for large or malicious maps. */
const uploadThread = createThread();
/** Size of an upload, in bytes, after which its memory is freed. */
const MIN_FREED_BYTES = 1024 * 1024;
const mappingThread = createThread();
/** Maps that are being sent to the thread. */
const sending = new Map<string, Promise<unknown>>();

/** Returns the properties needed to store a map, or why it is invalid, as the end of a sentence. */
export async function examineSourceMap(bytes: Uint8Array): Promise<ExaminedMap | { readonly problem: string }> {
  try {
    const reply = await uploadThread.ask({ kind: 'examine', bytes });
    if ('packed' in reply || 'problem' in reply) return reply;
  } catch (error) {
    if (error instanceof ThreadEnded) return { problem: 'it takes too much memory' };
    throw error;
  } finally {
    if (bytes.byteLength > MIN_FREED_BYTES) uploadThread.stopIfIdle();
  }
  throw new Error('the source map thread sent an unexpected reply');
}

/**
 * Returns the mapped frames of stacks, in the same order. `packedOf` loads maps that the thread does not have, and returns
 * undefined for deleted ones. Rejects if the thread fails.
 */
export async function framesBySourceMaps(
  stacks: readonly StackToMap[],
  packedOf: (key: string) => Uint8Array | undefined,
): Promise<readonly (readonly MappedFrame[])[]> {
  // Meanwhile the maps of other events may have displaced those of this one.
  for (const isLast of [false, false, true]) {
    const reply = await mappingThread.ask({ kind: 'map', stacks, isLast });
    if ('stacks' in reply) return reply.stacks;
    if (!('missing' in reply)) break;
    await Promise.all(reply.missing.map((key) => sendMap(key, packedOf)));
  }
  throw new Error('the source map thread sent an unexpected reply');
}

/** Sends a map to the thread, only once for all tasks that wait for it. */
function sendMap(key: string, packedOf: (key: string) => Uint8Array | undefined): Promise<unknown> {
  const known = sending.get(key);
  if (known !== undefined) return known;
  const packed = packedOf(key);
  if (packed === undefined) return Promise.resolve();
  const bringing = mappingThread.ask({ kind: 'keep', key, packed }).finally(() => sending.delete(key));
  sending.set(key, bringing);
  return bringing;
}
