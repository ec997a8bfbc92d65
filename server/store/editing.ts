import Database from 'better-sqlite3';
import { checkSchema } from './migrate.ts';
import type { SqlList, SqlParams } from './sql.ts';

/** The bytes of a database file, opened in memory to be changed as a whole. Foreign keys are not checked. */
export interface DatabaseEditor {
  /** Number of migrations that the database has. */
  readonly schema: number;
  all<Row>(sql: string, params?: SqlParams | SqlList): Row[];
  run(sql: string, params?: SqlParams | SqlList): void;
  /** Runs statements that have no parameters. */
  execute(sql: string): void;
  /** The database file as it is now. */
  bytes(): Buffer;
  close(): void;
}

/** Throws what `openStore` would throw for a file with these bytes. */
export function editDatabase(bytes: Buffer, nativeBinding?: string): DatabaseEditor {
  const connection = new Database(bytes, nativeBinding === undefined ? {} : { nativeBinding });
  try {
    // There is nothing to recover: the caller still has the old bytes until it takes the new ones.
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
