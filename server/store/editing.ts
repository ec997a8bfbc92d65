import Database from 'better-sqlite3';
import { checkSchema } from './migrate.ts';
import type { SqlList, SqlParams } from './sql.ts';

/** A database opened in memory from the bytes of a file, for bulk changes. Foreign keys are not checked. */
export interface DatabaseEditor {
  /** Number of migrations that have been applied. */
  readonly schema: number;
  all<Row>(sql: string, params?: SqlParams | SqlList): Row[];
  run(sql: string, params?: SqlParams | SqlList): void;
  /** Runs statements without parameters. */
  execute(sql: string): void;
  /** Returns the current content as the bytes of a database file. */
  bytes(): Buffer;
  close(): void;
}

/** Opens the bytes of a database file. Throws the same errors as `openStore`. */
export function editDatabase(bytes: Buffer, nativeBinding?: string): DatabaseEditor {
  const connection = new Database(bytes, nativeBinding === undefined ? {} : { nativeBinding });
  try {
    // No recovery is needed: the caller keeps the old bytes until it receives the new ones.
    for (const pragma of ['journal_mode = OFF', 'synchronous = OFF', 'foreign_keys = OFF', 'temp_store = MEMORY'])
      connection.pragma(pragma);
    return {
      schema: checkSchema(connection),
      all: <Row>(sql: string, params: SqlParams | SqlList = {}) => connection.prepare(sql).all(params) as Row[],
      run: (sql, params = {}) => void connection.prepare(sql).run(params),
      execute: (sql) => void connection.exec(sql),
      bytes: () => connection.serialize(),
      close: () => void connection.close(),
    };
  } catch (error) {
    connection.close();
    throw error;
  }
}
