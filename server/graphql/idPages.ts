import {
  type Arguments,
  badCursor,
  connection,
  decodeCursor,
  encodeCursor,
  numberArgument,
  QueryRefusal,
  textArgument,
} from './parts.ts';

/** Maximum size of a page, which is also the default. */
export const MAX_PAGE_SIZE = 100;

/** Rows of a page: those between two IDs, exclusive, in one direction. */
export interface IdRange {
  readonly idBefore: number | undefined;
  readonly idAfter: number | undefined;
  readonly sort: 'asc' | 'desc';
  readonly limit: number;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns a page of a connection that is ordered by descending ID, for the arguments `after`, `before`, `first` and `last`. `present` returns
 * undefined for rows that the caller cannot see.
 *
 * @throws {QueryRefusal} For a negative size or a cursor of something else.
 */
export async function idPage<Row extends { readonly id: number }>(
  args: Arguments,
  read: (range: IdRange) => readonly Row[] | Promise<readonly Row[]>,
  present: (rows: readonly Row[]) => readonly (Fields | undefined)[],
): Promise<Fields> {
  const idBefore = cursorId(args['after']);
  const idAfter = cursorId(args['before']);
  const first = sizeOf(args['first'], 'first');
  const last = sizeOf(args['last'], 'last');
  const isBackward = first === undefined && last !== undefined;
  const limit = (isBackward ? last : first) ?? MAX_PAGE_SIZE;
  const rows = await read({ idBefore, idAfter, sort: isBackward ? 'asc' : 'desc', limit: limit + 1 });
  const stored = isBackward ? rows.slice(0, limit).toReversed() : rows.slice(0, limit);
  const shown = first !== undefined && last !== undefined ? stored.slice(Math.max(0, stored.length - last)) : stored;
  const hasMore = rows.length > limit;
  const presented = present(shown);
  const visible = shown.flatMap((row, index) => {
    const fields = presented[index];
    return fields === undefined ? [] : [{ row, fields }];
  });
  return connection(
    visible.map(({ fields }) => fields),
    (_, index) => cursorOf(visible[index]?.row) ?? '',
    {
      hasNextPage: isBackward ? idAfter !== undefined : hasMore,
      hasPreviousPage: isBackward ? hasMore : idBefore !== undefined || shown.length < stored.length,
      startCursor: cursorOf(shown[0]),
      endCursor: cursorOf(shown.at(-1)),
    },
  );
}

function cursorOf(row: { readonly id: number } | undefined): string | null {
  return row === undefined ? null : encodeCursor([row.id]);
}

/** Returns the number in a cursor. */
export function cursorId(cursor: unknown): number | undefined {
  const text = textArgument(cursor);
  if (text === undefined) return undefined;
  const id = decodeCursor(text)?.[0];
  if (typeof id !== 'number' || !Number.isSafeInteger(id)) throw badCursor();
  return id;
}

/** Returns the requested size of a page. */
export function sizeOf(sent: unknown, name: string): number | undefined {
  const size = numberArgument(sent);
  if (size !== undefined && size < 0) throw new QueryRefusal(`${name} must not be negative`);
  return size === undefined ? undefined : Math.min(size, MAX_PAGE_SIZE);
}
