import { html } from 'hono/html';
import { makeDsn } from '../../../src/contract/dsn.ts';
import { clientKeysOf } from '../../clientKeys/clientKeys.ts';
import type { Platform } from '../../platform.ts';
import { holdsRole, type ProjectPageRequest } from '../../projects/projects.ts';
import { ago, type Markup } from '../../web/layout.ts';

const SHOWN_KEYS = 20;

/** With what SDKs send to a project, for maintainers. */
export function keysCard(platform: Platform, { project, access, baseUrl, now }: ProjectPageRequest): Markup | string {
  if (!holdsRole(access, 'maintainer')) return '';
  const keys = clientKeysOf(platform, project.id, SHOWN_KEYS + 1);
  return html`<section class="card event" aria-labelledby="keys">
<h2 id="keys">Client keys</h2>
${
  keys.length === 0
    ? html`<p>There is none, and nothing can be sent here without one. Create it with <code>POST /api/v4/projects/${project.id}/error_tracking/client_keys</code>, or in the view Tracked Errors of Signalbox in VS Code.</p>`
    : html`<p class="muted">The SDK of a program sends here with the DSN of a key.</p>
<ul class="rows">${keys.slice(0, SHOWN_KEYS).map(
        ({ public_key: publicKey, active, created_at: at }) =>
          html`<li><div><p><code>${makeDsn(baseUrl, publicKey, project.id)}</code></p>
<p class="muted small">made ${ago(at, now)}${active === 1 ? '' : html` <span class="badge">not active</span>`}</p></div></li>`,
      )}</ul>`
}
${keys.length > SHOWN_KEYS ? html`<p class="muted">There are more than ${SHOWN_KEYS}; these are the oldest.</p>` : ''}
</section>`;
}
