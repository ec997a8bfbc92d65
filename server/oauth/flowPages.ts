import { html } from 'hono/html';
import {
  type Flow,
  type FlowGrant,
  type FlowOutcome,
  type FlowStep,
  type FlowSummary,
  type FlowVerdict,
} from '../../src/contract/oauthFlows.ts';
import { SECOND } from '../clock.ts';
import { forbidden } from '../http/failures.ts';
import type { Route } from '../http/route.ts';
import { isAdministrator } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { isAvailable } from '../profile.ts';
import { ago, type Markup, notice, type PageContent } from '../web/layout.ts';
import { personPageRoute, type SignedInPageRequest } from '../web/route.ts';

const address = '/_local/oauth';
const metadata = { method: 'GET', specRef: 'Local control', status: 'local' } as const;

/** What OAuth clients of this server did, for administrators: a list of flows, and each of them request by request. */
export function flowPages(platform: Platform): Route[] {
  const { flows } = platform;
  return [
    personPageRoute(platform, { path: address, ...metadata }, (request) => {
      demandAdministrator(request);
      return listContent(flows.list(request.now), request, isAvailable({ addedIn: '17.1' }, platform.profile));
    }),

    personPageRoute(platform, { path: `${address}/:id`, ...metadata }, (request) => {
      demandAdministrator(request);
      const flow = flows.get(request.pathParameters['id'] ?? '', request.now);
      if (flow !== undefined) return flowContent(flow, request.now);
      request.context.noteRefusal(
        'flow.kept',
        'no flow has this id; newer ones have taken its place, or the server was started again',
      );
      return goneContent();
    }),
  ];
}

function demandAdministrator({ caller }: SignedInPageRequest): void {
  if (!isAdministrator(caller))
    throw forbidden(undefined, 'only administrators see what OAuth clients did', 'role.administrator');
}

const grantLabels: Readonly<Record<FlowGrant, string>> = {
  authorization_code: 'Authorization code',
  authorization_code_pkce: 'Authorization code with PKCE',
  device_code: 'Device code',
  password: 'Password',
  client_credentials: 'Client credentials',
  refresh_token: 'Refresh token',
  unknown: 'Unknown grant',
};

const outcomeLabels: Readonly<Record<FlowOutcome, string>> = {
  waiting: 'waiting',
  completed: 'completed',
  refused: 'refused',
  expired: 'expired',
  denied: 'denied',
  revoked: 'revoked',
};

function formatClient({ application, client_id }: FlowSummary): string {
  return application?.name ?? (client_id === null ? 'No application' : `Unknown client ${client_id}`);
}

function listContent(list: readonly FlowSummary[], request: SignedInPageRequest, hasDevices: boolean): PageContent {
  return {
    title: 'OAuth flows',
    width: 'wide',
    body:
      list.length === 0
        ? emptyCard(request, hasDevices)
        : html`<div class="card">
<p class="muted">What OAuth clients did on this server, newest first. The latest 100 are kept while the server runs; secrets are not among what is kept.</p>
<ul class="rows">${list.map((flow) => flowItem(flow, request.now))}</ul>
<div class="actions start"><a class="button second" href="${address}">Reload</a></div>
</div>`,
  };
}

function flowItem(flow: FlowSummary, now: number): Markup {
  const { person, reason } = flow;
  return html`<li><p><a href="${address}/${flow.id}">${formatClient(flow)}</a> ${outcomeBadge(flow.outcome)}</p>
<p class="muted small">${grantLabels[flow.grant]}${person === null ? '' : ` · @${person}`} &middot; ${ago(Date.parse(flow.started_at), now)}</p>
${reason === null ? '' : html`<p class="small">${reason}</p>`}</li>`;
}

function emptyCard({ baseUrl }: SignedInPageRequest, hasDevices: boolean): Markup {
  return html`<div class="card">
<p>No OAuth client has asked this server for anything since it was started.</p>
<p>Register an application at <a href="/user_settings/applications">Applications</a>, have it use the addresses below, and let it sign somebody in. Each of its requests is then listed here with every check that it passed, and what would have passed where it was refused.</p>
<dl class="facts">
<dt>Authorize</dt><dd class="mono">${baseUrl}/oauth/authorize</dd>
<dt>Token</dt><dd class="mono">${baseUrl}/oauth/token</dd>
${hasDevices ? html`<dt>Device</dt><dd class="mono">${baseUrl}/oauth/authorize_device</dd>` : ''}
<dt>Metadata</dt><dd class="mono">${baseUrl}/.well-known/openid-configuration</dd>
</dl>
<div class="actions start"><a class="button second" href="${address}">Reload</a></div>
</div>`;
}

