import { AsyncLocalStorage } from 'node:async_hooks';
import { currentActor } from '../../server/core/actor.ts';
import type { SqlParams, Store } from '../../server/store/open.ts';
import type { SqlList } from '../../server/store/sql.ts';

export interface RecordedStatement {
  readonly sql: string;
  readonly params: SqlParams | SqlList;
  /** True if all rows were read, false for the first one only. */
  readonly many: boolean;
  /** Number of rows that were read. */
  readonly rows: number;
}

const ownWork = new AsyncLocalStorage<true>();

/**
 * Runs `work`, and records every statement with which it reads, or a request that it sends to a server in this process. Statements of
 * scheduled work belong to neither and are not recorded.
 *
 * @throws Error if the request writes.
 */
export async function recordStatements<T>(
  store: Store,
  work: () => Promise<T>,
): Promise<{ readonly response: T; readonly statements: readonly RecordedStatement[] }> {
  const statements: RecordedStatement[] = [];
  const { get, all, runInReader, run } = store;
  const record = (statement: RecordedStatement): void => {
    if (ownWork.getStore() === true || currentActor() !== undefined) statements.push(statement);
  };
  const recorded: Partial<Store> = {
    get: <Row>(sql: string, params: SqlParams | SqlList = {}) => {
      const row = get<Row>(sql, params);
      record({ sql, params, many: false, rows: row === undefined ? 0 : 1 });
      return row;
    },
    all: <Row>(sql: string, params: SqlParams | SqlList = {}) => {
      const rows = all<Row>(sql, params);
      record({ sql, params, many: true, rows: rows.length });
      return rows;
    },
    runInReader: async <Row>(sql: string, params: SqlParams = {}) => {
      const rows = await runInReader<Row>(sql, params);
      record({ sql, params, many: true, rows: rows.length });
      return rows;
    },
    run: (sql, params) => {
      if (currentActor() !== undefined) throw new Error(`the request writes: ${sql}`);
      return run(sql, params);
    },
  };
  Object.assign(store, recorded);
  try {
    return { response: await ownWork.run(true, work), statements };
  } finally {
    Object.assign(store, { get, all, runInReader, run });
  }
}
