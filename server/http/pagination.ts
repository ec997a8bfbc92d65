import * as z from 'zod';
import type { HttpResponse } from './requestContext.ts';
import { jsonResponse } from './requestContext.ts';
import { nextPageTooLong } from './failures.ts';
import { WireFailure } from './wireFailure.ts';
import { checked, fallback, integer, type Parameter } from './params.ts';

export const DEFAULT_PER_PAGE = 20;
export const MAX_PER_PAGE = 100;
/** Maximum number of rows of a list that sends totals and `rel="last"` (docs/interface.md#pagination). */
export const COUNT_CAP = 10_000;

/** The parameters `page` and `per_page`. Zero and negative pages mean the first page; `per_page=0` is refused (docs/interface.md#pagination). */
export function pageParameters(): { page: Parameter<number>; per_page: Parameter<number> } {
  return {
    page: fallback(1, integer),
    per_page: checked(fallback(DEFAULT_PER_PAGE, integer), (size) => size !== 0, 'has a value not allowed'),
  };
}

export interface OffsetRequest {
  readonly page: number;
  readonly per_page: number;
}

/** Source of `Link` URLs: the requested path and all parameters except credentials. */
export interface LinkSource {
  readonly baseUrl: string;
  readonly path: string;
  /** True if lists do not send their number of rows, as in the multi-tenant offering (docs/interface.md#pagination). */
  readonly withoutTotals?: boolean;
  linkParameters(): Readonly<Record<string, unknown>>;
}

/** Source of the rows of one page. `count` may stop at COUNT_CAP + 1; it is not called if the rows show how many there are. */
export interface OffsetList<Row> {
  count(cap: number): number;
  rows(limit: number, offset: number): readonly Row[];
}

/** Returns one page with the headers of offset pagination (docs/interface.md#pagination). Rows are filtered before they are paged. */
export function offsetResponse<Row>(
  source: LinkSource,
  request: OffsetRequest,
  list: OffsetList<Row>,
  present: (row: Row) => unknown,
): HttpResponse {
  const { page, size, offset } = pageOf(request);
  const first = offset === 0 ? list.rows(size + 1, 0) : undefined;
  const total =
    source.withoutTotals === true ? Number.POSITIVE_INFINITY : (wholeLength(first, size) ?? list.count(COUNT_CAP + 1));
  const counted = total <= COUNT_CAP;
  const rows = first ?? (counted && offset >= total ? [] : list.rows(size + 1, offset));
  const items = rows.slice(0, size).map(present);
  const lastPage = Math.max(Math.ceil(total / size), 1);
  const isInside = items.length > 0;
  const next = rows.length > size ? page + 1 : undefined;
  const previous = page > 1 && isInside ? page - 1 : undefined;
  const links = pageLinks(source, { prev: previous, next, first: 1, last: counted ? lastPage : undefined });
  return jsonResponse(200, items, {
    'X-Per-Page': String(size),
    'X-Page': String(page),
    'X-Next-Page': next === undefined ? '' : String(next),
    'X-Prev-Page': previous === undefined ? '' : String(previous),
    ...(links === '' ? {} : { Link: links }),
    ...(counted ? { 'X-Total': String(total), 'X-Total-Pages': String(lastPage) } : {}),
  });
}

/** Source of the rows of one page like `OffsetList`, whose rows may be read asynchronously. */
export interface SlowOffsetList<Row> {
  count(cap: number): number | Promise<number>;
  rows(limit: number, offset: number): readonly Row[] | Promise<readonly Row[]>;
}