function goneContent(): PageContent {
  return {
    title: 'This flow is no longer there',
    status: 404,
    body: html`<div class="card">
${notice('info', 'The latest 100 flows are kept, and only while the server runs.')}
<p><a href="${address}">See the flows that are there</a></p>
</div>`,
  };
}

function flowContent(flow: Flow, now: number): PageContent {
  const started = Date.parse(flow.started_at);
  const { application, person } = flow;
  return {
    title: formatClient(flow),
    width: 'wide',
    body: html`<div class="card">
<p>${outcomeBadge(flow.outcome)}</p>
<dl class="facts">
<dt>Grant</dt><dd>${grantLabels[flow.grant]}</dd>
${application === null ? '' : html`<dt>Application ID</dt><dd class="mono">${application.client_id}</dd>`}
<dt>Person</dt><dd>${person === null ? 'not known yet' : `@${person}`}</dd>
<dt>Started</dt><dd>${ago(started, now)}</dd>
</dl>
<div class="actions start"><a class="button second" href="${address}/${flow.id}">Reload</a><a class="button second" href="${address}">All flows</a></div>
</div>
<ol class="steps">
${flow.steps.map((step, index) => html`${index === FIRST && flow.steps_left_out > 0 ? leftOut(flow.steps_left_out) : ''}${stepItem(step, started)}`)}
</ol>`,
  };
}

/** Steps are left out behind the first ones. */
const FIRST = 10;

function leftOut(count: number): Markup {
  return html`<li class="card"><p class="muted">${count === 1 ? 'One step' : `${count} steps`} in between are no longer kept.</p></li>`;
}

function stepItem(step: FlowStep, started: number): Markup {
  const { refusal, difference, parameters, checks, status } = step;
  const after = ((Date.parse(step.at) - started) / SECOND).toFixed(1);
  return html`<li class="card step ${step.verdict}">
<div><h2>${step.title} ${step.count > 1 ? html`<span class="badge">${step.count} times</span>` : ''} ${verdictBadge(step.verdict)}</h2>
<p class="muted small"><code>${step.method} ${step.path}</code>${status === 0 ? '' : ` · ${status}`} &middot; <time datetime="${step.at}" title="${step.at}">${after} s after the start</time>${formatIntervals(step)}</p></div>
<p>${step.result}</p>
${refusal === null ? '' : notice('warning', refusal.reason)}
${difference === null ? '' : differenceList(difference)}
${checks.length === 0 ? '' : html`<ul class="checks">${checks.map((check) => checkItem(check))}</ul>`}
${
  parameters.length === 0
    ? ''
    : html`<details><summary>What was sent</summary><dl class="facts small">${parameters.map(
        ({ name, value }) => html`<dt class="mono">${name}</dt><dd class="mono">${value}</dd>`,
      )}</dl></details>`
}
</li>`;
}

function formatIntervals({ intervals }: FlowStep): string {
  if (intervals === null) return '';
  const [shortest, longest] = intervals;
  return shortest === longest ? ` · every ${shortest} s` : ` · every ${shortest} to ${longest} s`;
}

const marks: Readonly<Record<FlowVerdict, readonly [mark: string, spoken: string]>> = {
  passed: ['✓', 'Passed: '],
  waiting: ['…', 'Waiting: '],
  refused: ['✗', 'Refused: '],
};

function checkItem({ verdict, words: text }: FlowStep['checks'][number]): Markup {
  const [mark, spoken] = marks[verdict];
  return html`<li class="${verdict}"><span class="mark" aria-hidden="true">${mark}</span><span><span class="hidden">${spoken}</span>${text}</span></li>`;
}

/** The two texts under each other, with the first character in which they part. */
function differenceList({ sent, expected, at }: NonNullable<FlowStep['difference']>): Markup {
  return html`<dl class="difference">
<dt>Sent</dt><dd class="mono">${marked(sent, at)}</dd>
<dt>Would have passed</dt><dd class="mono">${marked(expected, at)}</dd>
</dl>`;
}

function marked(text: string, at: number): Markup {
  const character = text.slice(at - 1, at);
  if (character === '') return html`${text}<mark class="end">nothing more</mark>`;
  return html`${text.slice(0, at - 1)}<mark>${character}</mark>${text.slice(at)}`;
}

function outcomeBadge(outcome: FlowOutcome): Markup {
  return html`<span class="badge ${outcome}">${outcomeLabels[outcome]}</span>`;
}

function verdictBadge(verdict: FlowVerdict): Markup | string {
  return verdict === 'passed' ? '' : html`<span class="badge ${verdict}">${verdict}</span>`;
}
