// Thread for slow queries (`store.runInReader`). It runs one query after another on a separate read-only connection.
import { parentPort, workerData } from 'node:worker_threads';
import Database from 'better-sqlite3';
import type { SqlParams } from './sql.ts';
import { preparedStatements } from './statements.ts';

export interface ReaderData {
  readonly file: string;
  readonly nativeBinding: string | undefined;
}

export interface ReaderQuery {
  readonly id: number;
  readonly sql: string;
  readonly params: SqlParams;
}

export type ReaderResponse =
  | { readonly id: number; readonly rows: readonly unknown[] }
  | { readonly id: number; readonly error: string; readonly code: string };

const { file, nativeBinding } = workerData as ReaderData;
const connection = new Database(file, { readonly: true, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
for (const pragma of ['busy_timeout = 5000', 'temp_store = MEMORY', 'mmap_size = 268435456', 'trusted_schema = OFF'])
  connection.pragma(pragma);
const prepared = preparedStatements(connection);

parentPort?.on('message', ({ id, sql, params }: ReaderQuery) => {
  let response: ReaderResponse;
  try {
    response = { id, rows: prepared(sql).all(params) };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    response = { id, error: error instanceof Error ? error.message : String(error), code };
  }
  parentPort?.postMessage(response);
});
