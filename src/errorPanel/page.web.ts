// The page in a panel that shows one error. A bundle of its own, which runs in the webview.
import * as l10n from '@vscode/l10n';
import { html, nothing, render, type TemplateResult } from 'lit';
import type { ErrorDetail, ErrorEvent, ReleaseOfError } from '../contract/errorDetail.ts';
import type { ErrorAction } from '../errorActions/subject.ts';
import { isJsonObject, parseJson } from '../contract/json.ts';
import { chart, type ChartScale } from './chart.web.ts';
import { breadcrumbs, context, grouping, tags } from './eventDetails.web.ts';
import { formatAge, formatMoment, formatNumber } from './formats.web.ts';
import type { AccountState, FixState, FromPage, PanelState, PlaceOfFrame, ReadyState, ToPage } from './protocol.ts';
import { stacks } from './stack.web.ts';

declare function acquireVsCodeApi(): {
  readonly postMessage: (message: FromPage) => void;
  readonly setState: (state: unknown) => void;
};

const root = document.querySelector<HTMLElement>('#root');
const data = parseJson(document.querySelector('#data')?.textContent ?? '');
const vscode = acquireVsCodeApi();
if (isJsonObject(data)) {
  if (isJsonObject(data.texts)) {
    const texts = Object.entries(data.texts).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    l10n.config({ contents: Object.fromEntries(texts) });
  }
  // VS Code restores the panel with it after a reload of the window.
  vscode.setState(data.target);
}

/** Milliseconds by which an age on the page can be too low. */
const AGE_INTERVAL = 10_000;

let state: PanelState = { kind: 'loading' };
let scale: ChartScale = 'hours';
let filter = '';
let openMenu: 'copy' | 'more' | undefined;
let places: { readonly event: string; readonly list: readonly PlaceOfFrame[] } = { event: '', list: [] };

let account: AccountState = { notice: null, isDisabled: false, readOnly: null };
let suspect: Extract<ToPage, { readonly type: 'suspect' }> | undefined;

function send(message: FromPage): void {
  vscode.postMessage(message);
}

function show(): void {
  if (root !== null) render(page(), root);
}

window.addEventListener('message', ({ data: message }: MessageEvent<ToPage>) => {
  if (message.type === 'places') {
    places = { event: message.event, list: message.places };
    show();
    return;
  }
  if (message.type === 'suspect') {
    suspect = message;
    show();
    return;
  }
  if (message.type === 'account') {
    ({ account } = message);
    show();
    return;
  }
  const before = state;
  state = message.state;
  // The last day says little about an error that has not occurred since.
  if (before.kind !== 'ready' && state.kind === 'ready' && state.detail.hourly.every(({ count }) => count === 0)) scale = 'days';
  show();
});
show();
setInterval(show, AGE_INTERVAL);
send({ type: 'ready' });

function page(): TemplateResult {
  switch (state.kind) {
    case 'loading':
      return html`<p class="quiet" role="status">${l10n.t('Loading…')}</p>`;
    case 'failed':
      return html`<p class="notice error" role="alert">${state.text}</p>
        ${state.lacksScope === true ? signInAgain() : ''} ${button(l10n.t('Try Again'), () => send({ type: 'refresh' }), true)}`;
    case 'ready':
      return error(state);
  }
}

