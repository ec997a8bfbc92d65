import type { TrackingCore } from '../trackingCore.ts';
import { html } from 'hono/html';
import type { Core } from '../../../core/core.ts';
import type { ProjectPageRequest } from '../../projectAccess/projectAccess.ts';
import { ago, type Markup, type PageContent } from '../../../web/layout.ts';
import { peopleOf } from '../../profiles/profiles.ts';
import { findUserByName } from '../../users/users.ts';
import { ingestCard } from './ingestCard.ts';
import { type HourCounts, sparkline } from './hourChart.ts';
import {
  type ErrorOrder,
  type ErrorPosition,
  frequencyOf,
  listErrors,
  positionOf,
  type TrackedError,
} from '../read/readErrors.ts';
import { keysCard } from './keysCard.ts';
import { levelMark, statusLabels } from './statusMarks.ts';
import { settingsCard } from './settingsCard.ts';
import { shortened } from '../../../web/shownText.ts';
import type { ErrorStatus } from '../status/statusRules.ts';
import { environmentsSeen } from '../read/errorReadStore.ts';
import { latestReleases } from '../releases/releaseStore.ts';

const ERRORS_OF_PAGE = 20;
/** Maximum number of environments, and of releases, that the filters suggest. */
const MAX_SUGGESTIONS = 100;
/** Maximum length of a filter, in UTF-16 units. */
const MAX_FILTER_LENGTH = 250;

const tabs = {
  unresolved: { text: 'Unresolved', statuses: ['unresolved'] },
  resolved: { text: 'Resolved', statuses: ['resolved', 'resolved_in_next_release'] },
  ignored: { text: 'Ignored', statuses: ['ignored'] },
  all: { text: 'All', statuses: ['unresolved', 'resolved', 'resolved_in_next_release', 'ignored'] },
} as const satisfies Record<string, { readonly text: string; readonly statuses: readonly ErrorStatus[] }>;

const sorts: Readonly<Record<ErrorOrder, string>> = {
  last_seen: 'Last seen',
  first_seen: 'First seen',
  frequency: 'Events',
};

const levels = ['fatal', 'error', 'warning', 'info', 'debug'] as const;

/** Options in the query of the list. Unknown values are treated as missing. */
interface Input {
  readonly status: keyof typeof tabs;
  readonly sort: ErrorOrder;
  readonly search: string;
  readonly environment: string;
  readonly release: string;
  readonly level: string;
  /** Username, `None` or `Any`. */
  readonly assignee: string;
  readonly after: ErrorPosition | undefined;
}

function readInput(query: URLSearchParams): Input {
  const text = (name: string): string =>
    (query.get(name) ?? '')
      .replaceAll(/\p{Cc}/gu, ' ')
      .trim()
      .slice(0, MAX_FILTER_LENGTH)
      .toWellFormed();
  const [, value, id] = /^(\d{1,15})-(\d{1,15})$/.exec(query.get('after') ?? '') ?? [];
  return {
    status: known(tabs, query.get('status')) ?? 'unresolved',
    sort: known(sorts, query.get('sort')) ?? 'last_seen',
    search: text('search'),
    environment: text('environment'),
    release: text('release'),
    level: levels.find((level) => level === query.get('level')) ?? '',
    assignee: text('assignee'),
    after: value === undefined || id === undefined ? undefined : { value: Number(value), id: Number(id) },
  };
}

function known<Name extends string>(table: Readonly<Record<Name, unknown>>, name: string | null): Name | undefined {
  return Object.keys(table).find((one): one is Name => one === name);
}

/** Returns the address of the list with some options. */
function addressOf(base: string, input: Partial<Input>): string {
  const { after, ...texts } = input;
  const query = new URLSearchParams(Object.entries(texts).filter(([, value]) => value !== ''));
  if (texts.status === 'unresolved') query.delete('status');
  if (texts.sort === 'last_seen') query.delete('sort');
  if (after !== undefined) query.set('after', `${after.value}-${after.id}`);
  return query.size === 0 ? base : `${base}?${query.toString()}`;
}

/** Page with the errors of a project. */
export async function listContent(core: TrackingCore, request: ProjectPageRequest): Promise<PageContent> {
  const { project, now } = request;
  const base = `/${project.full_path}/-/error_tracking`;
  const input = readInput(request.query);
  const rows = await listErrors(
    core,
    project.id,
    {
      statuses: tabs[input.status].statuses,
      search: input.search || undefined,
      environment: input.environment || undefined,
      release: input.release || undefined,
      level: input.level || undefined,
      assignee: assigneeOf(core, input.assignee),
    },
    { order: input.sort, direction: 'desc', after: input.after, limit: ERRORS_OF_PAGE + 1 },
  );
  const shown = rows.slice(0, ERRORS_OF_PAGE);
  const hours = frequencyOf(core, shown, now);
  const last = shown.at(-1);
  const person = peopleOf(core, request.baseUrl);
  return {
    title: `Errors · ${project.name}`,
    heading: 'Errors',
    width: 'wide',
    body: html`<nav class="tabs" aria-label="Status">${Object.entries(tabs).map(
      ([status, { text }]) =>
        html`<a href="${addressOf(base, { ...input, status: known(tabs, status) ?? input.status, after: undefined })}" ${status === input.status ? html`aria-current="page"` : ''}>${text}</a>`,
    )}</nav>
<div class="card">
${await filterForm(core, project.id, base, input)}
${
  shown.length === 0
    ? html`<p class="muted">${emptyListMessage(input)}</p>`
    : html`<ul class="rows">${shown.map((error) => errorRow(base, error, { hours: hours.get(error.id) ?? [], assignee: person(error.assignee_id)?.name, now }))}</ul>`
}
${pages(base, input, rows.length > ERRORS_OF_PAGE && last !== undefined ? positionOf(last, input.sort) : undefined)}
</div>
${ingestCard(core, project.id, request.baseUrl, now)}
${keysCard(core, request)}
${settingsCard(core, request)}`,
  };
}

