import { html } from 'hono/html';
import { isoTime } from '../../clock.ts';
import type { Markup } from '../../web/layout.ts';
import type { EventDetail } from '../detail.ts';
import type { Breadcrumb, EventRequest, ProcessingProblem, TrackedEvent, TrackedException } from '../event/event.ts';
import { type GroupingExplanation, whyLeftOut } from '../grouping/grouping.ts';
import { shortened, shownPairs, shownText, shownValue } from '../../web/shownText.ts';
import { stackMarkup } from './stackMarkup.ts';

/** Everything that is kept of an event, as cards. All of it was written by programs: nothing of it is a link, and nothing of it is markup. */
export function eventMarkup({ event, grouping }: EventDetail): Markup {
  return html`${failure(event)}
${card('tags', 'Tags', shownPairs(event.tags))}
${card('user', 'User', userMetadata(event))}
${card('request', 'Request', event.request === undefined ? '' : requestMetadata(event.request))}
${card('breadcrumbs', 'Before it happened', crumbs(event.breadcrumbs))}
${card('program', 'Program', programMetadata(event))}
${card('more', 'More that was sent', more(event))}
${card('grouping', 'Why it is in this error', formatGrouping(grouping))}
${card('problems', 'What could not be kept as it was sent', problemRows(event.problems))}`;
}

function card(id: string, title: string, content: Markup | string): Markup | string {
  if (content === '') return '';
  return html`<section class="card event" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}
</section>`;
}

/** What failed: the exception that was caught, then what caused it; threads and message where there are some. */
function failure(event: TrackedEvent): Markup {
  const { exceptions, message, threads, frames } = event;
  const caught = exceptions.toReversed();
  return html`${caught.map((exception, index) => card(`exception-${index}`, index === 0 ? 'Exception' : 'Caused by', exceptionMarkup(exception, index === 0)))}
${card('message', 'Message', message === undefined ? '' : messageMarkup(message))}
${card('stack', 'Stack', frames.length === 0 ? '' : stackMarkup(frames, exceptions.length === 0))}
${threads
  .filter((thread) => thread.frames.length > 0)
  .map((thread, index) =>
    card(
      `thread-${index}`,
      `Thread ${shortened(thread.name ?? thread.id ?? String(index + 1), 80)}`,
      html`${thread.crashed ? html`<p class="marks"><span class="badge refused">failed</span></p>` : ''}${stackMarkup(thread.frames, exceptions.length === 0 && thread.crashed)}`,
    ),
  )}`;
}

function exceptionMarkup({ type, value, module, frames, mechanism }: TrackedException, isFirst: boolean): Markup {
  return html`<div><p><strong><bdi>${shortened(type ?? 'no type', 256)}</bdi></strong>${
    module === undefined ? '' : html` <span class="muted">of <code>${shortened(module)}</code></span>`
  }</p>
${value === undefined || value === '' ? '' : shownText(value, 600)}</div>
${
  mechanism?.handled === false || mechanism?.isExceptionGroup === true
    ? html`<p class="marks">${mechanism.handled === false ? html`<span class="badge refused">nothing caught it</span>` : ''}${
        mechanism.isExceptionGroup ? html`<span class="badge">group of exceptions</span>` : ''
      }</p>`
    : ''
}
${frames.length === 0 ? html`<p class="muted">No stack was sent with it.</p>` : stackMarkup(frames, isFirst)}`;
}

function messageMarkup({ text, template, isParameterised }: NonNullable<TrackedEvent['message']>): Markup {
  return html`<div>${shownText(text, 600)}</div>
${isParameterised ? html`<dl class="facts"><dt>Written as</dt><dd>${shownText(template)}</dd></dl>` : ''}`;
}

function userMetadata({ user }: TrackedEvent): Markup | string {
  if (user === undefined) return '';
  return shownPairs([
    ['ID', user.id],
    ['Username', user.username],
    ['Name', user.name],
    ['E-mail', user.email],
    ['Address', user.address],
  ]);
}

function requestMetadata({ method, url, query, headers, cookies, data }: EventRequest): Markup {
  return html`${shownPairs([
    ['Method', method],
    ['URL', url],
    ['Query', query],
    ['Cookies', cookies],
    ['Body', data],
  ])}
${headers.length === 0 ? '' : html`<details><summary>Headers</summary>${shownPairs(headers)}</details>`}`;
}

