import { html } from 'hono/html';
import type { Markup } from './layout.ts';
import type { PageRequest } from './route.ts';

/** Maximum page number of a list. */
const LAST_PAGE = 100_000;

/** Returns the requested page number, starting at 1. */
export function pageNumber({ query }: Pick<PageRequest, 'query'>): number {
  const text = query.get('page') ?? '';
  return /^\d{1,6}$/.test(text) ? Math.min(Math.max(Number(text), 1), LAST_PAGE) : 1;
}

/**
 * Returns links to the previous and next page, or nothing if there is only one page.
 * @param address URL of the list without a query.
 * @param filters Other parameters of the query.
 */
export function pager(
  address: string,
  page: number,
  hasMore: boolean,
  filters: Readonly<Record<string, string>> = {},
): Markup | string {
  if (page === 1 && !hasMore) return '';
  const to = (number: number): string => `${address}?${new URLSearchParams({ ...filters, page: String(number) }).toString()}`;
  return html`<nav class="actions start" aria-label="Pages">
${page === 1 ? '' : html`<a class="button second" rel="prev" href="${to(page - 1)}">Previous page</a>`}
${hasMore ? html`<a class="button second" rel="next" href="${to(page + 1)}">Next page</a>` : ''}
</nav>`;
}
