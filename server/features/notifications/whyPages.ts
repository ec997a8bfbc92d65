import { html } from 'hono/html';
import { isNotificationEvent, notificationEvents, type NotificationEvent } from '../../../src/contract/notifications.ts';
import type { RuleResult } from '../../../src/contract/notificationDecisions.ts';
import { nothingFound, isDomainError, NotFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { type Caller, isAdministrator, type User } from '../../core/caller.ts';
import { findUser, findUserByName } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import { ago, type Markup, notice, type PageContent, textField } from '../../web/layout.ts';
import { personPageRoute, type SignedInPageRequest } from '../../web/route.ts';
import type { TargetType } from './event.ts';
import {
  decisionOf,
  decisionsAfter,
  type ExplainedDecision,
  type ExplainedDecisions,
  findEvent,
  possibilityOf,
  possibleDecision,
  possibleDecisionsAfter,
  statusOf,
} from './why.ts';
import type { EventWithTarget } from './whyStore.ts';

const PATH = '/-/notifications/why';

/** Returns the page that explains who is mailed about an event that happened (`event_id`) or that might happen. */
export function whyPages(core: Core): Route[] {
  return [
    personPageRoute({ method: 'GET', path: PATH, specRef: 'Notification decisions', status: 'local' }, (request) =>
      whyContent(core, request),
    ),
  ];
}

function whyContent(core: Core, request: SignedInPageRequest): PageContent {
  const { query, caller } = request;
  const eventId = query.get('event_id') ?? '';
  if (/^\d{1,15}$/.test(eventId)) return pastContent(core, request, Number(eventId));
  const values = readForm(query, caller);
  const result = values.event === undefined ? undefined : possibleResult(core, caller, values, values.event);
  return content('Who would be mailed?', [
    form(values, caller),
    result === undefined
      ? ''
      : 'problem' in result
        ? notice('error', result.problem)
        : decisionsSection(core, result.found, `${PATH}?${query.toString()}`),
  ]);
}

function content(title: string, parts: readonly (Markup | string)[]): PageContent {
  return { title, width: 'wide', body: html`${parts}` };
}

/** The possible event that the form describes. */
interface FormValues {
  readonly event: NotificationEvent | undefined;
  /** Path of the project or group, with the number of the target: `group/project#12`, `group/project!3`, `group&4`. */
  readonly target: string;
  readonly actor: string;
  readonly user: string;
}

function readForm(query: URLSearchParams, caller: Caller): FormValues {
  const event = query.get('event');
  return {
    event: isNotificationEvent(event) ? event : undefined,
    target: (query.get('target') ?? '').trim(),
    actor: (query.get('actor') ?? '').trim(),
    user: isAdministrator(caller) ? (query.get('user') ?? '').trim() : caller.user.username,
  };
}

const targetTypes: ReadonlyMap<string | undefined, TargetType> = new Map([
  ['#', 'Issue'],
  ['!', 'MergeRequest'],
  ['&', 'Epic'],
]);

type Result = { readonly found: ExplainedDecisions } | { readonly problem: string };

/** Explains the event that the form describes. */
function possibleResult(core: Core, caller: Caller, values: FormValues, event: NotificationEvent): Result {
  const [, path = '', sign, iid] = /^([\w./-]+?)(?:([#!&])(\d{1,9}))?$/.exec(values.target) ?? [];
  if (path === '') return { problem: 'Enter the path of a project or group, such as group/project#12.' };
  const [actor, user] = [values.actor, values.user].map((name) => namedUser(core, name));
  if (actor === null) return { problem: `There is no user ${values.actor}.` };
  if (user === null) return { problem: `There is no user ${values.user}.` };
  try {
    const possibility = possibilityOf(core, caller, {
      event,
      project: path,
      group: path,
      targetType: targetTypes.get(sign) ?? (event === 'new_epic' ? 'Epic' : undefined),
      targetIid: iid === undefined ? undefined : Number(iid),
      actorId: actor?.id,
    });
    if (user === undefined) return { found: possibleDecisionsAfter(core, possibility, 0) };
    const decision = possibleDecision(core, possibility, user.id);
    return { found: { decisions: decision === undefined ? [] : [decision], next: null } };
  } catch (error) {
    if (!isDomainError(error)) throw error;
    const fits = error instanceof NotFound ? 'does not exist, or you cannot see it' : 'does not fit the event';
    return { problem: `${values.target} ${fits}.` };
  }
}

/** Returns the user with a name; undefined without a name, null if there is none. */
function namedUser(core: Core, name: string): User | null | undefined {
  return name === '' ? undefined : (findUserByName(core, name.replace(/^@/, '')) ?? null);
}

function form(values: FormValues, caller: Caller): Markup {
  return html`<form class="card" method="get" action="${PATH}">
<p class="muted">Choose an event to see who would be mailed about it, by which rule, and what would change that.</p>
<div class="field">
<label for="event">Event</label>
<select id="event" name="event">${notificationEvents.map(
    (event) => html`<option value="${event}" ${event === (values.event ?? 'new_note') ? html`selected` : ''}>${event}</option>`,
  )}</select>
</div>
${textField({
  name: 'target',
  label: 'Project or group, with the number of an issue, merge request or epic',
  value: values.target,
  hint: 'For example group/project#12, group/project!3 or group&4. Without a number: something new.',
  autocomplete: 'off',
  className: 'mono',
})}
${textField({
  name: 'actor',
  label: 'Username of whoever causes the event',
  value: values.actor,
  hint: 'Nobody in particular if it is empty.',
  autocomplete: 'off',
  optional: true,
})}
${
  isAdministrator(caller)
    ? textField({
        name: 'user',
        label: 'Username of the recipient',
        value: values.user,
        hint: 'All candidates if it is empty.',
        autocomplete: 'off',
        optional: true,
      })
    : ''
}
<div class="actions start"><button type="submit">Explain</button></div>
</form>`;
}

/** Explains an event that happened. */
function pastContent(core: Core, { query, caller, now }: SignedInPageRequest, id: number): PageContent {
  const event = findEvent(core, id, caller);
  if (event === undefined) throw nothingFound('no such event, or its target is not visible to the user');
  const named = isAdministrator(caller) ? namedUser(core, (query.get('user') ?? '').trim()) : caller.user;
  const after = /^\d{1,15}$/.test(query.get('id_after') ?? '') ? Number(query.get('id_after')) : 0;
  const found: ExplainedDecisions =
    named === undefined || named === null
      ? decisionsAfter(core, event, after)
      : { decisions: [decisionOf(core, event, named.id)], next: null };
  const status = statusOf(event);
  return content(named?.id === caller.user.id ? 'Why was I mailed, or not?' : 'Who was mailed?', [
    named === null ? notice('error', 'There is no such user. All candidates are shown.') : '',
    eventCard(core, event, now),
    status === 'pending' ? notice('info', 'Not all candidates have been decided yet.') : '',
    status === 'failed' ? notice('error', 'The candidates could not be decided, so mails are missing.') : '',
    decisionsSection(core, found, `${PATH}?event_id=${id}`),
  ]);
}

function eventCard(core: Core, event: EventWithTarget, now: number): Markup {
  const actor = event.actor_id === null ? undefined : findUser(core, event.actor_id);
  const number = event.target_iid === null ? '' : ` ${event.target_iid}`;
  return html`<div class="card">
<dl class="facts">
<dt>Event</dt><dd class="mono">${event.event}</dd>
<dt>Target</dt><dd>${event.target_type}${number}${event.target_title === null ? '' : `: ${event.target_title}`}</dd>
<dt>Caused by</dt><dd>${actor === undefined ? 'nobody in particular' : html`<a href="/${actor.username}">${actor.name}</a>`}</dd>
<dt>Time</dt><dd>${ago(event.created_at, now)}</dd>
</dl>
<div class="actions start"><a class="button second" href="${PATH}">Explain another event</a></div>
</div>`;
}

function decisionsSection(core: Core, { decisions, next }: ExplainedDecisions, address: string): Markup {
  const mailed = decisions.filter((decision) => decision.mailed).length;
  return html`<section aria-labelledby="decisions">
<h2 id="decisions" class="apart">${decisions.length === 1 ? 'Decision' : `${decisions.length} candidates, ${mailed} mailed`}</h2>
${decisions.length === 0 ? html`<p class="muted">Nobody is a candidate.</p>` : ''}
<ol class="steps">${decisions.map((decision) => decisionItem(core, decision, decisions.length === 1))}</ol>
${next === null || !address.includes('event_id=') ? '' : html`<p><a class="button second" rel="next" href="${address}&id_after=${next}">More candidates</a></p>`}
</section>`;
}

function decisionItem(core: Core, decision: ExplainedDecision, isOnly: boolean): Markup {
  const user = findUser(core, decision.userId);
  const { setting, remedies } = decision;
  return html`<li class="card step ${decision.mailed ? '' : 'refused'}">
<p class="line"><strong>${user === undefined ? 'Deleted user' : user.name}</strong>
${user === undefined ? '' : html`<a href="/${user.username}">@${user.username}</a>`}
<span class="badge ${decision.mailed ? 'passed' : 'refused'}">${decision.mailed ? 'mailed' : 'not mailed'}</span>
${decision.reason === null ? '' : html`<span class="badge">${decision.reason}</span>`}</p>
<p>${decision.text}</p>
<details ${isOnly ? html`open` : ''}><summary>Rules</summary>
<ul class="checks">${decision.rules.map(ruleItem)}</ul>
<p class="muted small">Level that applies: ${setting.level}, from ${
    setting.scope.kind === 'global' ? 'the global settings' : `the ${setting.scope.kind} ${setting.scope.path}`
  }</p>
</details>
${
  remedies.length === 0
    ? ''
    : html`<div><p class="small">${decision.mailed ? 'Each of these would stop the mail:' : 'Each of these would lead to a mail:'}</p>
<ul class="small">${remedies.map(({ text }) => html`<li>${text}</li>`)}</ul></div>`
}
</li>`;
}

function ruleItem({ rule, outcome, text }: RuleResult): Markup {
  const mark = outcome === 'refused' ? '✗' : '✓';
  return html`<li class="${outcome === 'refused' ? 'refused' : ''}"><span class="mark" aria-hidden="true">${mark}</span><span><span class="hidden">${outcome}: </span><span class="mono">${rule}</span>: ${text}</span></li>`;
}
