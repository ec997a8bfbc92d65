import { html } from 'hono/html';
import { type ExceptionRelation, hasBranches, placedExceptions } from '../../../../src/contract/exceptionTree.ts';
import { isoTime } from '../../../core/clock.ts';
import type { Markup } from '../../../web/layout.ts';
import type { EventDetail } from '../read/errorDetail.ts';
import type { Breadcrumb, EventRequest, ProcessingProblem, TrackedEvent, TrackedException } from '../event/trackedEvent.ts';
import { type GroupingExplanation, whyLeftOut } from '../grouping/explainGrouping.ts';
import { treeOf } from '../grouping/exceptionMembers.ts';
import { shortened, shownPairs, shownText, shownValue } from '../../../web/shownText.ts';
import { stackMarkup } from './stackMarkup.ts';

/** Cards with all stored data of an event. The data comes from clients, so none of it becomes a link or markup. */
export function eventMarkup({ event, grouping }: EventDetail): Markup {
  return html`${failure(event)}
${card('tags', 'Tags', shownPairs(event.tags))}
${card('user', 'User', userMetadata(event))}
${card('request', 'Request', event.request === undefined ? '' : requestMetadata(event.request))}
${card('breadcrumbs', 'Breadcrumbs', breadcrumbRows(event.breadcrumbs))}
${card('application', 'Application', applicationMetadata(event))}
${card('additional', 'Additional data', additionalData(event))}
${card('grouping', 'Grouping', formatGrouping(grouping))}
${card('problems', 'Processing notes', problemRows(event.problems))}`;
}

function card(id: string, title: string, content: Markup | string): Markup | string {
  if (content === '') return '';
  return html`<section class="card event" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}
</section>`;
}

/** Cards of the caught exception, its causes, the message, the stack trace and the threads. */
function failure(event: TrackedEvent): Markup {
  const { exceptions, message, threads, frames } = event;
  const root = treeOf(exceptions);
  const placed = root === undefined ? [] : placedExceptions(root);
  return html`${card('exceptions', 'Exceptions', root === undefined || !hasBranches(root) ? '' : treeMarkup([root]))}
${placed.map(({ exception, relation }, index) => card(`exception-${index}`, relations[relation], exceptionMarkup(exception.sent, index === 0)))}
${card('message', 'Message', message === undefined ? '' : messageMarkup(message))}
${card('stack', 'Stack trace', frames.length === 0 ? '' : stackMarkup(frames, exceptions.length === 0))}
${threads
  .filter((thread) => thread.frames.length > 0)
  .map((thread, index) =>
    card(
      `thread-${index}`,
      `Thread ${shortened(thread.name ?? thread.id ?? String(index + 1), 80)}`,
      html`${thread.crashed ? html`<p class="marks"><span class="badge refused">crashed</span></p>` : ''}${stackMarkup(thread.frames, exceptions.length === 0 && thread.crashed)}`,
    ),
  )}`;
}

const relations: Readonly<Record<ExceptionRelation, string>> = {
  caught: 'Exception',
  cause: 'Caused by',
  member: 'Member of the group',
  suppressed: 'Suppressed',
};

/** Which exceptions contain or caused which. */
function treeMarkup(nodes: readonly NonNullable<ReturnType<typeof treeOf>>[]): Markup {
  return html`<ul>${nodes.map(
    ({ exception: { sent }, relation, children }) =>
      html`<li>${relation === 'caught' ? '' : html`<span class="muted small">${relations[relation]}</span> `}<strong><bdi>${shortened(sent.type ?? '(no type)', 256)}</bdi></strong> ${sent.value === undefined ? '' : html`<bdi>${shortened(sent.value, 120)}</bdi>`}${
        children.length === 0 ? '' : treeMarkup(children)
      }</li>`,
  )}</ul>`;
}

function exceptionMarkup({ type, value, module, frames, mechanism }: TrackedException, isFirst: boolean): Markup {
  return html`<div><p><strong><bdi>${shortened(type ?? '(no type)', 256)}</bdi></strong>${
    module === undefined ? '' : html` <span class="muted">in <code>${shortened(module)}</code></span>`
  }</p>
${value === undefined || value === '' ? '' : shownText(value, 600)}</div>
${
  mechanism?.handled === false || mechanism?.isExceptionGroup === true
    ? html`<p class="marks">${mechanism.handled === false ? html`<span class="badge refused">unhandled</span>` : ''}${
        mechanism.isExceptionGroup ? html`<span class="badge">exception group</span>` : ''
      }</p>`
    : ''
}
${frames.length === 0 ? html`<p class="muted">No stack trace.</p>` : stackMarkup(frames, isFirst)}`;
}

function messageMarkup({ text, template, isParameterised }: NonNullable<TrackedEvent['message']>): Markup {
  return html`<div>${shownText(text, 600)}</div>
${isParameterised ? html`<dl class="facts"><dt>Template</dt><dd>${shownText(template)}</dd></dl>` : ''}`;
}

function userMetadata({ user }: TrackedEvent): Markup | string {
  if (user === undefined) return '';
  return shownPairs([
    ['ID', user.id],
    ['Username', user.username],
    ['Name', user.name],
    ['Email', user.email],
    ['IP address', user.address],
  ]);
}

function requestMetadata({ method, url, query, headers, cookies, data }: EventRequest): Markup {
  return html`${shownPairs([
    ['Method', method],
    ['URL', url],
    ['Query string', query],
    ['Cookies', cookies],
    ['Body', data],
  ])}
${headers.length === 0 ? '' : html`<details><summary>Headers</summary>${shownPairs(headers)}</details>`}`;
}