/** Returns one page like `offsetResponse`, for rows that are read asynchronously. */
export async function readOffsetResponse<Row>(
  source: LinkSource,
  request: OffsetRequest,
  list: SlowOffsetList<Row>,
  present: (row: Row) => unknown,
): Promise<HttpResponse> {
  const { size, offset } = pageOf(request);
  const first = offset === 0 ? await list.rows(size + 1, 0) : undefined;
  const total = source.withoutTotals === true ? 0 : (wholeLength(first, size) ?? (await list.count(COUNT_CAP + 1)));
  const isBeyond = source.withoutTotals !== true && total <= COUNT_CAP && offset >= total;
  const rows = first ?? (isBeyond ? [] : await list.rows(size + 1, offset));
  return offsetResponse(source, request, { count: () => total, rows: () => rows }, present);
}

/** Returns the length of a list by its first rows, of which one more than a page was requested; undefined if there may be more. */
function wholeLength(first: readonly unknown[] | undefined, size: number): number | undefined {
  return first !== undefined && first.length <= size ? first.length : undefined;
}

function pageOf(request: OffsetRequest): { readonly page: number; readonly size: number; readonly offset: number } {
  const page = Math.max(request.page, 1);
  const size = request.per_page < 1 ? DEFAULT_PER_PAGE : Math.min(request.per_page, MAX_PER_PAGE);
  return { page, size, offset: (page - 1) * size };
}

/**
 * Maximum sizes of the `Link` header, in bytes. Clients limit the headers of a response; Node reads at most 16 KiB of them. Every link
 * repeats all parameters, so four links with long parameters could exceed that. The header has at most 8 KiB, and links are omitted in the
 * order last, first, prev. The link to the next page is never omitted, because a client would take that for the end of the list. A request
 * whose next link alone exceeds 12 KiB is refused.
 */
const MAX_LINKS = 8192;
const MAX_NEXT_LINK = 12_288;

type Relation = 'prev' | 'next' | 'first' | 'last';

/** Returns the `Link` header of an offset page for the given page numbers, or an empty string if no link is short enough. */
function pageLinks(source: LinkSource, pages: Readonly<Record<Relation, number | undefined>>): string {
  const links = new Map<Relation, string>();
  let length = 0;
  for (const rel of ['next', 'prev', 'first', 'last'] as const) {
    const page = pages[rel];
    if (page === undefined) continue;
    const url = linkUrl(source, { page });
    const link = rel === 'next' ? nextLink(url) : `<${url}>; rel="${rel}"`;
    if (rel !== 'next' && length + link.length > MAX_LINKS) break;
    links.set(rel, link);
    length += link.length + ', '.length;
  }
  const inOrder = (['prev', 'next', 'first', 'last'] as const).map((rel) => links.get(rel));
  return inOrder.filter((link) => link !== undefined).join(', ');
}

/**
 * Returns a link to the next page for the `Link` header.
 * @throws {WireFailure} 414 if the link exceeds the limits of clients.
 */
export function nextLink(url: string): string {
  const link = `<${url}>; rel="next"`;
  if (link.length > MAX_NEXT_LINK) throw nextPageTooLong(MAX_NEXT_LINK);
  return link;
}

/** Returns the URL of another page, with all parameters form-encoded in alphabetical order. */
export function linkUrl(source: LinkSource, changed: Readonly<Record<string, unknown>>): string {
  const pairs: string[] = [];
  const parameters: Readonly<Record<string, unknown>> = { ...source.linkParameters(), ...changed };
  for (const name of Object.keys(parameters).sort()) appendPairs(pairs, name, parameters[name]);
  return `${source.baseUrl}${source.path}?${pairs.join('&')}`;
}

function appendPairs(pairs: string[], name: string, value: unknown): void {
  if (value === undefined) return;
  if (Array.isArray(value)) {
    for (const item of value) appendPairs(pairs, `${name}[]`, item);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) appendPairs(pairs, `${name}[${key}]`, item);
  } else {
    pairs.push(`${formEncoded(name)}=${value === null ? '' : formEncoded(String(value))}`);
  }
}

function formEncoded(text: string): string {
  if (/^[\w.*-]*$/.test(text)) return text;
  return new URLSearchParams([['', text]]).toString().slice(1);
}

