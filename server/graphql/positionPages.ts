import { cursorId, MAX_PAGE_SIZE, sizeOf } from './idPages.ts';
import { type Arguments, connection, encodeCursor } from './parts.ts';

/** Maximum number of rows of a list that is read from its end. */
const MAX_COUNT = 100_000;

/** A list that is read in parts. */
export interface RowList<Row> {
  readonly count: (cap: number) => number;
  readonly rows: (limit: number, offset: number) => readonly Row[];
}

/** Returns a complete list as one that is read in parts. */
export function listOfRows<Row>(rows: readonly Row[]): RowList<Row> {
  return { count: () => rows.length, rows: (limit, offset) => rows.slice(offset, offset + limit) };
}

/**
 * Returns a page of a list as a connection. The arguments are `first`, `last`, `after` and `before`. A cursor is the position in the list,
 * because not every order has a key that identifies a row.
 */
export function pageOfList<Row>(
  args: Arguments,
  list: RowList<Row>,
  present: (row: Row) => unknown,
): Readonly<Record<string, unknown>> {
  const [first, last] = [sizeOf(args['first'], 'first'), sizeOf(args['last'], 'last')];
  const isBackward = first === undefined && last !== undefined;
  const begin = cursorId(args['after']) ?? 0;
  const before = cursorId(args['before']);
  const end = before === undefined ? (isBackward ? list.count(MAX_COUNT) : Infinity) : before - 1;
  const offset = Math.max(0, isBackward ? Math.max(begin, end - last) : begin);
  const limit = Math.max(0, Math.min(isBackward ? last : (first ?? MAX_PAGE_SIZE), end - offset));
  const rows = list.rows(limit + 1, offset);
  const skipped = isBackward || last === undefined ? 0 : Math.max(0, Math.min(rows.length, limit) - last);
  const shown = rows.slice(skipped, limit);
  const cursorAt = (index: number): string => encodeCursor([offset + skipped + index + 1]);
  return connection(shown.map(present), (_, index) => cursorAt(index), {
    hasNextPage: rows.length > limit,
    hasPreviousPage: offset + skipped > 0,
    startCursor: shown.length === 0 ? null : cursorAt(0),
    endCursor: shown.length === 0 ? null : cursorAt(shown.length - 1),
  });
}