function breadcrumbRows(breadcrumbs: readonly Breadcrumb[]): Markup | string {
  if (breadcrumbs.length === 0) return '';
  return html`<ol class="rows">${breadcrumbs.map(
    ({ at, category, type, level, message, data }) => html`<li>
<p class="small muted">${at === undefined ? '' : html`<time datetime="${isoTime(at)}">${isoTime(at).slice(11, 19)}</time> `}<bdi>${shortened(category ?? type ?? '', 80)}</bdi>${
      level === undefined || level === 'info' ? '' : html` <span class="badge">${level}</span>`
    }</p>
${message === undefined ? '' : html`<div>${shownText(message)}</div>`}${data === undefined || Object.keys(data).length === 0 ? '' : html`<div>${shownValue(data)}</div>`}</li>`,
  )}</ol>`;
}

function applicationMetadata(event: TrackedEvent): Markup | string {
  return shownPairs([
    ['Platform', event.platform],
    ['Transaction', event.transaction],
    ['Logger', event.logger],
    ['Server', event.serverName],
    ['Distribution', event.dist],
    ['SDK', event.sdk === undefined ? undefined : `${event.sdk.name} ${event.sdk.version}`],
  ]);
}

function additionalData({ contexts, extra, modules }: TrackedEvent): Markup | string {
  const sections = [
    ['Contexts', Object.entries(contexts)],
    ['Extra', Object.entries(extra)],
    ['Packages', [...modules]],
  ] as const;
  const filled = sections.filter(([, pairs]) => pairs.length > 0);
  if (filled.length === 0) return '';
  return html`<div>${filled.map(([name, pairs]) => html`<details><summary>${name}</summary>${shownPairs(pairs)}</details>`)}</div>`;
}

const groupingBy: Readonly<Record<GroupingExplanation['by'], string>> = {
  fingerprint: 'Grouped by the fingerprint that the SDK sent.',
  exception: 'Grouped by exception types and stack trace.',
  exception_group: 'Grouped by the exceptions in the exception group, each kind once, in any order.',
  message: 'Grouped by message.',
  stack: 'Grouped by stack trace.',
  nothing: 'The event has no exception, message or stack trace to group by.',
};

const frameUse: Readonly<Record<NonNullable<GroupingExplanation['stack']>['frames'][number]['use'], string>> = {
  used: 'used',
  library: 'library frame',
  repeated: 'recursion, used once',
  beyond_limit: 'beyond the frame limit',
  native: 'native code',
  says_nothing: 'no function, module or line of code',
};

function formatGrouping({
  version,
  by,
  fingerprint,
  platform,
  exceptionTypes,
  stack,
  text,
  logger,
  members,
  leftOut,
}: GroupingExplanation): Markup {
  const used = stack?.frames.filter(({ use }) => use === 'used').toReversed() ?? [];
  const others = stack?.frames.filter(({ use }) => use !== 'used').toReversed() ?? [];
  const frameRow = ({ location, name, line, use }: NonNullable<GroupingExplanation['stack']>['frames'][number]): Markup =>
    html`<li><code>${shortened(`${location} ${name}`.trim() || '(anonymous)')}</code>${line === '' ? '' : html` <code class="small">${shortened(line)}</code>`}${use === 'used' ? '' : html` <span class="muted small">${frameUse[use]}</span>`}</li>`;
  return html`<p>${groupingBy[by]}</p>
${shownPairs([
  ['Fingerprint', fingerprint.map(tokenText).join(' · ')],
  ['Platform', platform],
  ['Exception types', exceptionTypes.join(' · ')],
  ['Text', text?.text],
  ['Logger', logger],
])}
${members.length === 0 ? '' : html`<ul class="rows tight">${members.map((member) => html`<li><strong>${shortened(member.exceptionTypes.toReversed().join(' ← '))}</strong>${member.text === undefined ? '' : html` ${shortened(member.text.text)}`}<ul class="rows tight">${member.frames.toReversed().map(frameRow)}</ul></li>`)}</ul>`}
${used.length === 0 ? '' : html`<div><p>Frames used for grouping:</p><ul class="rows tight">${used.map(frameRow)}</ul></div>`}
${others.length === 0 ? '' : html`<details><summary>Frames not used for grouping</summary><ul class="rows tight">${others.map(frameRow)}</ul></details>`}
${leftOut.length === 0 ? '' : html`<ul class="rows tight">${leftOut.map((name) => html`<li class="muted">${whyLeftOut[name]}</li>`)}</ul>`}
<p class="muted small">Grouping algorithm version ${version}</p>`;
}

function tokenText({ text, isDefault, value }: GroupingExplanation['fingerprint'][number]): string {
  if (isDefault) return '{{ default }}';
  return value === undefined ? text : `${text} = ${value}`;
}

const problemLabels: Readonly<Record<ProcessingProblem['type'], string>> = {
  invalid_data: 'was invalid',
  value_too_long: 'was too long and has been truncated',
  too_many: 'had too many entries, and some have been dropped',
  clock_drift: 'was corrected, because the clock of the sender was wrong',
  future_timestamp: 'was in the future and has been replaced by the time of receipt',
  past_timestamp: 'was too old and has been replaced by the time of receipt',
  scrubbed: 'looked like a secret and has been removed',
};

function problemRows(problems: readonly ProcessingProblem[]): Markup | string {
  if (problems.length === 0) return '';
  return html`<ul class="rows tight">${problems.map(
    ({ name, type, value }) =>
      html`<li><code>${shortened(name)}</code> ${problemLabels[type]}${value === undefined ? '' : html`: ${shownValue(value)}`}</li>`,
  )}</ul>`;
}
