import { html } from 'hono/html';
import { deprecationOf, isDeprecationId } from '../../../src/contract/deprecations.ts';
import { notFound } from '../../http/failures.ts';
import type { Route } from '../../http/route.ts';
import type { Platform } from '../../platform.ts';
import { pageRoute } from '../../web/route.ts';

const metadata = { specRef: 'Deprecations', status: 'local' } as const;

/** Returns the routes of the pages of deprecations. */
export function deprecationPages(platform: Platform): Route[] {
  return [
    pageRoute(platform, { ...metadata, method: 'GET', path: '/help/deprecations/:id' }, ({ pathParameters: { id = '' } }) => {
      if (!isDeprecationId(id)) throw notFound('Page');
      const { kind, items, announcedIn, removedIn, replacement, note } = deprecationOf(id);
      return {
        title: 'Deprecation',
        body: html`<div class="card">
<dl class="facts">
<dt>Kind</dt><dd>${kind}</dd>
<dt>Elements</dt><dd>${items.map((item) => html`<code>${item}</code> `)}</dd>
<dt>Announced in</dt><dd>${announcedIn}</dd>
<dt>Removed in</dt><dd>${removedIn ?? 'no longer planned'}</dd>
<dt>Replacement</dt><dd>${replacement}.</dd>
${note === undefined ? '' : html`<dt>Note</dt><dd>${note}.</dd>`}
</dl>
</div>`,
      };
    }),
  ];
}