/** Returns 0, which nobody has, for an unknown username. */
function assigneeOf(core: Core, name: string): number | 'None' | 'Any' | undefined {
  if (name === '') return undefined;
  if (name === 'None' || name === 'Any') return name;
  return findUserByName(core, name.replace(/^@/, ''))?.id ?? 0;
}

function emptyListMessage({ status, search, environment, release, level, assignee, after }: Input): string {
  if (after !== undefined) return 'No more errors.';
  if (`${search}${environment}${release}${level}${assignee}` !== '') return 'No errors match the filters.';
  return status === 'all' ? 'No errors received yet.' : `No ${status} errors.`;
}

function errorRow(
  base: string,
  error: TrackedError,
  { hours, assignee, now }: { readonly hours: HourCounts; readonly assignee: string | undefined; readonly now: number },
): Markup {
  const events = `${error.event_count} ${error.event_count === 1 ? 'event' : 'events'}`;
  const users = `${error.user_count} ${error.user_count === 1 ? 'user' : 'users'}`;
  return html`<li class="tracked"><div>
<p><a href="${base}/${error.fingerprint}/details"><bdi>${shortened(error.title)}</bdi></a></p>
${error.culprit === '' ? '' : html`<p class="muted small"><bdi>${shortened(error.culprit)}</bdi></p>`}
<p class="marks">${levelMark(error.level)}${error.status === 'unresolved' ? '' : html`<span class="badge">${statusLabels[error.status]}</span>`}${
    error.is_regression === 1 ? html`<span class="badge refused">regressed</span>` : ''
  }${assignee === undefined ? '' : html`<span class="badge"><bdi>${assignee}</bdi></span>`}</p>
</div>
${sparkline(hours, { width: 120, height: 28 })}
<p class="small">${events}<span class="line muted">${users}</span></p>
<p class="small">${ago(error.last_seen_at, now)}<span class="line muted">first seen ${ago(error.first_seen_at, now)}</span></p></li>`;
}

async function filterForm(core: Core, projectId: number, base: string, input: Input): Promise<Markup> {
  const releases = latestReleases(core.store, projectId, MAX_SUGGESTIONS);
  const environments = await environmentsSeen(core.store, projectId, MAX_SUGGESTIONS);
  return html`<form class="filters" method="get" action="${base}" role="search">
${input.status === 'unresolved' ? '' : html`<input type="hidden" name="status" value="${input.status}">`}
${filterText('search', 'Search', input.search)}
${filterText('environment', 'Environment', input.environment, environments)}
${filterText('release', 'Release', input.release, releases)}
${filterChoice('level', 'Level', input.level, [['', 'All'], ...levels.map((level) => [level, level] as const)])}
${filterText('assignee', 'Assigned to', input.assignee, ['None', 'Any'])}
${filterChoice('sort', 'Sort by', input.sort, Object.entries(sorts))}
<div class="actions start"><button class="second" type="submit">Apply</button></div>
</form>`;
}

function filterText(name: string, label: string, value: string, suggestions: readonly string[] = []): Markup {
  return html`<div class="field"><label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="text" value="${value}" maxlength="${MAX_FILTER_LENGTH}" autocomplete="off" autocapitalize="none" spellcheck="false" ${
    suggestions.length === 0 ? '' : html`list="${name}-suggestions"`
  }>
${suggestions.length === 0 ? '' : html`<datalist id="${name}-suggestions">${suggestions.map((one) => html`<option value="${one}"></option>`)}</datalist>`}</div>`;
}

function filterChoice(name: string, label: string, value: string, choices: readonly (readonly [string, string])[]): Markup {
  return html`<div class="field"><label for="${name}">${label}</label>
<select id="${name}" name="${name}">${choices.map(
    ([one, text]) => html`<option value="${one}" ${one === value ? html`selected` : ''}>${text}</option>`,
  )}</select></div>`;
}

/** Links to the first and the next page. Keyset pagination has no other links. */
function pages(base: string, input: Input, next: ErrorPosition | undefined): Markup | string {
  if (input.after === undefined && next === undefined) return '';
  return html`<nav class="actions start" aria-label="Pages">
${input.after === undefined ? '' : html`<a class="button second" href="${addressOf(base, { ...input, after: undefined })}">First page</a>`}
${next === undefined ? '' : html`<a class="button second" rel="next" href="${addressOf(base, { ...input, after: next })}">Next page</a>`}
</nav>`;
}
