import { html } from 'hono/html';
import { visible } from '../../src/contract/visibleText.ts';
import type { Markup } from './layout.ts';

/** Returns the beginning of a text on one line, for titles and lists. */
export function shortened(text: string, most = 200): string {
  const line = visible(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
}

/** Shows a text with its line breaks. A long text is shortened and can be expanded. */
export function shownText(text: string, most = 300): Markup {
  const all = visible(text);
  if (all.length <= most) return html`<span class="typed">${all}</span>`;
  return html`<details><summary>${shortened(text, most)}</summary><pre>${all}</pre></details>`;
}

/** Shows a JSON value. Strings are shown as text, everything else as JSON. */
export function shownValue(value: unknown): Markup {
  if (typeof value === 'string') return shownText(value);
  const json = JSON.stringify(value, null, 1) ?? 'undefined';
  const line = shortened(json, 120);
  if (json.length <= 120) return html`<code>${line}</code>`;
  return html`<details><summary><code>${line}</code></summary><pre>${visible(json)}</pre></details>`;
}

/** Returns a list of names and values, or nothing if it would be empty. */
export function shownPairs(pairs: Iterable<readonly [name: string, value: unknown]>): Markup | string {
  const rows = [...pairs].filter(([, value]) => value !== undefined && value !== null && value !== '');
  if (rows.length === 0) return '';
  return html`<dl class="facts">${rows.map(
    ([name, value]) => html`<dt>${shortened(name)}</dt><dd>${shownValue(value)}</dd>`,
  )}</dl>`;
}
