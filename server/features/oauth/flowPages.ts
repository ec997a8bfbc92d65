import type { OAuthCore } from './oauthCore.ts';
import { html } from 'hono/html';
import {
  type Flow,
  type FlowGrant,
  type FlowOutcome,
  type FlowStep,
  type FlowSummary,
  type FlowVerdict,
} from '../../../src/contract/oauthFlows.ts';
import { SECOND } from '../../core/clock.ts';
import { forbidden } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { isAdministrator } from '../../core/caller.ts';
import { isAvailable } from '../../core/profile.ts';
import { ago, type Markup, notice, type PageContent } from '../../web/layout.ts';
import { personPageRoute, type SignedInPageRequest } from '../../web/route.ts';

const address = '/_local/oauth';
const metadata = { method: 'GET', specRef: 'Local control', status: 'local' } as const;

/** Pages of the OAuth flows, for administrators: the list, and each flow request by request. */
export function flowPages(core: OAuthCore): Route[] {
  return [
    personPageRoute({ path: address, ...metadata }, (request) => showFlows(core, request)),
    personPageRoute({ path: `${address}/:id`, ...metadata }, (request) => showFlow(core, request)),
  ];
}

function showFlows({ flows, profile }: OAuthCore, request: SignedInPageRequest): PageContent {
  demandAdministrator(request);
  return listContent(flows.list(request.now), request, isAvailable({ addedIn: '17.1' }, profile));
}

function showFlow({ flows }: OAuthCore, request: SignedInPageRequest): PageContent {
  demandAdministrator(request);
  const flow = flows.get(request.pathParameters['id'] ?? '', request.now);
  if (flow !== undefined) return flowContent(flow, request.now);
  request.context.noteRefusal('flow.kept', 'no flow has this ID; it was replaced by newer ones, or the server was restarted');
  return goneContent();
}

function demandAdministrator({ caller }: SignedInPageRequest): void {
  if (!isAdministrator(caller)) throw forbidden(undefined, 'only administrators can see OAuth flows', 'role.administrator');
}

const grantLabels: Readonly<Record<FlowGrant, string>> = {
  authorization_code: 'Authorization code',
  authorization_code_pkce: 'Authorization code with PKCE',
  device_code: 'Device code',
  password: 'Password',
  client_credentials: 'Client credentials',
  refresh_token: 'Refresh token',
  unknown: 'Unknown grant type',
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
<p class="muted">Recent OAuth flows on this server, newest first. The latest 100 are kept until the server stops. Secrets are never stored.</p>
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
<p>No OAuth requests since the server was started.</p>
<p>Register an application at <a href="/user_settings/applications">Applications</a>, configure it with the endpoints below, and sign in with it. Each of its requests is then listed here, with the checks that it passed and the reason for any refusal.</p>
<dl class="facts">
<dt>Authorization</dt><dd class="mono">${baseUrl}/oauth/authorize</dd>
<dt>Token</dt><dd class="mono">${baseUrl}/oauth/token</dd>
${hasDevices ? html`<dt>Device authorization</dt><dd class="mono">${baseUrl}/oauth/authorize_device</dd>` : ''}
<dt>Discovery</dt><dd class="mono">${baseUrl}/.well-known/openid-configuration</dd>
</dl>
<div class="actions start"><a class="button second" href="${address}">Reload</a></div>
</div>`;
}

function goneContent(): PageContent {
  return {
    title: 'Flow not found',
    status: 404,
    body: html`<div class="card">
${notice('info', 'Only the latest 100 flows are kept, until the server stops.')}
<p><a href="${address}">Show all flows</a></p>
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
<dt>User</dt><dd>${person === null ? 'Not known yet' : `@${person}`}</dd>
<dt>Started</dt><dd>${ago(started, now)}</dd>
</dl>
<div class="actions start"><a class="button second" href="${address}/${flow.id}">Reload</a><a class="button second" href="${address}">All flows</a></div>
</div>
<ol class="steps">
${flow.steps.map((step, index) => html`${index === FIRST && flow.steps_left_out > 0 ? leftOut(flow.steps_left_out) : ''}${stepItem(step, started)}`)}
</ol>`,
  };
}

/** Number of steps before the gap in a long flow. */
const FIRST = 10;

function leftOut(count: number): Markup {
  return html`<li class="card"><p class="muted">${count === 1 ? '1 step' : `${count} steps`} omitted</p></li>`;
}

function stepItem(step: FlowStep, started: number): Markup {
  const { refusal, difference, warnings, parameters, checks, status } = step;
  const after = ((Date.parse(step.at) - started) / SECOND).toFixed(1);
  return html`<li class="card step ${step.verdict}">
<div><h2>${step.title} ${step.count > 1 ? html`<span class="badge">${step.count} times</span>` : ''} ${verdictBadge(step.verdict)}</h2>
<p class="muted small"><code>${step.method} ${step.path}</code>${status === 0 ? '' : ` · ${status}`} &middot; <time datetime="${step.at}" title="${step.at}">+${after} s</time>${formatIntervals(step)}</p></div>
<p>${step.result}</p>
${refusal === null ? '' : notice('warning', refusal.reason)}
${difference === null ? '' : differenceList(difference)}
${warnings.map((warning) => notice('warning', warning))}
${checks.length === 0 ? '' : html`<ul class="checks">${checks.map((check) => checkItem(check))}</ul>`}
${
  parameters.length === 0
    ? ''
    : html`<details><summary>Parameters</summary><dl class="facts small">${parameters.map(
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

/** Returns the two texts below each other, with the first differing character marked. */
function differenceList({ sent, expected, at }: NonNullable<FlowStep['difference']>): Markup {
  return html`<dl class="difference">
<dt>Sent</dt><dd class="mono">${marked(sent, at)}</dd>
<dt>Expected</dt><dd class="mono">${marked(expected, at)}</dd>
</dl>`;
}

function marked(text: string, at: number): Markup {
  const character = text.slice(at - 1, at);
  if (character === '') return html`${text}<mark class="end">end of text</mark>`;
  return html`${text.slice(0, at - 1)}<mark>${character}</mark>${text.slice(at)}`;
}

function outcomeBadge(outcome: FlowOutcome): Markup {
  return html`<span class="badge ${outcome}">${outcomeLabels[outcome]}</span>`;
}

function verdictBadge(verdict: FlowVerdict): Markup | string {
  return verdict === 'passed' ? '' : html`<span class="badge ${verdict}">${verdict}</span>`;
}
