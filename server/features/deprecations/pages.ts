import type { DeprecationsCore } from './deprecationsCore.ts';
import { html } from 'hono/html';
import { RETENTION_DAYS } from '../../core/retention.ts';
import {
  additions,
  type DeprecationId,
  deprecationIds,
  deprecationOf,
  inferredDateOf,
  isDeprecationId,
  stateIn,
  versionPolicy,
} from '../../../src/contract/deprecations.ts';
import { compareReleases, type Release } from '../../../src/contract/releases.ts';
import { isoDate } from '../../core/clock.ts';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { isAdministrator } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { releases } from '../../core/profile.ts';
import { ago, formTokenField, type Markup, type PageContent } from '../../web/layout.ts';
import { type PageRequest, pageRoute, personPageRoute, type SignedInPageRequest } from '../../web/route.ts';
import { behaviorOf, exampleOf } from './behavior.ts';
import { deprecationPath, REPORT_PATH } from '../../http/deprecationHeaders.ts';
import type { OpenReplica } from './replica.ts';
import { countCalls, listCalls, type StoredCall } from './store.ts';
import { type ReplayedRead, type WhatIf, whatIf } from './whatIf.ts';

const metadata = { specRef: 'Deprecations', status: 'local' } as const;

const WHAT_IF_PATH = `${REPORT_PATH}/what_if`;
const latestRelease = releases.at(-1) ?? '20.0';

/** Maximum number of calls on the page. */
const MAX_SHOWN = 500;

/** Returns the routes of the pages of deprecations. */
export function deprecationPages(core: DeprecationsCore, openReplica: OpenReplica): Route[] {
  return [
    personPageRoute({ ...metadata, method: 'GET', path: REPORT_PATH }, (request) => reportContent(core, request)),
    personPageRoute({ ...metadata, method: 'POST', path: WHAT_IF_PATH, response: 200 }, (request) =>
      showWhatIf(core, request, openReplica),
    ),
    pageRoute({ ...metadata, method: 'GET', path: '/help/deprecations/:id' }, (request) => showDeprecation(core, request)),
  ];
}

async function showWhatIf(
  core: DeprecationsCore,
  { form, caller, baseUrl }: SignedInPageRequest,
  openReplica: OpenReplica,
): Promise<PageContent> {
  const release = releases.find((known) => known === form.get('release')) ?? latestRelease;
  const isOfAll = isAdministrator(caller) && form.get('all') === '1';
  const userId = isOfAll ? undefined : caller.user.id;
  return whatIfContent(core.profile.release, await whatIf(core, openReplica, { release, userId, baseUrl }));
}

function showDeprecation(core: DeprecationsCore, { pathParameters, baseUrl }: PageRequest): PageContent {
  const { id = '' } = pathParameters;
  if (!isDeprecationId(id)) throw notFound('Page');
  return deprecationContent(core, id, baseUrl);
}

/** The report: what the clients of a user called that breaks at a release, and the registry. */
function reportContent(core: DeprecationsCore, { query, caller, now, formToken }: SignedInPageRequest): PageContent {
  const release = releases.find((known) => known === query.get('release')) ?? latestRelease;
  const isOfAll = isAdministrator(caller) && query.get('all') === '1';
  const text = (query.get('q') ?? '').trim();
  core.deprecatedCalls.flush();
  const userId = isOfAll ? undefined : caller.user.id;
  const breaking = { userId, deprecations: deprecationIds.filter((id) => stateIn(id, release) === 'removed') };
  const calls = listCalls(core.store, breaking, MAX_SHOWN);
  const total = countCalls(core.store, breaking);
  const others = countCalls(core.store, { userId }) - total;
  return {
    title: 'Deprecations',
    width: 'wide',
    body: html`<section class="card" aria-labelledby="report">
<h2 id="report">${isOfAll ? 'Calls of all users' : 'Your calls'} that break in release ${release}</h2>
<form class="filters" method="get" action="${REPORT_PATH}">
<div class="field">
<label for="release">Release</label>
<select id="release" name="release">${releases
      .toReversed()
      .map((known) => html`<option value="${known}" ${known === release ? html`selected` : ''}>${known}</option>`)}</select>
</div>
${isAdministrator(caller) ? html`<label class="choice"><input type="checkbox" name="all" value="1" ${isOfAll ? html`checked` : ''}><span>Calls of all users</span></label>` : ''}
<div class="actions start"><button type="submit">Show</button></div>
</form>
${calls.length === 0 ? html`<p>${emptyText(core, release, isOfAll)}</p>` : [...clientsOf(calls)].map(([client, rows]) => clientPart(client, rows, isOfAll, now))}
${total > calls.length ? html`<p class="muted">Only the latest ${calls.length} of ${total} rows are shown.</p>` : ''}
${others === 0 ? '' : html`<p class="muted">${others === 1 ? '1 more row is about an element' : `${others} more rows are about elements`} that release ${release} still has.</p>`}
<form method="post" action="${WHAT_IF_PATH}">
${formTokenField(formToken())}
<input type="hidden" name="release" value="${release}">
${isOfAll ? html`<input type="hidden" name="all" value="1">` : ''}
<p class="hint">The latest reads of ${isOfAll ? 'all users' : 'your clients'} are sent again to a copy of this server in memory, which emulates release ${release}. Nothing is changed.</p>
<div class="actions start"><button class="second" type="submit">Send reads again in ${release}</button></div>
</form>
</section>
${registryPart(core, { release, isOfAll, text })}
<section class="card" aria-labelledby="policy">
<h2 id="policy">Additions and policy</h2>
<p>These additions change how existing requests behave:</p>
<ul class="members">${Object.values(additions).map(({ item, addedIn }) => html`<li>${item}: since release ${addedIn}</li>`)}</ul>
<p>What is said about versions of the API:</p>
<ul class="members">${versionPolicy.map((sentence) => html`<li>${sentence}</li>`)}</ul>
</section>`,
  };
}