function error(ready: ReadyState): TemplateResult {
  const { detail, event, problem, fix } = ready;
  return html`<header>
      <p class="badges">
        ${detail.level === null ? '' : html`<span class="badge ${detail.level}">${detail.level}</span>`}
        <span class="badge">${statusText(detail)}</span>
        ${detail.isRegression ? html`<span class="badge warning">${l10n.t('Came back')}</span>` : ''}
      </p>
      <h1>${detail.title}</h1>
      ${detail.culprit === '' ? '' : html`<p class="culprit">${detail.culprit}</p>`}
    </header>
    ${accountNotice()} ${toolbar(ready)} ${problem === null ? '' : html`<p class="notice error" role="alert">${problem}</p>`} ${fixNotice(fix)} ${stillReportedNotice(detail)}
    ${numbers(detail)}
    ${chart({
      state: ready,
      scale,
      selectScale: (next) => {
        scale = next;
        show();
      },
      selectRange: (range) => send({ type: 'range', range }),
    })}
    ${events(ready)}
    ${
      event?.data
        ? html`${stacks({
            data: event.data,
            places: places.event === event.id ? places.list : [],
            openFrame: (stack, frame) => send({ type: 'openFrame', stack, frame }),
          })}
          ${suspectOf(event)}
          ${breadcrumbs(event.data.breadcrumbs, filter, (next) => {
            filter = next;
            show();
          })}`
        : ''
    }
    ${tags(detail, event)} ${event === null ? '' : context(event)} ${grouping(detail.grouping)} ${raw(ready)}`;
}

function accountNotice(): TemplateResult {
  const { notice, isDisabled, readOnly } = account;
  return html`${notice === null ? '' : html`<p class=${isDisabled ? 'notice error' : 'notice'} role="status">${notice}</p>`}
  ${readOnly === null ? '' : html`<p class="notice" role="status">${readOnly} ${signInAgain()}</p>`}`;
}

/** Button that signs the account in again, with the scope that it lacks. */
function signInAgain(): TemplateResult {
  return button(l10n.t('Sign In Again'), () => send({ type: 'signInAgain' }));
}

function toolbar({ detail, event, abilities, isBusy }: ReadyState): TemplateResult {
  const isOpen = detail.status === 'unresolved';
  const changes = isOpen
    ? [
        action(l10n.t('Resolve'), 'resolve', true),
        action(l10n.t('Resolve in Next Release'), 'resolveInNextRelease'),
        action(l10n.t('Ignore…'), 'ignore'),
      ]
    : [action(l10n.t('Reopen'), 'reopen', true)];
  const issue =
    detail.issue === null
      ? action(l10n.t('Create Issue…'), 'createIssue')
      : accountButton(l10n.t('Open Issue #{0}', detail.issue.iid), () => send({ type: 'action', action: 'openIssue' }));
  return html`<div class="toolbar" role="toolbar" aria-label=${l10n.t('Actions')} aria-busy=${isBusy}>
    ${abilities.changesStatus ? [...changes, action(l10n.t('Assign…'), 'assign')] : ''} ${issue}
    ${event?.data ? button(l10n.t('Replay in Debugger'), () => send({ type: 'replay' })) : ''}
    ${accountButton(l10n.t('Open in Browser'), () => send({ type: 'openInBrowser' }))}
    ${button(l10n.t('Copy'), () => toggleMenu('copy'), false, openMenu === 'copy')}
    ${
      openMenu === 'copy'
        ? html`<span class="menu">
            ${copyButton(l10n.t('As Markdown'), 'markdown')} ${copyButton(l10n.t('Stack Trace'), 'stack')}
            ${copyButton(l10n.t('As JSON'), 'json')}
          </span>`
        : ''
    }
    ${abilities.changesStatus ? moreActions(detail) : ''} ${accountButton(l10n.t('Refresh'), () => send({ type: 'refresh' }))}
    ${
      detail.lastChange === null
        ? ''
        : html`<button type="button" class="secondary" title=${account.readOnly ?? undoText(detail.lastChange.kind)} ?disabled=${account.isDisabled || account.readOnly !== null} @click=${() => send({ type: 'undo' })}>
            ${l10n.t('Undo')}
          </button>`
    }
  </div>`;
}

/** Actions that are needed less often. */
function moreActions({ groupings }: ErrorDetail): TemplateResult {
  return html`${button(l10n.t('More'), () => toggleMenu('more'), false, openMenu === 'more')}
  ${
    openMenu === 'more'
      ? html`<span class="menu">
          ${action(l10n.t('Merge…'), 'merge')} ${groupings.length > 1 ? action(l10n.t('Split…'), 'split') : ''}
          ${action(l10n.t('Link Issue…'), 'linkIssue')}
        </span>`
      : ''
  }`;
}

