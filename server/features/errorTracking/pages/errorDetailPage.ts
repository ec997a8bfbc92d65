import type { GitCore } from '../../../repositories/repositories.ts';
import { html } from 'hono/html';
import { isoTime } from '../../../core/clock.ts';
import { titleOf } from '../../../repositories/names.ts';
import { recordNotFound } from '../../../core/errors.ts';
import type { Core } from '../../../core/core.ts';
import type { ProjectPageRequest } from '../../projectAccess/projectAccess.ts';
import { ago, formTokenField, type Markup, type PageContent } from '../../../web/layout.ts';
import { hourTable, sparkline } from './hourChart.ts';
import { errorDetail, type ErrorDetail, eventDetail, type ReleaseDetail, type ValueCount } from '../read/errorDetail.ts';
import { eventsOf, type EventRow, readEvent, type TrackedError } from '../read/readErrors.ts';
import type { TrackingCore } from '../trackingCore.ts';
import { editForms, responsibilityItems } from './editForms.ts';
import { eventMarkup } from './eventMarkup.ts';
import { levelMark, statusLabels } from './statusMarks.ts';
import { eventRow } from '../read/errorReadStore.ts';
import { healthOf } from '../releases/sessions.ts';
import { releasesNamed } from '../releases/sessionStore.ts';
import { shortened, shownText } from '../../../web/shownText.ts';
import type { ErrorState, ErrorStatus } from '../status/statusRules.ts';

const SHOWN_VALUES = 20;
const SHOWN_RELEASES = 10;

/** Page of one error with one of its events: the latest, or the one in the query parameter `event`. */
export async function detailContent(
  core: GitCore & TrackingCore,
  request: ProjectPageRequest,
  error: TrackedError,
  mayChange: boolean,
): Promise<PageContent> {
  const { project, now } = request;
  const address = `/${project.full_path}/-/error_tracking/${error.fingerprint}`;
  const detail = await errorDetail(core, project, error);
  const requested = request.query.get('event');
  const row =
    requested === null ? (detail.latest?.row ?? eventsOf(core, error, { limit: 1 })[0]) : eventNamed(core, detail, requested);
  const title = shortened(error.title, 300);
  return {
    title: `${title} · ${project.name}`,
    heading: html`<bdi>${title}</bdi>`,
    width: 'wide',
    body: html`<div class="card event">
<p class="muted"><a href="/${project.full_path}">${project.name}</a> &middot; <a href="/${project.full_path}/-/error_tracking">Errors</a></p>
<p class="marks">${levelMark(error.level)}<span class="badge">${statusLabels[error.status]}</span>${
      error.is_regression === 1 ? html`<span class="badge refused">regressed</span>` : ''
    }</p>
${error.message === null || error.message === '' ? '' : html`<div>${shownText(error.message, 600)}</div>`}
${error.culprit === '' ? '' : html`<p><code>${shortened(error.culprit)}</code></p>`}
${formatState(detail.state, error.event_count - error.counted_events, now)}
<dl class="facts">${responsibilityItems(core, error, request)}</dl>
${mayChange ? html`${statusForms(`${address}/status`, error.status, detail, request.formToken())}${editForms(core, `${address}/edit`, detail, request)}` : ''}
</div>
<section class="card event" aria-labelledby="statistics">
<h2 id="statistics">Statistics</h2>
${sparkline(detail.frequency, { width: 600, height: 80 })}
${hourTable(detail.frequency)}
<dl class="facts">
<dt>Events</dt><dd>${error.event_count}</dd>
<dt>Users</dt><dd>${error.user_count}</dd>
<dt>First seen</dt><dd>${ago(error.first_seen_at, now)}${formatRelease(project.full_path, detail.firstRelease)}</dd>
<dt>Last seen</dt><dd>${ago(error.last_seen_at, now)}${formatRelease(project.full_path, detail.lastRelease)}</dd>
${formatValues('Environments', detail.facets.environment)}
${formatValues('Releases', detail.facets.release)}
${formatValues('Levels', detail.facets.level)}
</dl>
</section>
${await sessionSection(core, detail, now)}
${row === undefined ? '' : await eventSection(core, detail, row, `${address}/details`, now)}`,
  };
}

