import type { Database } from 'better-sqlite3';

/** A transaction that the reads of one turn of the event loop share. */
export interface SharedRead {
  /** Begins the transaction, unless one is open. It ends with the turn of the event loop. */
  begin(): void;
  /** Ends the transaction. Must be called before a write. */
  end(): void;
}

/**
 * Returns the shared transaction of a connection. A statement outside a transaction locks the file and unlocks it again, which takes four
 * times as long as finding a row by its ID.
 */
export function createSharedRead(connection: Database): SharedRead {
  const begin = connection.prepare('BEGIN');
  // A transaction without writes has nothing to commit. Unlike COMMIT, ROLLBACK also succeeds after a read has found damage.
  const rollback = connection.prepare('ROLLBACK');
  let isOpen = false;
  let isEndScheduled = false;
  const end = (): void => {
    if (!isOpen) return;
    isOpen = false;
    // Some errors have already ended it.
    if (connection.inTransaction) rollback.run();
  };
  return {
    begin: () => {
      if (isOpen || connection.inTransaction) return;
      begin.run();
      isOpen = true;
      if (isEndScheduled) return;
      isEndScheduled = true;
      setImmediate(() => {
        isEndScheduled = false;
        end();
      });
    },
    end,
  };
}
