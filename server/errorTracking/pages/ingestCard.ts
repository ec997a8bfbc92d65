import { html } from 'hono/html';
import type { Platform } from '../../platform.ts';
import { ago, type Markup } from '../../web/layout.ts';
import { ingestReport, codeNamed, type LastRefused } from '../ingestStats/ingestReport.ts';
import type { IngestStatsRow } from '../ingestStats/ingestStatsStore.ts';
import type { RefusalCode } from '../wire/ingestRefusal.ts';
import { shortened } from '../../web/shownText.ts';
import { streamAddress } from './settingsCard.ts';
import { streamProject } from '../ingest/spotlight.ts';

const refusalLabels: Readonly<Record<RefusalCode, string>> = {
  no_project: 'no such project',
  tracking_off: 'error tracking was off',
  no_key: 'without a client key',
  unknown_key: 'with a client key that nobody has',
  inactive_key: 'with a client key that is not active',
  foreign_key: 'with a client key of another project',
  limit: 'beyond the limit of requests within a minute',
  malformed: 'neither an envelope nor an event',
  too_large: 'too large',
  encoding: 'compressed in a way that is not known',
  method: 'with another method than POST',
  not_local: 'to the stream, and not from this machine',
  database_unwritable: 'while the database could not be written',
  busy: 'while the server was reading too many requests',
  database_full: 'while the database was full',
};

/** What SDKs have sent to a project and what became of it, for whoever wonders why nothing is there. */
export function ingestCard(platform: Platform, projectId: number, baseUrl: string, now: number): Markup {
  const { counts, lastRefused } = ingestReport(platform, projectId);
  const rows = [
    ...metadata('Accepted', counts.accepted, ({ name }) => name),
    ...metadata('Sent again', counts.repeated, ({ name }) => name),
    ...metadata('Of no use here', counts.ignored, ({ name }) => name),
    ...metadata('Not taken', counts.dropped, ({ name }) => name),
    ...metadata('Dropped by SDKs', counts.discarded, ({ name, category }) => `${category}: ${name}`),
    ...metadata('Refused requests', counts.refused, ({ name }) => {
      const code = codeNamed(name);
      return code === undefined ? name : refusalLabels[code];
    }),
  ];
  return html`<section class="card event" aria-labelledby="arrivals">
<h2 id="arrivals">What arrived</h2>
${
  rows.length === 0
    ? html`<p class="muted">Nothing within the last 90 days.</p>`
    : html`<p class="muted">Items and requests of SDKs within the last 90 days.</p><dl class="facts">${rows}</dl>`
}
${lastRefused === undefined ? '' : formatRefused(lastRefused, now)}
${
  streamProject(platform) === projectId
    ? html`<p>SDKs on this machine whose option <code>spotlight</code> is <code>${streamAddress(baseUrl)}</code> send here without a client key.</p>`
    : ''
}
</section>`;
}

function metadata(name: string, rows: readonly IngestStatsRow[], messageOf: (row: IngestStatsRow) => string): Markup[] {
  if (rows.length === 0) return [];
  return [
    html`<dt>${name}</dt><dd>${rows.map(
      (row) => html`<span class="line">${shortened(messageOf(row))} <span class="muted">${row.quantity}</span></span>`,
    )}</dd>`,
  ];
}

function formatRefused({ at, status, reason, passes, key_start: key, client, endpoint }: LastRefused, now: number): Markup {
  return html`<h3>Last refused request</h3>
<dl class="facts">
<dt>When</dt><dd>${ago(at, now)}</dd>
<dt>Answer</dt><dd>${status}: ${shortened(reason)}</dd>
<dt>What passes</dt><dd>${passes}</dd>
<dt>Sent to</dt><dd>${endpoint}</dd>
${key === null ? '' : html`<dt>Client key</dt><dd><code>${shortened(key)}</code></dd>`}
${client === null ? '' : html`<dt>SDK</dt><dd>${shortened(client)}</dd>`}
</dl>`;
}