function emptyText({ profile }: Core, release: Release, isOfAll: boolean): string {
  const whose = isOfAll ? 'No client' : 'None of your clients';
  return `${whose} has called anything that release ${release} no longer has. Calls of the last ${RETENTION_DAYS} days count, in every release that the server emulates; now it is ${profile.release}.`;
}

/** Groups calls by client: the application whose token was used, and the product that sent it. */
function clientsOf(calls: readonly StoredCall[]): ReadonlyMap<string, readonly StoredCall[]> {
  return Map.groupBy(calls, ({ user_agent: product, application_name: application }) => {
    const shown = product === '' ? 'Unnamed client' : product;
    return application === null ? shown : `${shown}, application ${application}`;
  });
}

function clientPart(client: string, calls: readonly StoredCall[], isOfAll: boolean, now: number): Markup {
  return html`<div>
<h3>${client}</h3>
<ul class="rows">${calls.map(({ deprecation, request, username, count, first_at: first, last_at: last }) => {
    const { removedIn, replacement } = deprecationOf(deprecation);
    return html`<li>
<p><code>${request}</code> <span class="muted small">${count === 1 ? 'once' : `${count} times`}${isOfAll ? (username === null ? ', without signing in' : `, @${username}`) : ''}</span></p>
<p class="small">First ${ago(first, now)}, last ${ago(last, now)}. Ends with release ${removedIn ?? ''}.</p>
<p>${replacement}. <a href="${deprecationPath(deprecation)}">About ${deprecation}</a></p>
</li>`;
  })}</ul>
</div>`;
}

/** Table of the whole registry, filtered by text. */
function registryPart(
  { profile }: Core,
  { release, isOfAll, text }: { readonly release: Release; readonly isOfAll: boolean; readonly text: string },
): Markup {
  const words = text.toLowerCase();
  const ids = deprecationIds.filter((id) => {
    const { kind, items, replacement, note = '' } = deprecationOf(id);
    return [id, kind, ...items, replacement, note].some((part) => part.toLowerCase().includes(words));
  });
  return html`<section class="card" aria-labelledby="registry">
<h2 id="registry">All announced deprecations</h2>
<form class="filters" method="get" action="${REPORT_PATH}#registry" role="search">
<input type="hidden" name="release" value="${release}">
${isOfAll ? html`<input type="hidden" name="all" value="1">` : ''}
<div class="field"><label for="q">Search</label><input id="q" name="q" type="text" value="${text}" autocomplete="off" spellcheck="false"></div>
<div class="actions start"><button class="second" type="submit">Search</button></div>
</form>
${
  ids.length === 0
    ? html`<p>No deprecation contains this text.</p>`
    : html`<div class="scroll" role="region" aria-label="Table of deprecations" tabindex="0">
<table>
<thead><tr><th scope="col">Element</th><th scope="col">Announced</th><th scope="col">Removed</th><th scope="col">In ${profile.release}</th></tr></thead>
<tbody>${ids.map((id) => registryRow(id, profile.release))}</tbody>
</table>
</div>`
}
</section>`;
}

/** Shows what differs in another release. */
function whatIfContent(current: Release, { release, requests, writes }: WhatIf): PageContent {
  const changed = requests.filter(
    ({ differences, status_before: before, status_after: after }) => differences.length > 0 || before !== after,
  );
  return {
    title: `Reads in release ${release}`,
    width: 'wide',
    body: html`<p class="crumbs"><a href="${REPORT_PATH}?release=${release}">Deprecations</a></p>
<section class="card" aria-labelledby="reads">
<h2 id="reads">${changed.length} of ${requests.length} reads differ</h2>
<p class="muted">Each read was sent twice in release ${current} and once in ${release}. Values that also vary within release ${current} are left out. A * stands for any position in a list.</p>
${requests.length === 0 ? html`<p>No reads have been recorded since this server started. Use your clients, and come back.</p>` : ''}
<ul class="rows">${changed.map(changedRead)}</ul>
</section>
<section class="card" aria-labelledby="writes">
<h2 id="writes">Writes that release ${release} refuses or changes</h2>
${
  writes.length === 0
    ? html`<p>None of the recorded writes uses an element that ends by then.</p>`
    : html`<ul class="rows">${writes.map(
        ({ request, deprecation, outcome }) =>
          html`<li><p><code>${request}</code></p><p>${outcome} <a href="${deprecationPath(deprecation)}">About ${deprecation}</a></p></li>`,
      )}</ul>`
}
</section>`,
  };
}