/** Health of the releases with the most events of the error, if SDKs report their sessions (docs/interface.md#release-health). */
async function sessionSection({ store }: Core, { error, facets }: ErrorDetail, now: number): Promise<Markup | string> {
  const versions = facets.release.slice(0, SHOWN_RELEASES).map(({ value }) => value);
  const releases = releasesNamed(store, error.project_id, versions);
  const ids = releases.map(({ id }) => id);
  const health = await healthOf(store, error.project_id, ids, {}, now);
  const rows = releases.flatMap(({ id, version }) => {
    const figures = health.get(id);
    return figures === undefined || figures.total === 0 ? [] : [{ version, ...figures }];
  });
  if (rows.length === 0) return '';
  return html`<section class="card event" aria-labelledby="sessions">
<h2 id="sessions">Release health</h2>
<dl class="facts">${rows.map(
    ({ version, total, crashed, crashFreeSessions }) =>
      html`<dt><bdi>${shortened(version)}</bdi></dt><dd>${total} ${total === 1 ? 'session' : 'sessions'}, ${crashed} crashed${
        crashFreeSessions === undefined ? '' : html` <span class="muted">${percent(crashFreeSessions)} crash-free</span>`
      }</dd>`,
  )}</dl>
</section>`;
}

/** Rounded down, so that it is 100% only if nothing crashed. */
function percent(share: number): string {
  return `${(Math.floor(share * 10_000) / 100).toString()}%`;
}

/** Returns an event of the error by its ID. Throws `NotFound` if there is none, also for an event of another error or project. */
function eventNamed(core: Core, { error, groupings }: ErrorDetail, name: string): EventRow {
  const row = /^[0-9a-f]{32}$/.test(name) ? eventRow(core.store, error.project_id, Buffer.from(name, 'hex')) : undefined;
  if (row === undefined || !groupings.some(({ id }) => id === row.grouping_id))
    throw recordNotFound('the error has no event with this ID');
  return row;
}

async function eventSection(
  core: Core,
  { error, latest, groupings }: ErrorDetail,
  row: EventRow,
  address: string,
  now: number,
): Promise<Markup> {
  const read = latest?.row.id === row.id ? undefined : await readEvent(core, error.project_id, row);
  const event = latest?.row.id === row.id ? latest : read && eventDetail(read, error.project_id, groupings);
  const [older] = eventsOf(core, error, { before: row.id, limit: 1 });
  const [newer] = eventsOf(core, error, { after: row.id, limit: 1 });
  const [first] = older === undefined ? [] : eventsOf(core, error, { after: 0, limit: 1 });
  const [last] = newer === undefined ? [] : eventsOf(core, error, { limit: 1 });
  const step = (text: string, to: EventRow | undefined): Markup | string =>
    to === undefined ? '' : html`<a class="button second" href="${address}?event=${idOf(to)}#event">${text}</a>`;
  return html`<section class="card event" aria-labelledby="event">
<h2 id="event">Event at ${isoTime(row.occurred_at)}</h2>
${
  older === undefined && newer === undefined
    ? ''
    : html`<nav class="actions start" aria-label="Events">${step('First', first)}${step('Previous', older)}${step('Next', newer)}${step('Latest', last)}</nav>`
}
<dl class="facts">
<dt>Event ID</dt><dd><code>${idOf(row)}</code></dd>
<dt>Received</dt><dd>${ago(row.received_at, now)}</dd>
<dt>Level</dt><dd>${row.level}</dd>
${row.release === null ? '' : html`<dt>Release</dt><dd><bdi>${shortened(row.release)}</bdi></dd>`}
${row.environment === null ? '' : html`<dt>Environment</dt><dd><bdi>${shortened(row.environment)}</bdi></dd>`}
</dl>
${event === undefined ? html`<p class="muted">The details of this event are no longer available. Only the latest events are stored in full.</p>` : ''}
</section>
${event === undefined ? '' : eventMarkup(event)}`;
}

function idOf(row: EventRow): string {
  return Buffer.from(row.event_id).toString('hex');
}

