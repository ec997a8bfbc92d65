import { html } from 'hono/html';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { Route } from '../../http/route.ts';
import type { Markup, PageContent } from '../../web/layout.ts';
import { pageNumber, pager } from '../../web/pager.ts';
import { pageRoute, type PageRequest, personPageRoute, type SignedInPageRequest } from '../../web/route.ts';
import { activityAround } from '../activity/activity.ts';
import { listSeenGroups } from '../groups/groups.ts';
import { isUnclaimed } from '../users/users.ts';
import { maySetUp, SET_UP_PAGE } from '../signIn/signIn.ts';
import { listSeenProjects } from '../projectAccess/projectAccess.ts';

/** Number of projects and of groups on the start page. */
const MAX_SHOWN = 6;
const MAX_EVENTS_SHOWN = 15;
const ENTRIES_OF_PAGE = 50;

const metadata = { method: 'GET', specRef: 'Web addresses', status: 'local' } as const;

/** Returns the routes of the start page and of the lists of projects and groups: all that are visible, and those of a member. */
export function homePages(core: Core): Route[] {
  return [
    pageRoute({ ...metadata, path: '/' }, (request) => showStart(core, request)),
    personPageRoute({ ...metadata, path: '/dashboard/projects' }, (request) => showOwnProjects(core, request)),
    personPageRoute({ ...metadata, path: '/dashboard/groups' }, (request) => showOwnGroups(core, request)),
    pageRoute({ ...metadata, path: '/explore/projects' }, (request) => showAllProjects(core, request)),
    pageRoute({ ...metadata, path: '/explore/groups' }, (request) => showAllGroups(core, request)),
  ];
}

function showStart(core: Core, { caller, now }: PageRequest): PageContent {
  return caller === undefined ? welcomeContent(core) : homeContent(core, caller, now);
}

function showOwnProjects(core: Core, request: SignedInPageRequest): PageContent {
  return listContent(request, 'projects', 'Your projects', '/explore/projects', (page) =>
    listSeenProjects(core, request.caller, { isMember: true, ...page }),
  );
}

function showOwnGroups(core: Core, request: SignedInPageRequest): PageContent {
  return listContent(request, 'groups', 'Your groups', '/explore/groups', (page) =>
    listSeenGroups(core, request.caller, { isMember: true, ...page }),
  );
}

function showAllProjects(core: Core, request: PageRequest): PageContent {
  return listContent(request, 'projects', 'All projects', undefined, (page) =>
    listSeenProjects(core, request.caller, { isMember: false, ...page }),
  );
}

function showAllGroups(core: Core, request: PageRequest): PageContent {
  return listContent(request, 'groups', 'All groups', undefined, (page) =>
    listSeenGroups(core, request.caller, { isMember: false, ...page }),
  );
}

function welcomeContent(core: Core): PageContent {
  return {
    title: 'Welcome',
    body: html`<div class="card">
<p>A GitLab-compatible server on this machine. You are not signed in.</p>
<ul class="rows tight">
<li><a href="/users/sign_in">${isUnclaimed(core) ? 'Set up this server' : 'Sign in'}</a></li>
<li><a href="/explore/projects">Public projects</a></li>
<li><a href="/oauth/device">Enter a device code</a></li>
<li><a href="/help/api">API reference</a></li>
<li><a href="/help/deprecations">Deprecations</a></li>
</ul>
</div>`,
  };
}

function homeContent(core: Core, caller: Caller, now: number): PageContent {
  const { user } = caller;
  const shown = { isMember: true, limit: MAX_SHOWN + 1, offset: 0 };
  return {
    title: 'Home',
    heading: `Hello, ${user.name}`,
    width: 'wide',
    body: html`<p class="lead">You are signed in as <strong>@${user.username}</strong>.</p>
<div class="columns">
<div>
${entrySection('projects', 'Your projects', listSeenProjects(core, caller, shown))}
</div>
<div>
${entrySection('groups', 'Your groups', listSeenGroups(core, caller, shown))}
<section class="card" aria-labelledby="account">
<h2 id="account">Your account</h2>
<ul class="rows tight">
<li><a href="/user_settings/profile">Settings</a></li>
<li><a href="/user_settings/personal_access_tokens">Access tokens</a></li>
<li><a href="/user_settings/applications">Applications</a></li>
<li><a href="/-/profile/notifications">Notifications</a></li>
<li><a href="/${user.username}">Profile page</a></li>
${maySetUp(core, caller) ? html`<li><a href="${SET_UP_PAGE}">Set a password for root</a></li>` : ''}
</ul>
</section>
<section class="card" aria-labelledby="develop">
<h2 id="develop">Build on this server</h2>
<ul class="rows tight">
<li><a href="/help/api">API reference</a></li>
<li><a href="/oauth/device">Enter a device code</a></li>
<li><a href="/help/deprecations">Deprecations</a></li>
</ul>
</section>
</div>
</div>
<section class="card" aria-labelledby="activity">
<h2 id="activity">Activity in your projects</h2>
${activityAround(core, caller, now, MAX_EVENTS_SHOWN)}
</section>`,
  };
}

/** A project or group in a list. */
interface Entry {
  readonly name: string;
  readonly full_path: string;
  readonly visibility: string;
  readonly description: string | null;
}

type Kind = 'projects' | 'groups';

function entrySection(kind: Kind, heading: string, entries: readonly Entry[]): Markup {
  return html`<section class="card" aria-labelledby="${kind}">
<h2 id="${kind}">${heading}</h2>
${entryList(kind, entries.slice(0, MAX_SHOWN), `You are not a member of any ${kind}.`)}
<p><a href="/${entries.length > MAX_SHOWN ? 'dashboard' : 'explore'}/${kind}">${
    entries.length > MAX_SHOWN ? `All your ${kind}` : `All ${kind} that you can see`
  }</a></p>
</section>`;
}

function listContent(
  request: PageRequest,
  kind: Kind,
  title: string,
  more: string | undefined,
  list: (page: { readonly limit: number; readonly offset: number }) => readonly Entry[],
): PageContent {
  const page = pageNumber(request);
  const entries = list({ limit: ENTRIES_OF_PAGE + 1, offset: (page - 1) * ENTRIES_OF_PAGE });
  return {
    title,
    width: 'wide',
    body: html`<div class="card">
${entryList(kind, entries.slice(0, ENTRIES_OF_PAGE), `No ${kind}.`)}
${pager(request.context.path, page, entries.length > ENTRIES_OF_PAGE)}
${more === undefined ? '' : html`<p><a href="${more}">All ${kind} that you can see</a></p>`}
</div>`,
  };
}

function entryList(kind: Kind, entries: readonly Entry[], empty: string): Markup {
  if (entries.length === 0) return html`<p class="muted">${empty}</p>`;
  return html`<ul class="rows">${entries.map(
    ({
      name,
      full_path,
      visibility,
      description,
    }) => html`<li><a href="/${kind === 'groups' ? 'groups/' : ''}${full_path}">${name}</a>
<span class="badge">${visibility}</span>
<p class="muted small">${full_path}</p>
${description === null || description === '' ? '' : html`<p class="small">${description}</p>`}</li>`,
  )}</ul>`;
}