function undoText(kind: string): string {
  switch (kind) {
    case 'status':
      return l10n.t('Undo the change of the status');
    case 'assignee':
      return l10n.t('Undo the change of the assignee');
    case 'issue':
      return l10n.t('Undo the change of the issue');
    case 'merge':
      return l10n.t('Undo the merge');
    case 'split':
      return l10n.t('Undo the split');
    default:
      return l10n.t('Undo');
  }
}

/** Button of an action that changes something. */
function action(text: string, name: ErrorAction, isPrimary = false): TemplateResult {
  const { isDisabled, readOnly } = account;
  const kind = isPrimary ? 'primary' : 'secondary';
  const press = (): void => send({ type: 'action', action: name });
  return html`<button type="button" class=${kind} title=${readOnly ?? nothing} ?disabled=${isDisabled || readOnly !== null} @click=${press}>
    ${text}
  </button>`;
}

function toggleMenu(name: 'copy' | 'more'): void {
  openMenu = openMenu === name ? undefined : name;
  show();
}

function copyButton(text: string, as: 'markdown' | 'stack' | 'json'): TemplateResult {
  return button(text, () => {
    send({ type: 'copy', as });
    toggleMenu('copy');
  });
}

/** Button of something that needs the account. The notice about the account says why it is disabled. */
function accountButton(text: string, press: () => void, isPrimary = false): TemplateResult {
  const kind = isPrimary ? 'primary' : 'secondary';
  return html`<button type="button" class=${kind} ?disabled=${account.isDisabled} @click=${press}>${text}</button>`;
}

function button(text: string, press: () => void, isPrimary = false, isExpanded?: boolean): TemplateResult {
  const kind = isPrimary ? 'primary' : 'secondary';
  return isExpanded === undefined
    ? html`<button type="button" class=${kind} @click=${press}>${text}</button>`
    : html`<button type="button" class=${kind} aria-expanded=${isExpanded} @click=${press}>${text}</button>`;
}

function statusText({ status, ignored }: ErrorDetail): string {
  switch (status) {
    case 'unresolved':
      return l10n.t('Unresolved');
    case 'resolved':
      return l10n.t('Resolved');
    case 'resolved_in_next_release':
      return l10n.t('Resolved in the next release');
    case 'ignored':
      return ignoredText(ignored);
  }
}

function ignoredText(ignored: ErrorDetail['ignored']): string {
  if (ignored === null) return l10n.t('Ignored');
  switch (ignored.ignored_until) {
    case 'next_occurrence':
      return l10n.t('Ignored until it occurs again');
    case 'occurrences':
      return l10n.t('Ignored until it occurs {0} more times', ignored.ignored_count ?? 0);
    case 'occurrences_per_hour':
      return l10n.t('Ignored until it occurs {0} times in an hour', ignored.ignored_count ?? 0);
    case 'date':
      return l10n.t('Ignored until {0}', formatMoment(Date.parse(ignored.ignored_until_date ?? '')));
    default:
      return l10n.t('Ignored');
  }
}

function stillReportedNotice({ status, countSinceStatus, statusChangedAt }: ErrorDetail): TemplateResult {
  if (status !== 'resolved_in_next_release' || !countSinceStatus || statusChangedAt === null) return html``;
  const [count, since] = [formatNumber(countSinceStatus), formatMoment(statusChangedAt)];
  return html`<p class="notice" role="status">${l10n.t('Still reported by older releases: {0} since {1}.', count, since)}</p>`;
}

function fixNotice(fix: FixState | null): TemplateResult {
  if (fix === null) return html``;
  switch (fix.kind) {
    case 'waiting':
      return html`<p class="notice" role="status">
        ${
          fix.after.length === 0
            ? l10n.t('The next release that reports without this error shows that the fix works.')
            : l10n.t('The next release after {0} that reports without this error shows that the fix works.', fix.after.join(', '))
        }
      </p>`;
    case 'proven':
      return html`<p class="notice success" role="status">
        ${l10n.t('The fix works: release {0} has reported without this error.', fix.release)}
      </p>`;
    case 'cameBack':
      return html`<p class="notice error" role="status">
        ${fix.release === null ? l10n.t('The error came back.') : l10n.t('The error came back in release {0}.', fix.release)}
      </p>`;
  }
}

