import { html } from 'hono/html';
import { makeDsn } from '../../../../src/contract/dsn.ts';
import { type ClientKey, clientKeysOf } from '../../clientKeys/clientKeys.ts';
import { holdsRole } from '../../abilities/abilities.ts';
import type { ProjectPageRequest } from '../../projectAccess/projectAccess.ts';
import { DAY } from '../../../core/clock.ts';
import { ago, type Markup } from '../../../web/layout.ts';
import { shortened } from '../../../web/shownText.ts';
import { type KeyUsage, keyUsage } from '../receive/keyUseRoutes.ts';
import type { ProgramRow } from '../receive/keyUseStore.ts';
import type { TrackingCore } from '../trackingCore.ts';

const SHOWN_KEYS = 20;
const SHOWN_PROGRAMS = 10;

/** Card with the client keys of a project and their use, for maintainers. */
export function keysCard(core: TrackingCore, { project, access, baseUrl, now }: ProjectPageRequest): Markup | string {
  if (!holdsRole(access, 'maintainer')) return '';
  const keys = clientKeysOf(core, project.id, SHOWN_KEYS + 1);
  return html`<section class="card event" aria-labelledby="keys">
<h2 id="keys">Client keys</h2>
${
  keys.length === 0
    ? html`<p>No client keys yet. SDKs need one to send errors. Create it with <code>POST /api/v4/projects/${project.id}/error_tracking/client_keys</code>, or in the view <strong>Tracked Errors</strong> of Signalbox in VS Code.</p>`
    : html`<p class="muted">SDKs send errors to the DSN of a client key.</p>
<ul class="rows">${keys.slice(0, SHOWN_KEYS).map((key) => keyItem(key, keyUsage(core, key.id), baseUrl, now))}</ul>`
}
${keys.length > SHOWN_KEYS ? html`<p class="muted">Only the ${SHOWN_KEYS} oldest client keys are shown.</p>` : ''}
</section>`;
}

function keyItem(
  { public_key: publicKey, project_id: projectId, active, created_at: createdAt }: ClientKey,
  { state, days, programs }: KeyUsage,
  baseUrl: string,
  now: number,
): Markup {
  const today = days.find(({ day }) => day === Math.floor(now / DAY))?.events ?? 0;
  const total = days.reduce((sum, { events }) => sum + events, 0);
  return html`<li><div><p><code>${makeDsn(baseUrl, publicKey, projectId)}</code></p>
<p class="muted small">Created ${ago(createdAt, now)}${active === 1 ? '' : html` <span class="badge">inactive</span>`}, ${
    state?.used_at === undefined || state.used_at === null ? 'never used' : html`last used ${ago(state.used_at, now)}`
  }${total === 0 ? '' : html`, ${today} ${today === 1 ? 'event' : 'events'} today, ${total} in 90 days`}</p>
${lastRefusal(state, now)}${programs.length === 0 ? '' : programList(programs, now)}</div></li>`;
}

function lastRefusal(state: KeyUsage['state'], now: number): Markup | string {
  if (state === undefined || state.refused_at === null) return '';
  const { refused_at: at, refused_status: status, refused_reason: reason } = state;
  return html`<p class="small">Last rejected ${ago(at, now)} with ${status}: ${shortened(reason ?? '')}</p>`;
}

function programList(programs: readonly ProgramRow[], now: number): Markup {
  return html`<details><summary class="small">Programs that use this key</summary>
<dl class="facts">${programs
    .slice(0, SHOWN_PROGRAMS)
    .map(
      ({ release_version: release, server_name: server, sdk, events, last_at: at }) =>
        html`<dt>${shortened(release === '' ? 'no release' : release)}</dt><dd><span class="line">${[server, sdk]
          .filter((text) => text !== '')
          .map(
            (text) => html`${shortened(text)} `,
          )}<span class="muted">${events} ${events === 1 ? 'event' : 'events'}, last ${ago(at, now)}</span></span></dd>`,
    )}</dl>
${programs.length > SHOWN_PROGRAMS ? html`<p class="muted small">Only the ${SHOWN_PROGRAMS} programs that sent last are shown.</p>` : ''}
</details>`;
}
