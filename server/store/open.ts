import { truncateSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Database as Connection, Statement } from 'better-sqlite3';
import { checkSchema, migrate } from './migrate.ts';

/** What SQLite can bind. Booleans are stored as 0 and 1 by the stores themselves. */
export type SqlValue = string | number | bigint | null | Uint8Array;
export type SqlParams = Readonly<Record<string, SqlValue>>;

/**
 * The database, seen by the stores. Statements are prepared once and kept by their text. Row types are the caller's word: the
 * SQL that yields a row stands beside the type that names it.
 */
export interface Store {
  get<Row>(sql: string, params?: SqlParams): Row | undefined;
  all<Row>(sql: string, params?: SqlParams): Row[];
  run(sql: string, params?: SqlParams): { readonly changes: number; readonly lastId: number };
  /** Runs `work` in one IMMEDIATE transaction; nested calls join the outer one. A throw rolls everything back. */
  transaction<T>(work: () => T): T;
  /** Copies the whole database into a new file, some pages at a time, while it goes on being used. */
  copyTo(file: string): Promise<void>;
  close(): void;
}

/**
 * Opens (and migrates) a database. `file` is a path or `:memory:`. `nativeBinding` names the addon file in a bundle; without it
 * the package's own look-up is used. Throws NewerSchema when the file was written by a later program.
 */
export function openStore(file: string, nativeBinding?: string): Store {
  const connection = new Database(file, nativeBinding === undefined ? {} : { nativeBinding });
  try {
    for (const pragma of [
      'journal_mode = WAL',
      'synchronous = FULL',
      'foreign_keys = ON',
      'busy_timeout = 5000',
      'journal_size_limit = 67108864',
      'temp_store = MEMORY',
      'mmap_size = 268435456',
      'trusted_schema = OFF',
    ]) {
      connection.pragma(pragma);
    }
    migrate(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
  return storeOver(connection);
}

function storeOver(connection: Connection): Store {
  const statements = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  };
  const none: SqlParams = {};
  return {
    get: <Row>(sql: string, params = none) => prepared(sql).get(params) as Row | undefined,
    all: <Row>(sql: string, params = none) => prepared(sql).all(params) as Row[],
    run: (sql, params = none) => {
      const result = prepared(sql).run(params);
      return { changes: result.changes, lastId: Number(result.lastInsertRowid) };
    },
    transaction: (work) => (connection.inTransaction ? work() : connection.transaction(work).immediate()),
    copyTo: async (file) => {
      await connection.backup(file);
    },
    close: () => {
      if (!connection.open) return;
      connection.pragma('optimize');
      connection.close();
    },
  };
}

/** Brings a database that nobody has open into one file. One that cannot be read is left as it is. */
export function settleDatabase(file: string, nativeBinding?: string): void {
  let connection: Connection | undefined;
  try {
    connection = new Database(file, { fileMustExist: true, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
    connection.pragma('wal_checkpoint(TRUNCATE)');
    connection.pragma('journal_mode = DELETE');
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
  } finally {
    connection?.close();
  }
}

/** Throws what `openStore` would, and changes nothing. */
export function checkDatabase(file: string, nativeBinding?: string): void {
  const connection = new Database(file, { readonly: true, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
  try {
    checkSchema(connection);
  } finally {
    connection.close();
  }
}

/**
 * An exclusive lock on a folder, held until it is closed or the process dies; undefined when another process holds it. The file holds
 * nothing, so one that something else has written to is emptied: in place, because a lock belongs to the file and not to its name.
 */
export function lockFolder(lockFile: string, nativeBinding?: string): { release(): void } | undefined {
  try {
    return lockOnce(lockFile, nativeBinding);
  } catch (error) {
    if (!(error instanceof Database.SqliteError) || !/^SQLITE_(?:NOTADB|CORRUPT)/.test(error.code)) throw error;
    truncateSync(lockFile);
    return lockOnce(lockFile, nativeBinding);
  }
}

function lockOnce(lockFile: string, nativeBinding: string | undefined): { release(): void } | undefined {
  const connection = new Database(lockFile, { timeout: 0, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
  try {
    connection.pragma('locking_mode = EXCLUSIVE');
    connection.exec('BEGIN EXCLUSIVE');
    return { release: () => connection.close() };
  } catch (error) {
    connection.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
}
