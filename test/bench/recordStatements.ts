import type { SqlParams, Store } from '../../server/store/open.ts';

export interface RecordedStatement {
  readonly sql: string;
  readonly params: SqlParams;
  readonly many: boolean;
}

/** Runs `work` and records every statement with which it reads. */
export async function recordStatements<T>(
  store: Store,
  work: () => Promise<T>,
): Promise<{ readonly response: T; readonly statements: readonly RecordedStatement[] }> {
  const statements: RecordedStatement[] = [];
  const { get, all } = store;
  const recorded = {
    get: <Row>(sql: string, params: SqlParams = {}): Row | undefined => {
      statements.push({ sql, params, many: false });
      return get(sql, params);
    },
    all: <Row>(sql: string, params: SqlParams = {}): Row[] => {
      statements.push({ sql, params, many: true });
      return all(sql, params);
    },
  };
  Object.assign(store, recorded);
  try {
    return { response: await work(), statements };
  } finally {
    Object.assign(store, { get, all });
  }
}