function changedRead({
  request,
  user,
  status_before: before,
  status_after: after,
  differences,
  deprecations,
}: ReplayedRead): Markup {
  return html`<li>
<p><code>${request}</code> <span class="muted small">${user === null ? 'anonymous' : `@${user}`}</span></p>
${before === after ? '' : html`<p>Status ${before} becomes <strong>${after}</strong>.</p>`}
${differences.map(
  ({ path, before: old, after: next, count }) => html`<dl class="difference">
<dt>${path === '' ? 'whole response' : path}${count === 1 ? '' : `, ${count} times`}</dt>
<dd class="diff">${old === null ? '' : html`<span class="removed mono">− ${old}</span>`}${next === null ? '' : html`<span class="added mono">+ ${next}</span>`}</dd>
</dl>`,
)}
${deprecations.map((id) => html`<p><a href="${deprecationPath(id)}">About ${id}</a></p>`)}
</li>`;
}

function registryRow(id: DeprecationId, release: Release): Markup {
  const { kind, items, announcedIn, removedIn } = deprecationOf(id);
  const [first = '', ...others] = items;
  return html`<tr>
<td><a href="${deprecationPath(id)}">${first}</a>${others.length === 0 ? '' : ` and ${others.length} more`} <span class="muted small line">${kind}</span></td>
<td>${announcedIn}</td><td>${removedIn ?? 'not planned'}</td><td>${stateBadge(id, release)}</td>
</tr>`;
}

function stateBadge(id: DeprecationId, release: Release): Markup {
  const state = stateIn(id, release);
  const name = { current: 'completed', deprecated: 'waiting', removed: 'refused' }[state];
  return html`<span class="badge ${name}">${state === 'current' ? 'not announced' : state}</span>`;
}

/** Explains a deprecation. */
function deprecationContent({ profile }: Core, id: DeprecationId, baseUrl: string): PageContent {
  const row = deprecationOf(id);
  const { kind, items, announcedIn, removedIn, textNames, replacement, note } = row;
  const { before, between, after } = behaviorOf(row);
  const example = exampleOf(row, baseUrl);
  return {
    title: items.length === 1 ? (items[0] ?? id) : id,
    width: 'wide',
    body: html`<p class="crumbs"><a href="${REPORT_PATH}">Deprecations</a></p>
<section class="card" aria-labelledby="facts">
<h2 id="facts">Announcement</h2>
<dl class="facts">
<dt>Kind</dt><dd>${kind}</dd>
<dt>Elements</dt><dd><ul class="members">${items.map((item) => html`<li><code>${item}</code></li>`)}</ul></dd>
<dt>Announced</dt><dd>${releaseWithDate(announcedIn)}</dd>
<dt>Removed</dt><dd>${removedIn === undefined ? 'no longer planned' : releaseWithDate(removedIn)}${
      textNames === undefined ? '' : html`; the text of the announcement names release ${textNames}`
    }</dd>
<dt>In release ${profile.release}</dt><dd>${stateBadge(id, profile.release)}</dd>
<dt>Replacement</dt><dd>${replacement}.</dd>
${note === undefined ? '' : html`<dt>Note</dt><dd>${note}.</dd>`}
</dl>
</section>
<section class="card" aria-labelledby="behavior">
<h2 id="behavior">Behavior of this server</h2>
<dl class="facts">
<dt>Before ${announcedIn}</dt><dd>${before}</dd>
<dt>${removedIn === undefined ? `Since ${announcedIn}` : `From ${announcedIn} to ${releaseBefore(removedIn)}`}</dt><dd>${between}</dd>
${after === undefined || removedIn === undefined ? '' : html`<dt>Since ${removedIn}</dt><dd>${after}</dd>`}
</dl>
${
  example === undefined
    ? ''
    : html`<div><h3>Example</h3>
<pre>${example}</pre></div>`
}
</section>`,
  };
}

/** Returns a release with its day, which is inferred from the calendar of releases. */
function releaseWithDate(release: Release): Markup {
  const day = isoDate(inferredDateOf(release));
  return html`in release ${release}, <time datetime="${day}">${day}</time> <span class="badge">inferred</span>`;
}

function releaseBefore(release: Release): Release {
  return releases.findLast((known) => compareReleases(known, release) < 0) ?? release;
}
