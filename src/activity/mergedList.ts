import type { Page } from '../api/client.ts';
import { isJsonObject, listOf, parseJson } from '../contract/json.ts';

type First<T> = (signal: AbortSignal) => Promise<Page<T>>;
type Follow<T> = (link: string, signal: AbortSignal) => Promise<Page<T>>;

/** Position in one of the lists: its first page, the page at a link, or its end. */
type Cursor = { readonly kind: 'first' } | { readonly kind: 'link'; readonly link: string } | { readonly kind: 'end' };

/** Start of the links to further pages of merged lists. */
const PREFIX = 'merged:';

/**
 * Returns one list for several lists of elements whose IDs decrease. A page ends where the first of their pages ends, because older elements
 * of that list may come before those of the others; the rest of the other pages belongs to the next page and is read again for it. A link
 * names the position in each list, so that it can be stored. A single list is returned as it is.
 */
export function mergedList<T extends { readonly id: number }>(
  lists: readonly First<T>[],
  follow: Follow<T>,
): { readonly first: First<T>; readonly follow: Follow<T> } {
  const [only] = lists;
  if (only !== undefined && lists.length === 1) return { first: only, follow };

  async function read(cursors: readonly Cursor[], below: number, signal: AbortSignal): Promise<Page<T>> {
    const pages = await Promise.all(
      cursors.map(async (cursor, index): Promise<Page<T>> => {
        if (cursor.kind === 'link') return follow(cursor.link, signal);
        return (cursor.kind === 'first' ? await lists[index]?.(signal) : undefined) ?? { items: [] };
      }),
    );
    const lastIds = pages.map(({ items, next }) => (next === undefined ? undefined : items.at(-1)?.id));
    const end = Math.max(...lastIds.map((id) => id ?? -Infinity));
    const items = pages
      .flatMap((page) => page.items.filter(({ id }) => id < below && id >= end))
      .toSorted((one, other) => other.id - one.id);
    const after = pages.map((page, index) => cursorAfter(page, end, cursors[index] ?? { kind: 'end' }));
    if (after.every(({ kind }) => kind === 'end')) return { items };
    return { items, next: linkTo(after, Math.min(end, below)) };
  }

  return {
    first: (signal) =>
      read(
        lists.map(() => ({ kind: 'first' })),
        Infinity,
        signal,
      ),
    follow: async (link, signal) => {
      const { cursors, below } = readLink(link, lists.length);
      return read(cursors, below, signal);
    },
  };
}

/** Returns the same position again if the page has elements that belong to the next merged page. */
function cursorAfter<T extends { readonly id: number }>({ items, next }: Page<T>, end: number, before: Cursor): Cursor {
  if (items.some(({ id }) => id < end)) return before;
  return next === undefined ? { kind: 'end' } : { kind: 'link', link: next };
}

function linkTo(cursors: readonly Cursor[], below: number): string {
  const positions = cursors.map((cursor) => (cursor.kind === 'link' ? cursor.link : cursor.kind === 'end'));
  return `${PREFIX}${JSON.stringify({ below: Number.isFinite(below) ? below : null, positions })}`;
}

/** Reads a link, which may have been stored by another version. An invalid one leads to the first pages. */
function readLink(link: string, count: number): { readonly cursors: readonly Cursor[]; readonly below: number } {
  const value = link.startsWith(PREFIX) ? parseJson(link.slice(PREFIX.length)) : undefined;
  const positions = isJsonObject(value) ? listOf(value.positions, readCursor) : [];
  if (!isJsonObject(value) || positions.length !== count)
    return { cursors: Array.from({ length: count }, () => ({ kind: 'first' })), below: Infinity };
  return { cursors: positions, below: typeof value.below === 'number' ? value.below : Infinity };
}

function readCursor(value: unknown): Cursor | undefined {
  if (typeof value === 'string') return { kind: 'link', link: value };
  return typeof value === 'boolean' ? { kind: value ? 'end' : 'first' } : undefined;
}
