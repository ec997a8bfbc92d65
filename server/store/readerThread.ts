import path from 'node:path';
import { Worker } from 'node:worker_threads';
import type { SqlParams } from './sql.ts';
import type { ReaderResponse, ReaderData, ReaderQuery } from './reader.ts';

/** A thread with its own connection to a database file, started by the first query. */
export interface Reader {
  all<Row>(sql: string, params: SqlParams): Promise<Row[]>;
  close(): void;
}

/** Beside this file as it is written, beside the bundle once it is built. */
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
    // Rows go through it, and are not kept.
    const started = new Worker(program, {
      workerData,
      // What was loaded in front of the server is not for this.
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 },
    });
    started.on('message', (response: ReaderResponse) => {
      const asked = waiting.get(response.id);
      waiting.delete(response.id);
      if ('rows' in response) asked?.resolve([...response.rows]);
      else asked?.reject(Object.assign(new Error(response.error), { code: response.code }));
    });
    // What a thread says that was ended on purpose, or replaced, concerns nobody.
    const ended = (error: Error): void => {
      if (worker === started) fail(error);
    };
    // More than once where a thread runs out of memory.
    started.on('error', ended);
    started.once('exit', () => ended(new Error('the thread that reads has ended')));
    // Last, because to listen to what it says keeps the process alive for it.
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
      void worker?.terminate();
      fail(new Error('the database is closed'));
    },
  };
}
