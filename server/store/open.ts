import { truncateSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Database as Connection, Statement } from 'better-sqlite3';
import { checkOf, problemOf, findDamage, isDamage, TABLES, tablesOf } from './damage.ts';
import { checkSchema, CURRENT_SCHEMA, migrate } from './migrate.ts';
import { createReader, type Reader } from './readerThread.ts';
import { createSharedRead } from './sharedRead.ts';
import type { SqlList, SqlParams } from './sql.ts';
import { preparedStatements } from './statements.ts';

export type { SqlParams } from './sql.ts';

/**
 * The database as used by the stores. Prepared statements are cached by their SQL, and the reads of one turn of the event loop share a
 * transaction. Row types are not checked: the SQL of a query stands next to the type of its rows.
 */
export interface Store {
  get<Row>(sql: string, params?: SqlParams | SqlList): Row | undefined;
  all<Row>(sql: string, params?: SqlParams | SqlList): Row[];
  /**
   * Returns the rows of a potentially slow query. It runs in a separate thread, so that it does not block requests, and sees only committed
   * data. In-memory databases are read directly, because other threads cannot open them.
   */
  runInReader<Row>(sql: string, params?: SqlParams): Promise<Row[]>;
  run(sql: string, params?: SqlParams | SqlList): { readonly changes: number; readonly lastId: number };
  /** Runs `work` in one IMMEDIATE transaction. Nested calls join the outer one. An exception rolls everything back. */
  transaction<T>(work: () => T): T;
  /**
   * Runs `work` in one IMMEDIATE transaction that spans several turns of the event loop: `pause` is awaited after each yielded value.
   * Allowed only while nothing else uses the database. An exception of either rolls everything back.
   */
  transactionInSteps<Step>(work: () => Iterable<Step>, pause: (step: Step) => Promise<void>): Promise<void>;
  /**
   * Like `transaction`, for frequent small writes: all calls of one turn of the event loop share a transaction, and so one flush to disk,
   * the most expensive part of a small write. Resolves after the commit. An exception rolls back only its own work; for that, the
   * transaction is rolled back and all work runs again, so `work` may run twice.
   */
  groupCommit<T>(work: () => T): Promise<T>;
  /**
   * Runs `work` in a transaction that is never committed: until the next write, all reads see its changes. For data that readers must see
   * although the disk is full. Throws if even that is impossible.
   */
  provisionally(work: () => void): void;
  /** Copies the whole database into a new file, some pages at a time, while it is in use. */
  copyTo(file: string): Promise<void>;
  /**
   * Copies the whole database into memory. Returns undefined if it is larger than `limit` bytes. Blocks until the copy is complete, which takes
   * some two milliseconds per megabyte (docs/design/requests.md#replays-in-another-release).
   */
  copyInMemory(limit: number): Store | undefined;
  /** Returns the whole database as the content of a file without write-ahead log. Blocks until the copy is complete. */
  content(): Buffer;
  /** Checks the whole database for damage in a separate thread. Does nothing for a database in memory. */
  check(): Promise<void>;
  /** Returns the damage that a check or a query found, or undefined. */
  damage(): string | undefined;
  close(): void;
  /** Resolves after `close` when the reader thread has closed the file, too. */
  released(): Promise<void>;
}

/**
 * Opens and migrates a database. `file` is a path, `:memory:`, or the content of a database file to open in memory. `nativeBinding` is the
 * path of the addon in a bundle; without it the package looks it up. `onMigration` is called before each migration. Throws NewerSchema if a
 * newer version wrote the file.
 */
export function openStore(
  file: string | Buffer,
  nativeBinding?: string,
  onMigration?: (done: number, total: number) => void,
): Store {
  const connection = new Database(file, nativeBinding === undefined ? {} : { nativeBinding });
  try {
    for (const pragma of [
      'journal_mode = WAL',
      'synchronous = FULL',
      'foreign_keys = ON',
      'busy_timeout = 5000',
      'journal_size_limit = 67108864',
      // Larger checkpoints (16 MB instead of 4) write pages that change often only once.
      'wal_autocheckpoint = 4000',
      'temp_store = MEMORY',
      'mmap_size = 268435456',
      'trusted_schema = OFF',
    ]) {
      connection.pragma(pragma);
    }
    migrate(connection, onMigration);
  } catch (error) {
    connection.close();
    throw error;
  }
  const isFile = typeof file === 'string' && file !== ':memory:';
  return storeOver(
    connection,
    nativeBinding,
    isFile ? createReader(file, nativeBinding) : undefined,
    isFile ? () => damageInFile(file, nativeBinding) : undefined,
  );
}