function crumbs(breadcrumbs: readonly Breadcrumb[]): Markup | string {
  if (breadcrumbs.length === 0) return '';
  return html`<ol class="rows">${breadcrumbs.map(
    ({ at, category, type, level, message, data }) => html`<li>
<p class="small muted">${at === undefined ? '' : html`<time datetime="${isoTime(at)}">${isoTime(at).slice(11, 19)}</time> `}<bdi>${shortened(category ?? type ?? '', 80)}</bdi>${
      level === undefined || level === 'info' ? '' : html` <span class="badge">${level}</span>`
    }</p>
${message === undefined ? '' : html`<div>${shownText(message)}</div>`}${data === undefined || Object.keys(data).length === 0 ? '' : html`<div>${shownValue(data)}</div>`}</li>`,
  )}</ol>`;
}

function programMetadata(event: TrackedEvent): Markup | string {
  return shownPairs([
    ['Platform', event.platform],
    ['Transaction', event.transaction],
    ['Logger', event.logger],
    ['Server', event.serverName],
    ['Distribution', event.dist],
    ['SDK', event.sdk === undefined ? undefined : `${event.sdk.name} ${event.sdk.version}`],
  ]);
}

function more({ contexts, extra, modules }: TrackedEvent): Markup | string {
  const folds = [
    ['Contexts', Object.entries(contexts)],
    ['Extra', Object.entries(extra)],
    ['Modules', [...modules]],
  ] as const;
  const filled = folds.filter(([, pairs]) => pairs.length > 0);
  if (filled.length === 0) return '';
  return html`<div>${filled.map(([name, pairs]) => html`<details><summary>${name}</summary>${shownPairs(pairs)}</details>`)}</div>`;
}

const groupingBy: Readonly<Record<GroupingExplanation['by'], string>> = {
  fingerprint: 'The program sent a fingerprint, which decides alone.',
  exception: 'Errors of the same types of exceptions with the same stack are one.',
  message: 'Errors with the same message are one.',
  stack: 'Errors with the same stack are one.',
  nothing: 'The event says nothing that it could be told apart by.',
};

const frameUse: Readonly<Record<NonNullable<GroupingExplanation['stack']>['frames'][number]['use'], string>> = {
  used: 'counts',
  library: 'of a library, does not count',
  repeated: 'the same again, counts once',
  beyond_limit: 'too far out to count',
  native: 'of the platform itself, does not count',
  says_nothing: 'names nothing',
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
  leftOut,
}: GroupingExplanation): Markup {
  const used = stack?.frames.filter(({ use }) => use === 'used').toReversed() ?? [];
  const others = stack?.frames.filter(({ use }) => use !== 'used').toReversed() ?? [];
  const frameRow = ({ location, name, use }: NonNullable<GroupingExplanation['stack']>['frames'][number]): Markup =>
    html`<li><code>${shortened(`${location} ${name}`.trim() || '?')}</code>${use === 'used' ? '' : html` <span class="muted small">${frameUse[use]}</span>`}</li>`;
  return html`<p>${groupingBy[by]}</p>
${shownPairs([
  ['Fingerprint', fingerprint.map(({ text: token, isDefault }) => (isDefault ? '{{ default }}' : token)).join(' · ')],
  ['Platform', platform],
  ['Types', exceptionTypes.join(' · ')],
  ['Text', text?.text],
  ['Logger', logger],
])}
${used.length === 0 ? '' : html`<div><p>These frames count:</p><ul class="rows tight">${used.map(frameRow)}</ul></div>`}
${others.length === 0 ? '' : html`<details><summary>Frames that do not count</summary><ul class="rows tight">${others.map(frameRow)}</ul></details>`}
${leftOut.length === 0 ? '' : html`<ul class="rows tight">${leftOut.map((what) => html`<li class="muted">${whyLeftOut[what]}</li>`)}</ul>`}
<p class="muted small">Version ${version} of the rules.</p>`;
}

const problemLabels: Readonly<Record<ProcessingProblem['type'], string>> = {
  invalid_data: 'was of a kind that nobody understands',
  value_too_long: 'was too long and is cut',
  too_many: 'had too many members, some are left out',
  clock_drift: 'the clock of the sender was wrong and is corrected',
  future_timestamp: 'was in the future; when it was received counts',
  past_timestamp: 'was too long ago; when it was received counts',
  scrubbed: 'looked like a secret and was taken out',
};

function problemRows(problems: readonly ProcessingProblem[]): Markup | string {
  if (problems.length === 0) return '';
  return html`<ul class="rows tight">${problems.map(
    ({ name, type, value }) =>
      html`<li><code>${shortened(name)}</code> ${problemLabels[type]}${value === undefined ? '' : html`: ${shownValue(value)}`}</li>`,
  )}</ul>`;
}
