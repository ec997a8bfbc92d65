import { html } from 'hono/html';
import { isoTime } from '../../../core/clock.ts';
import type { Markup } from '../../../web/layout.ts';

/** Pairs of the start of an hour, in seconds since 1970, and its number of events. */
export type HourCounts = readonly (readonly [seconds: number, count: number])[];

/**
 * Bar chart of events per hour, the current hour last, with a text alternative. Pages have neither inline styles nor scripts, so the
 * chart consists of SVG attributes only.
 */
export function sparkline(hours: HourCounts, size: { readonly width: number; readonly height: number }): Markup {
  const { width, height } = size;
  const highest = Math.max(...hours.map(([, count]) => count), 1);
  const step = width / Math.max(hours.length, 1);
  const total = hours.reduce((sum, [, count]) => sum + count, 0);
  const text =
    total === 0
      ? 'No events in the last 24 hours'
      : `${total} ${total === 1 ? 'event' : 'events'} in the last 24 hours, at most ${highest} per hour`;
  return html`<svg class="sparkline" role="img" aria-label="${text}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
${hours.map(([, count], index) => {
  // An hour without events is a thin line, so that the axis stays visible.
  const bar = count === 0 ? 1 : Math.max(2, (height * count) / highest);
  const x = (index * step).toFixed(1);
  return html`<rect x="${x}" y="${(height - bar).toFixed(1)}" width="${(step * 0.75).toFixed(1)}" height="${bar.toFixed(1)}" class="${count === 0 ? 'none' : ''}"/>`;
})}</svg>`;
}

/** Table of the same hours, without those that have no events. */
export function hourTable(hours: HourCounts): Markup {
  const rows = hours.filter(([, count]) => count > 0);
  if (rows.length === 0) return html`<p class="muted">No events in the last 24 hours.</p>`;
  return html`<details><summary>Events per hour</summary>
<dl class="facts">${rows.map(
    ([seconds, count]) =>
      html`<dt>${isoTime(seconds * 1000)
        .slice(0, 16)
        .replace('T', ' ')} UTC</dt><dd>${count}</dd>`,
  )}</dl>
</details>`;
}