function formatRelease(fullPath: string, release: ReleaseDetail | undefined): Markup | string {
  if (release === undefined) return '';
  const { version, commit } = release;
  return html` in <bdi>${shortened(version)}</bdi>${
    commit === undefined
      ? ''
      : html`, commit <a href="/${fullPath}/-/commit/${commit.id}">${commit.id.slice(0, 8)}</a> ${shortened(titleOf(commit.message), 80)}`
  }`;
}

function formatValues(name: string, values: readonly ValueCount[]): Markup | string {
  if (values.length === 0) return '';
  const more = values.length - SHOWN_VALUES;
  return html`<dt>${name}</dt><dd>${values
    .slice(0, SHOWN_VALUES)
    .map(
      ({ value, count }) => html`<span class="line"><bdi>${shortened(value)}</bdi> <span class="muted">${count}</span></span>`,
    )}${more > 0 ? html`<span class="line muted">and ${more} more</span>` : ''}</dd>`;
}

function formatState(state: ErrorState, eventsSince: number, now: number): Markup | string {
  switch (state.status) {
    case 'unresolved':
      return '';
    case 'resolved':
      return html`<p>Resolved ${ago(state.at, now)}. The next event reopens it.</p>`;
    case 'resolved_in_next_release':
      return html`<p>Resolved ${ago(state.at, now)} in the release after ${shownReleases(state.releases)}. Events of ${
        state.releases.length === 1 ? 'this release' : 'these releases'
      } and older ones do not reopen it; all others do.</p>${
        eventsSince === 0
          ? ''
          : html`<p>Still reported by older releases: ${eventsSince} ${eventsSince === 1 ? 'event' : 'events'} since ${isoTime(state.at)}.</p>`
      }`;
    case 'ignored':
      return html`<p>Ignored ${ago(state.at, now)}, ${formatUntil(state.until)}.</p>`;
  }
}

/** Releases of different applications, of which there are rarely more than one. */
function shownReleases(releases: readonly string[]): Markup[] {
  return releases.map((release, index) => html`${index === 0 ? '' : ', '}<bdi>${shortened(release)}</bdi>`);
}

function formatUntil(until: Extract<ErrorState, { readonly status: 'ignored' }>['until']): string {
  switch (until?.kind) {
    case undefined:
      return 'permanently';
    case 'next_occurrence':
      return 'until it occurs again';
    case 'occurrences':
      return `until it occurs ${until.count} more ${until.count === 1 ? 'time' : 'times'}`;
    case 'occurrences_per_hour':
      return `until it occurs ${until.count} ${until.count === 1 ? 'time' : 'times'} in an hour`;
    case 'date':
      return `until ${isoTime(until.at)}`;
  }
}

function statusForms(action: string, status: ErrorStatus, { facets }: ErrorDetail, formToken: string): Markup {
  const button = (input: ErrorStatus, text: string, style: string): Markup =>
    html`<form class="inline" method="post" action="${action}">${formTokenField(formToken)}<input type="hidden" name="status" value="${input}"><button class="${style}" type="submit">${text}</button></form>`;
  if (status !== 'unresolved') return html`<div class="actions start">${button('unresolved', 'Reopen', 'second')}</div>`;
  return html`<div class="actions start">${button('resolved', 'Resolve', '')}${
    facets.release.length === 0 ? '' : button('resolved_in_next_release', 'Resolve in the next release', 'second')
  }</div>
<details><summary>Ignore</summary>
<form method="post" action="${action}">${formTokenField(formToken)}<input type="hidden" name="status" value="ignored">
<div class="field"><label for="until">Duration</label>
<select id="until" name="until">${Object.entries(ignoreOptions).map(([value, text]) => html`<option value="${value}">${text}</option>`)}</select></div>
<div class="actions start"><button class="second" type="submit">Ignore</button></div>
</form></details>`;
}

/** Options of the form that ignores an error. */
const ignoreOptions: Readonly<Record<string, string>> = {
  '': 'Permanently',
  next_occurrence: 'Until it occurs again',
  occurrences: 'Until it occurs 10 more times',
  occurrences_per_hour: 'Until it occurs 10 times in an hour',
  day: 'For a day',
  week: 'For a week',
};
