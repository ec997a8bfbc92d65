import { html } from 'hono/html';
import { visible } from '../../src/contract/visibleText.ts';
import type { Markup } from './layout.ts';

/** The beginning of a text on one line, for titles and lists. */
export function shortened(text: string, most = 200): string {
  const line = visible(text).replaceAll(/\s+/g, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1).toWellFormed()}…` : line;
}

/** A text with its lines. Of a long one the beginning, and all of it behind that. */
export function shownText(text: string, most = 300): Markup {
  const all = visible(text);
  if (all.length <= most) return html`<span class="typed">${all}</span>`;
  return html`<details><summary>${shortened(text, most)}</summary><pre>${all}</pre></details>`;
}

/** Anything that JSON can be: texts as they are, the rest as JSON. */
export function shownValue(value: unknown): Markup {
  if (typeof value === 'string') return shownText(value);
  const json = JSON.stringify(value, null, 1) ?? 'undefined';
  const line = shortened(json, 120);
  if (json.length <= 120) return html`<code>${line}</code>`;
  return html`<details><summary><code>${line}</code></summary><pre>${visible(json)}</pre></details>`;
}

/** Names and values under each other; nothing where there are none. */
export function shownPairs(pairs: Iterable<readonly [name: string, value: unknown]>): Markup | string {
  const rows = [...pairs].filter(([, value]) => value !== undefined && value !== null && value !== '');
  if (rows.length === 0) return '';
  return html`<dl class="facts">${rows.map(
    ([name, value]) => html`<dt>${shortened(name)}</dt><dd>${shownValue(value)}</dd>`,
  )}</dl>`;
}
