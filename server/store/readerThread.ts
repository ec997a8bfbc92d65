import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SqlParams } from './sql.ts';
import type { ReaderResponse, ReaderData, ReaderQuery } from './reader.ts';

/** A thread with a separate connection to a database file. It starts with the first query. */
export interface Reader {
  all<Row>(sql: string, params: SqlParams): Promise<Row[]>;
  /** Resolves when the thread has ended. */
  close(): Promise<unknown>;
}

/** Path of the thread's program, next to this file in the sources and next to the bundle after a build. */
const program = path.join(import.meta.dirname, import.meta.filename.endsWith('.ts') ? 'reader.ts' : 'reader.js');

export function createReader(file: string, nativeBinding: string | undefined): Reader {
  let worker: Worker | undefined;
  let last = 0;
  const waiting = new Map<number, { readonly resolve: (rows: unknown[]) => void; readonly reject: (error: Error) => void }>();
  let isClosed = false;
  const fail = (error: Error): void => {
    worker = undefined;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const start = (): Worker => {
    const workerData: ReaderData = { file, nativeBinding };
    // The heap is small, because rows are only passed on.
    const started = new Worker(program, {
      workerData,
      // Modules preloaded into the server are not needed here.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 },
    });
    started.on('message', (response: ReaderResponse) => {
      const pending = waiting.get(response.id);
      waiting.delete(response.id);
      if ('rows' in response) pending?.resolve([...response.rows]);
      else pending?.reject(Object.assign(new Error(response.error), { code: response.code }));
    });
    // Errors of a thread that was stopped or replaced are ignored.
    const ended = (error: Error): void => {
      if (worker === started) fail(error);
    };
    // The event occurs repeatedly if a thread runs out of memory.
    started.on('error', ended);
    started.once('exit', () => ended(new Error('the reader thread has ended')));
    // Must come last, because a message listener keeps the process alive.
    started.unref();
    return started;
  };
  return {
    all: <Row>(sql: string, params: SqlParams) =>
      new Promise<Row[]>((resolve, reject) => {
        if (isClosed) throw new Error('the database is closed');
        last += 1;
        waiting.set(last, { resolve: (rows) => resolve(rows as Row[]), reject });
        worker ??= start();
        const query: ReaderQuery = { id: last, sql, params };
        worker.postMessage(query);
      }),
    close: () => {
      isClosed = true;
      const end = Promise.resolve(worker?.terminate());
      fail(new Error('the database is closed'));
      return end;
    },
  };
}
