import { html } from 'hono/html';
import { scopeDescriptions } from '../identity/identity.ts';
import type { Markup } from '../web/layout.ts';

/** What scopes allow, in words, for the pages on which people decide. */
export function scopeList(scopes: readonly string[]): Markup {
  return html`<ul class="scopes">${scopes.map(
    (scope) => html`<li>${scopeDescriptions[scope] ?? scope} <span class="badge mono">${scope}</span></li>`,
  )}</ul>`;
}
