import { html } from 'hono/html';
import { isoDate } from '../../core/clock.ts';
import { findMovedGroup, findMovedNamespace, groupContent } from '../groups/groups.ts';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import type { Caller, User } from '../../core/caller.ts';
import { findUser, findUserByName } from '../users/users.ts';
import { isProfileShown } from '../profiles/profiles.ts';
import { type Note, notesByIds } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import {
  findProjects,
  type FoundProject,
  ownProjects,
  type ProjectPageRequest,
  projectPageRoute,
} from '../projectAccess/projectAccess.ts';
import { ago, type Markup, type PageContent } from '../../web/layout.ts';
import { pageNumber, pager } from '../../web/pager.ts';
import { type PageRequest, type PageResponse, pageRoute, type Redirection } from '../../web/route.ts';
import { feedOfMemberships, feedOfProject, feedOfUser, type VisibleFeed } from './feeds.ts';
import { actionNumbers } from './rules.ts';
import { type EventRow, listEvents, pushesOf } from './store.ts';

const MAX_EVENTS_SHOWN = 30;

/** Returns the routes of the activity of projects and of the profile pages, which the `web_url` of a user opens. Users and groups share names. */
export function personPages(core: Core): Route[] {
  return [
    projectPageRoute({ method: 'GET', path: '/*full_path/-/activity', specRef: 'Web addresses', status: 'local' }, (request) =>
      projectActivityContent(core, request),
    ),
    pageRoute({ method: 'GET', path: '/:username', specRef: 'Web addresses', status: 'local' }, (request) =>
      showProfile(core, request),
    ),
  ];
}

function showProfile(core: Core, { pathParameters, caller, now }: PageRequest): PageResponse {
  const username = pathParameters['username'] ?? '';
  const user = findUserByName(core, username);
  const group = user === undefined ? groupContent(core, username, caller) : undefined;
  if (group !== undefined) return group;
  if (user === undefined) return movedPage(core, username, caller);
  return { title: user.name, width: 'wide', body: profileBody(core, user, caller, now) };
}

/** Redirects a former path of a user or top-level group to its page. Throws `NotFound` if the caller sees none that had the path. */
function movedPage(core: Core, formerPath: string, caller: Caller | undefined): Redirection {
  const group = findMovedGroup(core, formerPath, caller)?.group;
  if (group !== undefined) return { redirectTo: `/groups/${group.full_path}` };
  const namespace = findMovedNamespace(core, formerPath, caller);
  if (namespace?.kind !== 'user') throw notFound('User');
  return { redirectTo: `/${namespace.full_path}` };
}

function profileBody(core: Core, user: User, caller: Caller | undefined, now: number): Markup {
  if (!isProfileShown(user, caller)) {
    return html`<div class="card"><p>@${user.username}</p><p class="muted">This profile is private.</p></div>`;
  }
  const projects = ownProjects(core, user.id, caller);
  return html`<div class="card">
<dl class="facts">
<dt>Username</dt><dd>@${user.username}</dd>
${user.bio === '' ? '' : html`<dt>Bio</dt><dd class="typed">${user.bio}</dd>`}
<dt>Member since</dt><dd>${isoDate(user.created_at)}</dd>
</dl>
</div>
<section class="card" aria-labelledby="projects">
<h2 id="projects">Projects</h2>
${
  projects.length === 0
    ? html`<p class="muted">No projects.</p>`
    : html`<ul class="rows">${projects.map(
        ({ project }) => html`<li><a href="/${project.full_path}">${project.name}</a>
<span class="badge">${project.visibility}</span>
${project.description === null || project.description === '' ? '' : html`<p class="muted small">${project.description}</p>`}</li>`,
      )}</ul>`
}
</section>
<section class="card" aria-labelledby="activity">
<h2 id="activity">Activity</h2>
${activityList(core, caller, now, eventsOf(core, feedOfUser(core, user.id, caller)))}
</section>`;
}

function projectActivityContent(core: Core, request: ProjectPageRequest): PageContent {
  const { project, caller, now } = request;
  const page = pageNumber(request);
  const rows = eventsOf(core, feedOfProject(request, caller), page, MAX_EVENTS_SHOWN + 1);
  return {
    title: `Activity · ${project.name}`,
    heading: 'Activity',
    width: 'wide',
    body: html`<div class="card">
${activityList(core, caller, now, rows.slice(0, MAX_EVENTS_SHOWN), 'authors')}
${pager(`/${project.full_path}/-/activity`, page, rows.length > MAX_EVENTS_SHOWN)}
</div>`,
  };
}