function storeOver(
  connection: Connection,
  nativeBinding: string | undefined,
  reader: Reader | undefined,
  findFileDamage: (() => Promise<string | undefined>) | undefined,
): Store {
  let damage: string | undefined;
  /** Records the first error that shows damage. Returns the error, to be thrown. */
  const note = (error: unknown): unknown => {
    if (isDamage(error) && error instanceof Error) damage ??= error.message;
    return error;
  };
  const prepared = preparedStatements(connection);
  const none: SqlParams = {};
  let readerEnd: Promise<unknown> | undefined;
  let isProvisional = false;
  const sharedRead = createSharedRead(connection);
  /** Ends the transaction of reads before a write, and a provisional one, with which the write would be lost. */
  const endOthers = (): void => {
    sharedRead.end();
    if (!isProvisional) return;
    isProvisional = false;
    if (connection.inTransaction) connection.exec('ROLLBACK');
  };
  const statementFor = (sql: string): Statement => {
    const statement = prepared(sql);
    if (statement.readonly) sharedRead.begin();
    else endOthers();
    return statement;
  };
  interface Shared {
    /** Does the work. Returns the function that notifies the caller after the commit. */
    readonly work: () => () => void;
    readonly fail: (error: unknown) => void;
  }
  let waiting: Shared[] = [];
  // Inside another transaction this is a savepoint.
  const inTransaction = connection.transaction((work: () => unknown) => work());
  const commitWaiting = (): void => {
    const sharing = waiting;
    waiting = [];
    for (const tell of committed(sharing)) tell();
  };
  /** Commits all work with one flush. Returns the functions that notify the callers of success or failure. */
  const committed = (sharing: readonly Shared[]): (() => void)[] => {
    const failed = (error: unknown): (() => void)[] =>
      sharing.map(
        ({ fail }) =>
          () =>
            fail(note(error)),
      );
    try {
      endOthers();
      return together(sharing);
    } catch (error) {
      if (sharing.length === 1) return failed(error);
    }
    try {
      return apart(sharing);
    } catch (error) {
      return failed(error);
    }
  };
  /** Runs all work in one transaction. Throws if any of it throws. */
  const together = (sharing: readonly Shared[]): (() => void)[] => {
    let reported: (() => void)[] = [];
    inTransaction.immediate(() => {
      reported = sharing.map(({ work }) => work());
    });
    return reported;
  };
  /** Runs each work in a savepoint, which is slower because it copies every written page. Throws if the whole transaction is lost. */
  const apart = (sharing: readonly Shared[]): (() => void)[] => {
    let reported: (() => void)[] = [];
    inTransaction.immediate(() => {
      reported = sharing.map(({ work, fail }) => {
        try {
          let tell = (): void => {};
          inTransaction(() => {
            tell = work();
          });
          return tell;
        } catch (error) {
          // A full disk ends the whole transaction, including the work of the others.
          if (!connection.inTransaction) throw error;
          return () => fail(note(error));
        }
      });
    });
    return reported;
  };
  const content = (): Buffer => {
    endOthers();
    const bytes = connection.serialize();
    // V8 frees the bytes. Freeing them earlier would only hide them from its accounting, because they belong to the driver.
    // A database in memory has no write-ahead log, which these two bytes of the header would require (SQLite file format §1.3.3).
    bytes.fill(1, 18, 20);
    return bytes;
  };
  return {
    get: <Row>(sql: string, params: SqlParams | SqlList = none) => {
      try {
        return statementFor(sql).get(params) as Row | undefined;
      } catch (error) {
        throw note(error);
      }
    },
    all: <Row>(sql: string, params: SqlParams | SqlList = none) => {
      try {
        return statementFor(sql).all(params) as Row[];
      } catch (error) {
        throw note(error);
      }
    },
    runInReader: async <Row>(sql: string, params = none) => {
      try {
        return reader === undefined || isProvisional ? (prepared(sql).all(params) as Row[]) : await reader.all<Row>(sql, params);
      } catch (error) {
        throw note(error);
      }
    },
    run: (sql, params: SqlParams | SqlList = none) => {
      try {
        const statement = statementFor(sql);
        // The driver binds separate arguments faster than the members of a list.
        const result = isList(params) ? statement.run(...params) : statement.run(params);
        return { changes: result.changes, lastId: Number(result.lastInsertRowid) };
      } catch (error) {
        throw note(error);
      }
    },
    transaction: (work) => {
      try {
        endOthers();
        return connection.inTransaction ? work() : (inTransaction.immediate(work) as ReturnType<typeof work>);
      } catch (error) {
        throw note(error);
      }
    },
    transactionInSteps: async (work, pause) => {
      endOthers();
      connection.exec('BEGIN IMMEDIATE');
      try {
        for (const step of work()) await pause(step);
        connection.exec('COMMIT');
      } catch (error) {
        // A full disk has already ended the transaction.
        if (connection.inTransaction) connection.exec('ROLLBACK');
        throw note(error);
      }
    },
    groupCommit: <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        const run = (): (() => void) => {
          const value = work();
          return () => resolve(value);
        };
        waiting.push({ work: run, fail: reject });
        if (waiting.length === 1) setImmediate(commitWaiting);
      }),
    provisionally: (work) => {
      endOthers();
      if (connection.inTransaction) throw new Error('provisional work cannot be part of a transaction');
      // Pages that are evicted from the cache before a commit are written to the disk.
      connection.pragma('cache_spill = OFF');
      try {
        connection.exec('BEGIN IMMEDIATE');
        work();
        isProvisional = connection.inTransaction;
      } finally {
        connection.pragma('cache_spill = ON');
        if (!isProvisional && connection.inTransaction) connection.exec('ROLLBACK');
      }
    },
    copyTo: async (file) => {
      try {
        endOthers();
        await connection.backup(file);
      } catch (error) {
        throw note(error);
      }
    },
    copyInMemory: (limit) => {
      endOthers();
      const [pages, size] = ['page_count', 'page_size'].map((name) => Number(connection.pragma(name, { simple: true })));
      if ((pages ?? 0) * (size ?? 0) > limit) return undefined;
      return openStore(content(), nativeBinding);
    },
    content,
    check: async () => {
      const found = await findFileDamage?.();
      damage ??= found;
    },
    damage: () => damage,
    close: () => {
      if (!connection.open) return;
      endOthers();
      readerEnd = reader?.close();
      try {
        // Query statistics are useless for a database that is about to disappear.
        if (reader !== undefined) connection.pragma('optimize');
      } catch (error) {
        // It writes statistics, for which there may be no space. The next close tries again.
        if (!(error instanceof Database.SqliteError)) throw error;
      } finally {
        connection.close();
      }
    },
    released: async () => {
      await readerEnd;
    },
  };
}

