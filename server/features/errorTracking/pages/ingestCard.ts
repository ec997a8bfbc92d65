import type { TrackingCore } from '../trackingCore.ts';
import { html } from 'hono/html';
import { RETENTION_DAYS } from '../../../core/retention.ts';
import { ago, type Markup } from '../../../web/layout.ts';
import { ingestReport, codeNamed, type LastRefused } from '../receive/ingestReport.ts';
import type { IngestStatsRow } from '../receive/ingestStatsStore.ts';
import type { RefusalCode } from '../receive/ingestRefusal.ts';
import { shortened } from '../../../web/shownText.ts';
import { streamAddress } from './settingsCard.ts';
import { streamProject } from '../receive/localStream.ts';

const refusalLabels: Readonly<Record<RefusalCode, string>> = {
  no_project: 'project not found',
  tracking_off: 'error tracking off',
  no_key: 'no client key',
  unknown_key: 'unknown client key',
  inactive_key: 'inactive client key',
  foreign_key: 'client key of another project',
  limit: 'rate limit exceeded',
  malformed: 'malformed envelope or event',
  too_large: 'too large',
  encoding: 'unsupported content encoding',
  method: 'method not allowed',
  not_local: 'stream request from outside this machine',
  database_unwritable: 'database not writable',
  busy: 'server busy',
  database_full: 'database full',
};

/** Card with the data that SDKs sent to a project and its outcome, to find out why errors are missing. */
export function ingestCard(core: TrackingCore, projectId: number, baseUrl: string, now: number): Markup {
  const { counts, lastRefused } = ingestReport(core, projectId);
  const rows = [
    ...metadata('Accepted', counts.accepted, ({ name }) => name),
    ...metadata('Duplicates', counts.repeated, ({ name }) => name),
    ...metadata('Unsupported types', counts.ignored, ({ name }) => name),
    ...metadata('Dropped', counts.dropped, ({ name }) => name),
    ...metadata('Discarded by SDKs', counts.discarded, ({ name, category }) => `${category}: ${name}`),
    ...metadata('Rejected requests', counts.refused, ({ name }) => {
      const code = codeNamed(name);
      return code === undefined ? name : refusalLabels[code];
    }),
  ];
  return html`<section class="card event" aria-labelledby="received">
<h2 id="received">Received data</h2>
${
  rows.length === 0
    ? html`<p class="muted">No data received in the last ${RETENTION_DAYS} days.</p>`
    : html`<p class="muted">Items and requests from SDKs in the last ${RETENTION_DAYS} days.</p><dl class="facts">${rows}</dl>`
}
${lastRefused === undefined ? '' : formatRefused(lastRefused, now)}
${
  streamProject(core) === projectId
    ? html`<p>SDKs on this machine can send events to this project without a client key: set their option <code>spotlight</code> to <code>${streamAddress(baseUrl)}</code>.</p>`
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
  return html`<h3>Last rejected request</h3>
<dl class="facts">
<dt>Time</dt><dd>${ago(at, now)}</dd>
<dt>Response</dt><dd>${status}: ${shortened(reason)}</dd>
<dt>Solution</dt><dd>${passes}</dd>
<dt>Endpoint</dt><dd>${endpoint}</dd>
${key === null ? '' : html`<dt>Client key</dt><dd><code>${shortened(key)}</code></dd>`}
${client === null ? '' : html`<dt>SDK</dt><dd>${shortened(client)}</dd>`}
</dl>`;
}
