import { html } from 'hono/html';
import { scopeDescriptions } from '../identity/identity.ts';
import type { Markup } from '../../web/layout.ts';

/** Returns the scopes with their descriptions, for the consent pages. */
export function scopeList(scopes: readonly string[]): Markup {
  return html`<ul class="scopes">${scopes.map(
    (scope) => html`<li>${scopeDescriptions[scope] ?? scope} <span class="badge mono">${scope}</span></li>`,
  )}</ul>`;
}