/** Returns the latest activity in the projects of a user, with authors and projects. */
export function activityAround(core: Core, caller: Caller, now: number, limit: number): Markup {
  return activityList(core, caller, now, eventsOf(core, feedOfMemberships(core, caller), 1, limit), 'both');
}

function eventsOf(core: Core, feed: VisibleFeed, page = 1, limit = MAX_EVENTS_SHOWN): EventRow[] {
  return listEvents(core.store, feed, { sort: 'desc', limit, offset: (page - 1) * MAX_EVENTS_SHOWN });
}

/** Returns a list of events. Each row names its project, its author, or both. */
function activityList(
  core: Core,
  caller: Caller | undefined,
  now: number,
  rows: readonly EventRow[],
  named: 'projects' | 'authors' | 'both' = 'projects',
): Markup {
  if (rows.length === 0) return html`<p class="muted">No activity.</p>`;
  const projects = findProjects(core, [...new Set(rows.map((row) => row.project_id))], caller);
  const notes = notesByIds(
    core,
    rows.map((row) => row.note_id).filter((id) => id !== null),
  );
  const pushes = pushesOf(
    core.store,
    rows.map((row) => row.id),
  );
  return html`<ul class="rows">${rows.map((row) => {
    const found = projects.get(row.project_id);
    const note = row.note_id === null ? undefined : notes.get(row.note_id);
    const location =
      found === undefined || named === 'authors' ? '' : html` · <a href="/${found.project.full_path}">${found.project.name}</a>`;
    const author = named === 'projects' ? undefined : findUser(core, row.author_id);
    return html`<li>${describeEvent(row, found, note, pushes.get(row.id)?.ref ?? null)}${location}
<span class="muted small">${author === undefined ? '' : html`by <a href="/${author.username}">${author.name}</a> `}${ago(row.created_at, now)}</span></li>`;
  })}</ul>`;
}

const actionVerbs: Readonly<Record<number, string>> = {
  [actionNumbers.created]: 'Opened',
  [actionNumbers.closed]: 'Closed',
  [actionNumbers.reopened]: 'Reopened',
  [actionNumbers.merged]: 'Merged',
  [actionNumbers.approved]: 'Approved',
  [actionNumbers.destroyed]: 'Deleted milestone',
};

/** A page of a project below `/-/`, with the reference that names it in a link. */
interface Target {
  readonly path: string;
  readonly name: string;
}

/** Returns the page of the target of an event; undefined for a deleted milestone and an event of the project itself. */
function targetOf({ target_type: type, target_iid: iid }: EventRow): Target | undefined {
  if (iid === null) return undefined;
  if (type === 'Issue') return { path: `issues/${iid}`, name: `#${iid}` };
  if (type === 'MergeRequest') return { path: `merge_requests/${iid}`, name: `!${iid}` };
  return type === 'Milestone' ? { path: `milestones/${iid}`, name: 'milestone' } : undefined;
}

/** Returns the page of a commented resource of a project. */
function commentedOn(note: Note): Target {
  const iid = note.noteable_iid ?? 0;
  switch (note.noteable_type) {
    case 'MergeRequest':
      return { path: `merge_requests/${iid}`, name: `!${iid}` };
    case 'Snippet':
      return { path: `snippets/${note.noteable_id}`, name: `$${note.noteable_id}` };
    case 'Commit':
      return { path: `commit/${note.commit_id ?? ''}`, name: (note.commit_id ?? '').slice(0, 8) };
    default:
      return { path: `issues/${iid}`, name: `#${iid}` };
  }
}

/** Returns the description of an event with a link to its target. */
function describeEvent(
  row: EventRow,
  found: FoundProject | undefined,
  note: Note | undefined,
  ref: string | null,
): Markup | string {
  const target = note === undefined ? targetOf(row) : commentedOn(note);
  const title = row.target_title ?? '';
  if (target !== undefined) {
    const verb = note === undefined ? (actionVerbs[row.action] ?? 'Updated') : 'Commented on';
    const anchor = note === undefined ? '' : `#note_${note.id}`;
    return html`${verb} <a href="/${found?.project.full_path ?? ''}/-/${target.path}${anchor}">${target.name} ${title}</a>`;
  }
  if (row.target_type !== null) return html`${actionVerbs[row.action] ?? 'Updated'} ${title}`;
  switch (row.action) {
    case actionNumbers.created:
      return 'Created the project';
    case actionNumbers.joined:
      return 'Joined the project';
    case actionNumbers.left:
      return 'Left the project';
    case actionNumbers.expired:
      return 'Membership ended';
    case actionNumbers.pushed:
      return ref === null ? 'Pushed to several branches or tags' : html`Pushed to <code>${ref}</code>`;
    default:
      return row.target_title ?? 'Other activity';
  }
}
