import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ExaminedMap, ReaderResponse, ReaderMessage, ReaderReply, ReaderTask, StackToMap } from './sourceMapReader.ts';
import type { MappedFrame } from './sourceMaps.ts';

/**
 * The threads that read source maps, of the process and not of one server: what they know hangs on the bytes of maps alone, not on whose
 * they are. Each begins when it is first asked.
 */

/** Beside this file as it is written, beside the bundle once it is built. */
const program = path.join(
  import.meta.dirname,
  import.meta.filename.endsWith('.ts') ? 'sourceMapReader.ts' : 'sourceMapReader.js',
);

interface Thread {
  ask(task: ReaderTask): Promise<ReaderReply>;
  /** Gives back what it holds, unless somebody waits for it. The next task begins it anew. */
  rest(): void;
}

interface Waiting {
  readonly task: ReaderTask;
  readonly resolve: (reply: ReaderReply) => void;
  readonly reject: (error: Error) => void;
}

/** It has taken the thread with it: there is nothing but memory that it could have run out of. */
class ThreadEnded extends Error {}

function createThread(): Thread {
  let worker: Worker | undefined;
  let last = 0;
  /** In the order in which they are answered. */
  const waiting = new Map<number, Waiting>();

  const start = (): Worker => {
    const started = new Worker(program, {
      // What was loaded in front of the server is not for this.
      execArgv: [],
      // No map that is small enough becomes as large as this, because a thread that runs out of memory may take the process with it.
      resourceLimits: { maxOldGenerationSizeMb: 2048, maxYoungGenerationSizeMb: 32 },
    });
    started.on('message', ({ id, reply }: ReaderResponse) => {
      waiting.get(id)?.resolve(reply);
      waiting.delete(id);
    });
    const ended = (error: Error): void => {
      if (worker !== started) return;
      worker = undefined;
      const [first, ...others] = waiting;
      if (first === undefined) return;
      waiting.delete(first[0]);
      first[1].reject(new ThreadEnded(error.message));
      // Those behind it have done nothing.
      for (const [id, { task }] of others) post(id, task);
    };
    // One that runs out of memory may say so more than once.
    started.on('error', ended);
    started.once('exit', () => ended(new Error('the source map thread has ended')));
    // Whoever listens to it would keep the process alive.
    started.unref();
    return started;
  };

  const post = (id: number, task: ReaderTask): void => {
    worker ??= start();
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
    rest: () => {
      if (waiting.size > 0) return;
      void worker?.terminate();
      worker = undefined;
    },
  };
}

/** One of its own for uploads, so that no event waits for what may be large or hostile. */
const examining = createThread();
/** Bytes of an upload whose memory is worth giving back. */
const MUCH = 1024 * 1024;
const mapping = createThread();
/** Maps that are on their way to the thread. */
const coming = new Map<string, Promise<unknown>>();

/** What is to be known of a map before it is stored; why it is none, as the end of a sentence. */
export async function examineSourceMap(bytes: Uint8Array): Promise<ExaminedMap | { readonly problem: string }> {
  try {
    const reply = await examining.ask({ kind: 'examine', bytes });
    if ('packed' in reply || 'problem' in reply) return reply;
  } catch (error) {
    if (error instanceof ThreadEnded) return { problem: 'it takes too much memory' };
    throw error;
  } finally {
    if (bytes.byteLength > MUCH) examining.rest();
  }
  throw new Error('the source map thread sent an unexpected reply');
}

/**
 * What becomes of the frames of some stacks, in the same order. `packedOf` is asked for maps that the thread does not have; undefined: it is
 * gone. Rejects when the thread fails.
 */
export async function framesBySourceMaps(
  stacks: readonly StackToMap[],
  packedOf: (key: string) => Uint8Array | undefined,
): Promise<readonly (readonly MappedFrame[])[]> {
  // Meanwhile other events may take the place of the maps of this one.
  for (const isLast of [false, false, true]) {
    const reply = await mapping.ask({ kind: 'map', stacks, isLast });
    if ('stacks' in reply) return reply.stacks;
    if (!('missing' in reply)) break;
    await Promise.all(reply.missing.map((key) => bring(key, packedOf)));
  }
  throw new Error('the source map thread sent an unexpected reply');
}

/** Once for all that wait for the same map. */
function bring(key: string, packedOf: (key: string) => Uint8Array | undefined): Promise<unknown> {
  const under = coming.get(key);
  if (under !== undefined) return under;
  const packed = packedOf(key);
  if (packed === undefined) return Promise.resolve();
  const bringing = mapping.ask({ kind: 'keep', key, packed }).finally(() => coming.delete(key));
  coming.set(key, bringing);
  return bringing;
}
