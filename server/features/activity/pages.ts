import { html } from 'hono/html';
import { isoDate } from '../../core/clock.ts';
import { findMovedGroup, findMovedNamespace, groupContent } from '../groups/groups.ts';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import type { Caller, User } from '../../core/caller.ts';
import { findUserByName, isProfileShown } from '../identity/identity.ts';
import { type Note, notesByIds } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { findProjects, type FoundProject, ownProjects } from '../projects/projects.ts';
import { ago, type Markup } from '../../web/layout.ts';
import { pageRoute, type Redirection } from '../../web/route.ts';
import { feedOfUser } from './feeds.ts';
import { actionNumbers } from './rules.ts';
import { type EventRow, listEvents, pushesOf } from './store.ts';

const MAX_EVENTS_SHOWN = 30;

/** Returns the routes of the profile pages, which the `web_url` of a user opens. Users and groups share one namespace of names. */
export function personPages(core: Core): Route[] {
  return [
    pageRoute(
      { method: 'GET', path: '/:username', specRef: 'Web addresses', status: 'local' },
      ({ pathParameters, caller, now }) => {
        const username = pathParameters['username'] ?? '';
        const user = findUserByName(core, username);
        const group = user === undefined ? groupContent(core, username, caller) : undefined;
        if (group !== undefined) return group;
        if (user === undefined) return movedPage(core, username, caller);
        return { title: user.name, width: 'wide', body: profileBody(core, user, caller, now) };
      },
    ),
  ];
}

/** Redirects a former path of a user or top-level group to its page. Throws 404 if the caller sees none that had the path. */
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
${activityList(core, user, caller, now)}
</section>`;
}

function activityList(core: Core, user: User, caller: Caller | undefined, now: number): Markup {
  const feed = feedOfUser(core, user.id, caller);
  const rows = listEvents(core.store, feed, { sort: 'desc', limit: MAX_EVENTS_SHOWN, offset: 0 });
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
    const location = found === undefined ? '' : html` · <a href="/${found.project.full_path}">${found.project.name}</a>`;
    return html`<li>${describeEvent(row, found, note, pushes.get(row.id)?.ref ?? null)}${location}
<span class="muted small">${ago(row.created_at, now)}</span></li>`;
  })}</ul>`;
}

const actionVerbs: Readonly<Record<number, string>> = {
  [actionNumbers.created]: 'Opened',
  [actionNumbers.closed]: 'Closed',
  [actionNumbers.reopened]: 'Reopened',
  [actionNumbers.merged]: 'Merged',
  [actionNumbers.approved]: 'Approved',
};

/** Returns the description of an event with a link to its target. */
function describeEvent(
  row: EventRow,
  found: FoundProject | undefined,
  note: Note | undefined,
  ref: string | null,
): Markup | string {
  const issue = (iid: number, anchor = ''): Markup =>
    html`<a href="/${found?.project.full_path ?? ''}/-/issues/${iid}${anchor}">#${iid} ${row.target_title ?? ''}</a>`;
  if (row.target_type === 'Issue') return html`${actionVerbs[row.action] ?? 'Updated'} ${issue(row.target_iid ?? 0)}`;
  const request = (iid: number, anchor = ''): Markup =>
    html`<a href="/${found?.project.full_path ?? ''}/-/merge_requests/${iid}${anchor}">!${iid} ${row.target_title ?? ''}</a>`;
  if (row.target_type === 'MergeRequest') return html`${actionVerbs[row.action] ?? 'Updated'} ${request(row.target_iid ?? 0)}`;
  if (note !== undefined) {
    const link = note.noteable_type === 'MergeRequest' ? request : issue;
    return html`Commented on ${link(note.noteable_iid ?? 0, `#note_${note.id}`)}`;
  }
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