/** Start of a keyset page: the value of the order column and the id of the last row before the page. */
export interface Cursor<Value extends string | number | null = string | number> {
  readonly value: Value;
  readonly id: number;
}

/**
 * Reads an opaque cursor of a list that is ordered by `column`, whose values have one type. Only cursors exactly as sent by this server are
 * accepted.
 * @throws {WireFailure} 400 if the cursor was changed, truncated or created for another order.
 */
export function readCursor(text: string, column: string, type: 'string' | 'number'): Cursor {
  const { value, id } = readNullableCursor(text, column, type);
  return value === null ? refuseCursor(column) : { value, id };
}

/** Reads a cursor like `readCursor`, of a column whose values may be null. */
export function readNullableCursor(text: string, column: string, type: 'string' | 'number'): Cursor<string | number | null> {
  const shape = cursorShape(column, type);
  try {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.toString('base64url') !== text.replace(/=+$/, '')) throw new Error('the cursor was changed');
    const decoded: unknown = JSON.parse(bytes.toString('utf8'));
    const { [column]: value = '', id } = shape.parse(decoded);
    return { value: column === 'id' ? Number(id) : value, id: Number(id) };
  } catch {
    return refuseCursor(column);
  }
}

const cursorShapes = new Map<string, ReturnType<typeof makeCursorShape>>();

/** Cached schemas by column, because creating one costs more than reading many cursors. */
function cursorShape(column: string, type: 'string' | 'number'): ReturnType<typeof makeCursorShape> {
  const name = `${type} ${column}`;
  const shape = cursorShapes.get(name) ?? makeCursorShape(column, type);
  cursorShapes.set(name, shape);
  return shape;
}

function makeCursorShape(column: string, type: 'string' | 'number') {
  return z.strictObject({
    [column]: (type === 'string' ? z.string() : z.int()).nullable(),
    id: z.string().regex(/^[1-9]\d{0,15}$/),
    _kd: z.literal('n'),
  });
}

function refuseCursor(column: string): never {
  throw new WireFailure(
    400,
    { error: 'cursor is invalid' },
    { rule: 'pagination.cursor', reason: `the cursor does not belong to this list ordered by ${column}` },
  );
}

/** Returns the 405 for a list that does not support keyset pagination. */
export function keysetUnavailable(reason: string): WireFailure {
  const text = 'Keyset pagination is not yet available for this type of request';
  return new WireFailure(405, { error: text }, { rule: 'pagination.keyset', reason, text });
}

/** Returns the 405 for an offset that is too large for offset pagination. */
export function offsetTooDeep(type: string, limit: number): WireFailure {
  const text = `Offset pagination has a maximum allowed offset of ${limit} for requests that return objects of type ${type}. Remaining records can be retrieved using keyset pagination.`;
  return new WireFailure(
    405,
    { error: text },
    { rule: 'pagination.offset', reason: `page times per_page is greater than ${limit}`, text },
  );
}

/** Returns one keyset page. Every non-empty page has a `Link` with `rel="next"`, and no other pagination header. */
export function keysetResponse<Row>(
  source: LinkSource,
  column: string,
  rows: readonly Row[],
  cursorOf: (row: Row) => Cursor<string | number | null>,
  present: (row: Row) => unknown,
): HttpResponse {
  const last = rows.at(-1);
  if (last === undefined) return jsonResponse(200, []);
  const { value, id } = cursorOf(last);
  const cursor = Buffer.from(JSON.stringify({ [column]: value, id: String(id), _kd: 'n' })).toString('base64url');
  // The link names its form of pagination, even if that is the default.
  const next = linkUrl(source, { cursor, pagination: 'keyset', page: undefined });
  return jsonResponse(200, rows.map(present), { Link: nextLink(next) });
}

/** Number of rows per page of a keyset list. */
export function keysetSize(perPage: number): number {
  return perPage < 1 ? DEFAULT_PER_PAGE : Math.min(perPage, MAX_PER_PAGE);
}
