import { html } from 'hono/html';
import { scopeDescription } from '../../../src/contract/scopes.ts';
import { checkBoxes, type Markup } from '../../web/layout.ts';

/** Returns the scopes with their descriptions, for the consent pages. */
export function scopeList(scopes: readonly string[]): Markup {
  return html`<ul class="scopes">${scopes.map((scope) => html`<li>${scopeLabel(scope)}</li>`)}</ul>`;
}

/** Returns the names of the scopes of a token or an application, for lists. */
export function scopeBadges(scopes: string): readonly Markup[] {
  return scopes.split(' ').map((scope) => scopeBadge(scope));
}

/** Returns the fields of a form in which users choose scopes. */
export function scopeBoxes(
  legend: string,
  choice: { readonly offered: readonly string[]; readonly chosen: readonly string[]; readonly error: string | undefined },
): Markup {
  return checkBoxes({
    name: 'scopes',
    legend,
    error: choice.error,
    choices: choice.offered.map((scope) => ({
      name: fieldName(scope),
      label: scopeLabel(scope),
      checked: choice.chosen.includes(scope),
    })),
  });
}

/** Returns the chosen scopes of a sent form. */
export function chosenScopes(form: URLSearchParams, offered: readonly string[]): readonly string[] {
  return offered.filter((scope) => form.get(fieldName(scope)) === '1');
}

function fieldName(scope: string): string {
  return `scopes[${scope}]`;
}

function scopeLabel(scope: string): Markup {
  return html`${scopeDescription(scope)} ${scopeBadge(scope)}`;
}

function scopeBadge(scope: string): Markup {
  return html`<span class="badge mono">${scope}</span>`;
}