function isList(params: SqlParams | SqlList): params is SqlList {
  return Array.isArray(params);
}

/** Merges the write-ahead log of a closed database into its file. An unreadable database is left unchanged. */
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

/** Throws the same errors as `openStore`, and one with the code SQLITE_CORRUPT if any part of the database is damaged. Changes nothing. */
export function checkDatabase(file: string, nativeBinding?: string): void {
  const connection = new Database(file, { readonly: true, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
  try {
    checkSchema(connection);
    const found = findDamage(connection);
    if (found !== undefined) throw new Database.SqliteError(found, 'SQLITE_CORRUPT');
  } finally {
    connection.close();
  }
}

/** Returns the damage in a database file, found in a separate thread, or undefined if it is intact. */
export async function damageInFile(file: string, nativeBinding?: string): Promise<string | undefined> {
  const reader = createReader(file, nativeBinding);
  try {
    for (const table of tablesOf(await reader.all(TABLES, {}))) {
      const found = problemOf(await reader.all(checkOf(table), {}));
      if (found !== undefined) return found;
    }
    return undefined;
  } catch (error) {
    if (isDamage(error) && error instanceof Error) return error.message;
    throw error;
  } finally {
    await reader.close();
  }
}

/**
 * Returns the number of migrations that have been applied. A database that needs more is merged into one file, so that it can be copied.
 * Throws the same errors as `openStore`.
 */
export function settleSchema(file: string, nativeBinding?: string): number {
  const connection = new Database(file, { fileMustExist: true, ...(nativeBinding === undefined ? {} : { nativeBinding }) });
  try {
    const schema = checkSchema(connection);
    if (schema < CURRENT_SCHEMA) connection.pragma('wal_checkpoint(TRUNCATE)');
    return schema;
  } finally {
    connection.close();
  }
}

/**
 * Returns an exclusive lock on a folder, held until it is released or the process dies, or undefined if another process holds it. The lock
 * file is empty. If another program has written to it, it is truncated in place, because the lock belongs to the file and not to its name.
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
