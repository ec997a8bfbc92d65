import type { Store } from './open.ts';
import type { SqlParams } from './sql.ts';

/** Returns the number of rows of a FROM clause with its conditions. At most `cap` rows are counted. */
export function countRows(store: Store, from: string, params: SqlParams, cap: number): number {
  return store.get<{ n: number }>(countSql(from), { ...params, cap })?.n ?? 0;
}

/** Like `countRows`, for conditions that may have to read many rows (`Store.runInReader`). */
export async function countRowsInReader(store: Store, from: string, params: SqlParams, cap: number): Promise<number> {
  const [row] = await store.runInReader<{ n: number }>(countSql(from), { ...params, cap });
  return row?.n ?? 0;
}

function countSql(from: string): string {
  return `SELECT count(*) AS n FROM (SELECT 1 ${from} LIMIT $cap)`;
}
