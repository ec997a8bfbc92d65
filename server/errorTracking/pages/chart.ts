import { html } from 'hono/html';
import { isoTime } from '../../clock.ts';
import type { Markup } from '../../web/layout.ts';

/** Seconds since 1970 at which an hour begins, and its events. */
export type HourCounts = readonly (readonly [seconds: number, count: number])[];

/** Bars of hours, the running one last, as a picture with words. No page has a style or a script of its own, so it is all attributes. */
export function sparkline(hours: HourCounts, size: { readonly width: number; readonly height: number }): Markup {
  const { width, height } = size;
  const most = Math.max(...hours.map(([, count]) => count), 1);
  const step = width / Math.max(hours.length, 1);
  const total = hours.reduce((sum, [, count]) => sum + count, 0);
  const text = total === 0 ? 'no events in the last 24 hours' : `${total} in the last 24 hours, at most ${most} an hour`;
  return html`<svg class="sparkline" role="img" aria-label="${text}" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
${hours.map(([, count], index) => {
  // Hours without events keep a line, so that the axis is seen.
  const bar = count === 0 ? 1 : Math.max(2, (height * count) / most);
  const x = (index * step).toFixed(1);
  return html`<rect x="${x}" y="${(height - bar).toFixed(1)}" width="${(step * 0.75).toFixed(1)}" height="${bar.toFixed(1)}" class="${count === 0 ? 'none' : ''}"/>`;
})}</svg>`;
}

/** The same in numbers. */
export function hourTable(hours: HourCounts): Markup {
  const rows = hours.filter(([, count]) => count > 0);
  if (rows.length === 0) return html`<p class="muted">No events in the last 24 hours.</p>`;
  return html`<details><summary>Hours in numbers</summary>
<dl class="facts">${rows.map(
    ([seconds, count]) =>
      html`<dt>${isoTime(seconds * 1000)
        .slice(0, 16)
        .replace('T', ' ')} UTC</dt><dd>${count}</dd>`,
  )}</dl>
</details>`;
}
