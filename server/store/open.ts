import { truncateSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Database as Connection, Statement } from 'better-sqlite3';
import { checkOf, problemOf, findDamage, isDamage, TABLES, tablesOf } from './damage.ts';
import { checkSchema, CURRENT_SCHEMA, migrate } from './migrate.ts';
import { createReader, type Reader } from './readerThread.ts';
import type { SqlList, SqlParams } from './sql.ts';
import { preparedStatements } from './statements.ts';

export type { SqlParams } from './sql.ts';

/**
 * The database, seen by the stores. Statements are prepared once and kept by their text while they are used. Row types are the caller's word: the
 * SQL that yields a row stands beside the type that names it.
 */
export interface Store {
  get<Row>(sql: string, params?: SqlParams | SqlList): Row | undefined;
  all<Row>(sql: string, params?: SqlParams | SqlList): Row[];
  /**
   * The rows of a query that may have to look at many: a thread of its own reads them, so that nobody else waits. It sees what is committed.
   * A database in memory has no other way in and is read at once.
   */
  runInReader<Row>(sql: string, params?: SqlParams): Promise<Row[]>;
  run(sql: string, params?: SqlParams | SqlList): { readonly changes: number; readonly lastId: number };
  /** Runs `work` in one IMMEDIATE transaction; nested calls join the outer one. A throw rolls everything back. */
  transaction<T>(work: () => T): T;
  /**
   * Runs `work` in one IMMEDIATE transaction that spans several turns of the event loop: after each value that it yields, `pause` is awaited.
   * Only while nothing else uses the database. A throw of either rolls everything back.
   */
  transactionInSteps<Step>(work: () => Iterable<Step>, pause: (step: Step) => Promise<void>): Promise<void>;
  /**
   * Like `transaction`, for what many ask for at once: all that wait at this turn of the event loop share one transaction, and so one flush to
   * disk, the dearest part of a small write. Fulfilled when that is committed. A throw rolls back its own work only; for that, all of them
   * are rolled back and run again, so `work` may run twice.
   */
  groupCommit<T>(work: () => T): Promise<T>;
  /**
   * Does `work` in a transaction that is never committed: until the next write, everything that is read also sees what it has written. For
   * what readers must see and the disk has no room for. Throws where not even that is possible.
   */
  provisionally(work: () => void): void;
  /** Copies the whole database into a new file, some pages at a time, while it goes on being used. */
  copyTo(file: string): Promise<void>;
  /** Reads the whole database in a thread of its own and notes damage. Does nothing for a database in memory. */
  check(): Promise<void>;
  /** What was found to be damaged, by a check or while the database was used; undefined while nothing was. */
  damage(): string | undefined;
  close(): void;
}

/**
 * Opens (and migrates) a database. `file` is a path, `:memory:`, or the content of a database file to go on with in memory. `nativeBinding` names the addon file in a bundle; without it
 * the package's own look-up is used. `onMigration` is told before each migration. Throws NewerSchema when the file was written by a later program.
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
      // Pages that many transactions write are brought home once: 16 MB instead of 4.
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
    isFile ? createReader(file, nativeBinding) : undefined,
    isFile ? () => damageInFile(file, nativeBinding) : undefined,
  );
}

function storeOver(
  connection: Connection,
  reader: Reader | undefined,
  lookForDamage: (() => Promise<string | undefined>) | undefined,
): Store {
  let damage: string | undefined;
  /** Remembers the first error that shows damage. Returns the error, to be thrown. */
  const note = (error: unknown): unknown => {
    if (isDamage(error) && error instanceof Error) damage ??= error.message;
    return error;
  };
  const prepared = preparedStatements(connection);
  const none: SqlParams = {};
  let isProvisional = false;
  /** A write must not be lost with a transaction that is never committed. */
  const endProvisional = (): void => {
    if (!isProvisional) return;
    isProvisional = false;
    if (connection.inTransaction) connection.exec('ROLLBACK');
  };
  const statementFor = (sql: string): Statement => {
    const statement = prepared(sql);
    if (isProvisional && !statement.readonly) endProvisional();
    return statement;
  };
  interface Shared {
    /** Answers how to tell whoever waits for it, once it is committed. */
    readonly work: () => () => void;
    readonly fail: (error: unknown) => void;
  }
  let waiting: Shared[] = [];
  // Inside another one it is a savepoint.
  const inTransaction = connection.transaction((work: () => unknown) => work());
  const commitWaiting = (): void => {
    const sharing = waiting;
    waiting = [];
    for (const tell of committed(sharing)) tell();
  };
  /** Commits them with one flush; those that could not be are told by what is answered. */
  const committed = (sharing: readonly Shared[]): (() => void)[] => {
    const failed = (error: unknown): (() => void)[] =>
      sharing.map(
        ({ fail }) =>
          () =>
            fail(note(error)),
      );
    try {
      endProvisional();
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
  /** Throws when one of them does. */
  const together = (sharing: readonly Shared[]): (() => void)[] => {
    let reported: (() => void)[] = [];
    inTransaction.immediate(() => {
      reported = sharing.map(({ work }) => work());
    });
    return reported;
  };
  /** Each in a savepoint, which keeps a copy of every page that is written. Throws when the whole transaction is lost. */
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
          // A full disk ends the whole transaction, and with it what the others did.
          if (!connection.inTransaction) throw error;
          return () => fail(note(error));
        }
      });
    });
    return reported;
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
        // The driver binds single arguments faster than the members of a list.
        const result = isList(params) ? statement.run(...params) : statement.run(params);
        return { changes: result.changes, lastId: Number(result.lastInsertRowid) };
      } catch (error) {
        throw note(error);
      }
    },
    transaction: (work) => {
      try {
        endProvisional();
        return connection.inTransaction ? work() : (inTransaction.immediate(work) as ReturnType<typeof work>);
      } catch (error) {
        throw note(error);
      }
    },
    transactionInSteps: async (work, pause) => {
      endProvisional();
      connection.exec('BEGIN IMMEDIATE');
      try {
        for (const step of work()) await pause(step);
        connection.exec('COMMIT');
      } catch (error) {
        // A full disk has ended it already.
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
      endProvisional();
      if (connection.inTransaction) throw new Error('what is provisional cannot be part of a transaction');
      // Pages that leave the cache before a commit are written to the disk.
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
        endProvisional();
        await connection.backup(file);
      } catch (error) {
        throw note(error);
      }
    },
    check: async () => {
      const found = await lookForDamage?.();
      damage ??= found;
    },
    damage: () => damage,
    close: () => {
      if (!connection.open) return;
      endProvisional();
      reader?.close();
      try {
        // The statistics that this writes are of no use to a database that ends here.
        if (reader !== undefined) connection.pragma('optimize');
      } catch (error) {
        // It writes what it has found out, for which there may be no room; it is done again next time.
        if (!(error instanceof Database.SqliteError)) throw error;
      } finally {
        connection.close();
      }
    },
  };
}

function isList(params: SqlParams | SqlList): params is SqlList {
  return Array.isArray(params);
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

/**
 * Throws what `openStore` would, and an error with the code SQLITE_CORRUPT where any part of the database is damaged. Changes nothing.
 */
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

/** What is damaged in a database file, found by a thread of its own; undefined when nothing is. */
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
    reader.close();
  }
}

/**
 * The number of steps that a database has behind it. One that needs more is brought into one file, so that it can be copied. Throws what
 * `openStore` would.
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