function numbers(detail: ErrorDetail): TemplateResult {
  return html`<dl class="numbers">
    <div><dt>${l10n.t('Events')}</dt><dd>${formatNumber(detail.count)}</dd></div>
    <div><dt>${l10n.t('Users')}</dt><dd>${formatNumber(detail.user_count)}</dd></div>
    <div><dt>${l10n.t('First seen')}</dt><dd>${formatMoment(detail.first_seen)}${release(detail.firstRelease)}</dd></div>
    ${detail.assignee === null ? '' : html`<div><dt>${l10n.t('Assigned to')}</dt><dd>${detail.assignee.name}</dd></div>`}
    ${
      detail.issue === null ? '' : html`<div><dt>${l10n.t('Issue')}</dt><dd>#${detail.issue.iid} ${detail.issue.title}</dd></div>`
    }
    <div><dt>${l10n.t('Last seen')}</dt><dd>${formatMoment(detail.last_seen)} <span class="quiet">${formatAge(detail.last_seen)}</span>${release(detail.lastRelease)}</dd></div>
  </dl>`;
}

function release(value: ReleaseOfError | null): TemplateResult {
  if (value === null) return html``;
  const { version, commit } = value;
  if (commit === null) return html`<span class="release">${version}</span>`;
  const name = commit.id.slice(0, 8);
  const text = commit.title === '' ? name : `${name} ${commit.title}`;
  // Instances name only the path of a commit in GraphQL.
  const link = commit.url?.startsWith('http') === true ? html`<a href=${commit.url}>${text}</a>` : text;
  return html`<span class="release">${version} <span class="quiet">${link}</span></span>`;
}

function events({ event, hasNewer, hasOlder, abilities, range }: ReadyState): TemplateResult {
  const about =
    event === null
      ? range === null
        ? l10n.t('No event is stored.')
        : l10n.t('No event of this time is stored.')
      : [formatMoment(event.occurredAt), event.release, event.environment].filter((text) => text !== null).join(' · ');
  return html`<nav class="row events" aria-label=${l10n.t('Events')}>
    <span>${about}</span>
    ${
      abilities.listsEvents
        ? html`<span class="row">
            <button type="button" class="secondary" ?disabled=${!hasNewer} @click=${() => send({ type: 'newer' })}>${l10n.t('Newer')}</button>
            <button type="button" class="secondary" ?disabled=${!hasOlder} @click=${() => send({ type: 'older' })}>${l10n.t('Older')}</button>
            <button type="button" class="secondary" ?disabled=${!hasNewer && range === null} @click=${() => send({ type: 'latest' })}>${l10n.t('Latest')}</button>
          </span>`
        : ''
    }
  </nav>`;
}

/** Shows the commit that has probably caused the error, or why there is none. */
function suspectOf({ id }: ErrorEvent): TemplateResult {
  if (suspect === undefined || suspect.event !== id) return html``;
  const { commit, text } = suspect.suspect;
  return html`<section class="suspect" aria-label=${l10n.t('Suspect Commit')}>
    <h2>${l10n.t('Suspect Commit')}</h2>
    ${
      commit === null
        ? html`<p class="quiet">${text}</p>`
        : html`<p>
              <button type="button" class="link place" @click=${() => send({ type: 'openCommit', hash: commit.hash })}>
                ${commit.hash.slice(0, 8)}</button>
              ${commit.title} <span class="quiet">· ${commit.author}, ${formatMoment(commit.at)}</span>
            </p>
            <p class="quiet">${text}</p>`
    }
  </section>`;
}

function raw({ event }: ReadyState): TemplateResult {
  if (event === null) return html``;
  return html`<details class="part">
    <summary><h2>JSON</h2></summary>
    <pre class="code" tabindex="0" aria-label="JSON">${JSON.stringify(event, null, 2)}</pre>
  </details>`;
}
