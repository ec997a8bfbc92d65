import { html } from 'hono/html';
import { makeDsn } from '../../../../src/contract/dsn.ts';
import { clientKeysOf } from '../../clientKeys/clientKeys.ts';
import type { Core } from '../../../core/core.ts';
import { holdsRole, type ProjectPageRequest } from '../../projects/projects.ts';
import { ago, type Markup } from '../../../web/layout.ts';

const SHOWN_KEYS = 20;

/** Card with the client keys of a project, for maintainers. */
export function keysCard(core: Core, { project, access, baseUrl, now }: ProjectPageRequest): Markup | string {
  if (!holdsRole(access, 'maintainer')) return '';
  const keys = clientKeysOf(core, project.id, SHOWN_KEYS + 1);
  return html`<section class="card event" aria-labelledby="keys">
<h2 id="keys">Client keys</h2>
${
  keys.length === 0
    ? html`<p>No client keys yet. SDKs need one to send errors. Create it with <code>POST /api/v4/projects/${project.id}/error_tracking/client_keys</code>, or in the view <strong>Tracked Errors</strong> of Signalbox in VS Code.</p>`
    : html`<p class="muted">SDKs send errors to the DSN of a client key.</p>
<ul class="rows">${keys.slice(0, SHOWN_KEYS).map(
        ({ public_key: publicKey, active, created_at: at }) =>
          html`<li><div><p><code>${makeDsn(baseUrl, publicKey, project.id)}</code></p>
<p class="muted small">Created ${ago(at, now)}${active === 1 ? '' : html` <span class="badge">inactive</span>`}</p></div></li>`,
      )}</ul>`
}
${keys.length > SHOWN_KEYS ? html`<p class="muted">Only the ${SHOWN_KEYS} oldest client keys are shown.</p>` : ''}
</section>`;
}
