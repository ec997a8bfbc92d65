import { html } from 'hono/html';
import type { Markup } from './layout.ts';
import type { PageRequest } from './route.ts';

/** Further than this no page of a list is asked for. */
const LAST_PAGE = 100_000;

/** Which page of a list a person asked for, from 1 on. */
export function pageNumber({ query }: Pick<PageRequest, 'query'>): number {
  const text = query.get('page') ?? '';
  return /^\d{1,6}$/.test(text) ? Math.min(Math.max(Number(text), 1), LAST_PAGE) : 1;
}

/** Links to the pages around one; nothing where there is only one. `address` is that of the list, without a query. */
export function pager(address: string, page: number, hasMore: boolean): Markup | string {
  if (page === 1 && !hasMore) return '';
  return html`<nav class="actions start" aria-label="Pages">
${page === 1 ? '' : html`<a class="button second" rel="prev" href="${address}?page=${page - 1}">Previous page</a>`}
${hasMore ? html`<a class="button second" rel="next" href="${address}?page=${page + 1}">Next page</a>` : ''}
</nav>`;
}
