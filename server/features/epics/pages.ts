import { html } from 'hono/html';
import { groupPageRoute } from '../groups/groups.ts';
import { recordNotFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { findUser } from '../identity/identity.ts';
import { issuesById } from '../issues/issues.ts';
import { labelsOf } from '../labels/labels.ts';
import { commentSection } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { readableIssuesSql, accessOf, viewerId } from '../projects/projects.ts';
import { ago } from '../../web/layout.ts';
import { createWriter } from '../../web/writing.ts';
import { findEpic } from './manageEpics.ts';
import { commentableEpic } from './commentable.ts';
import { listEpicIssues } from './store.ts';

const MAX_ISSUES_SHOWN = 100;

/** Returns the routes of the read-only epic page, which the `web_url` of an epic opens. */
export function epicPages(core: Core): Route[] {
  return [
    groupPageRoute(
      {
        method: 'GET',
        path: '/groups/*full_path/-/epics/:epic_iid',
        specRef: 'Web addresses',
        status: 'local',
        tiers: ['premium', 'ultimate'],
      },
      async (request) => {
        const { group, rest, caller, now } = request;
        const epic = /^\d{1,15}$/.test(rest) ? findEpic(core, request, Number(rest), caller?.user) : undefined;
        if (epic === undefined) throw recordNotFound('no such epic, or it is not visible to the user');
        const visibility = { viewer: viewerId(caller), readable: readableIssuesSql(accessOf(caller)) };
        const epicIssues = listEpicIssues(core.store, epic.id, visibility, MAX_ISSUES_SHOWN + 1, 0);
        const byId = issuesById(
          core,
          epicIssues.map((epicIssue) => epicIssue.issue_id),
        );
        const issues = epicIssues.map((epicIssue) => byId.get(epicIssue.issue_id)).filter((issue) => issue !== undefined);
        const labels = labelsOf(core, 'Epic', [epic.id]).get(epic.id) ?? [];
        const author = findUser(core, epic.author_id);
        const write = createWriter(request.context.site, {});
        const { noteable, can } = commentableEpic(core, request, epic);
        const startDate = epic.start_date_is_fixed === 1 ? epic.start_date_fixed : epic.start_date_inherited;
        const dueDate = epic.due_date_is_fixed === 1 ? epic.due_date_fixed : epic.due_date_inherited;
        return {
          title: epic.title,
          width: 'wide',
          body: html`<div class="card">
<p class="muted"><a href="/groups/${group.full_path}">${group.name}</a> epic ${epic.iid}</p>
<p class="marks"><span class="badge">${epic.state === 'opened' ? 'open' : 'closed'}</span>${
            epic.confidential === 1 ? html`<span class="badge">confidential</span>` : ''
          }${labels.map(({ title }) => html`<span class="badge">${title}</span>`)}</p>
${
  epic.description === null || epic.description === ''
    ? html`<p class="muted">No description.</p>`
    : await write(epic.description)
}
<dl class="facts">
<dt>Opened</dt><dd>${ago(epic.created_at, now)} by ${
            author === undefined ? 'Deleted user' : html`<a href="/${author.username}">${author.name}</a>`
          }</dd>
${startDate === null ? '' : html`<dt>Start date</dt><dd>${startDate}</dd>`}
${dueDate === null ? '' : html`<dt>Due date</dt><dd>${dueDate}</dd>`}
${epic.closed_at === null ? '' : html`<dt>Closed</dt><dd>${ago(epic.closed_at, now)}</dd>`}
</dl>
</div>
<section class="card" aria-labelledby="issues">
<h2 id="issues">Issues</h2>
${
  issues.length === 0
    ? html`<p class="muted">No issues.</p>`
    : html`<ul class="rows">${issues.slice(0, MAX_ISSUES_SHOWN).map(
        (
          issue,
        ) => html`<li><a href="/${issue.project_path}/-/issues/${issue.iid}">${issue.project_path}#${issue.iid} ${issue.title}</a>
<span class="badge">${issue.state === 'opened' ? 'open' : 'closed'}</span></li>`,
      )}</ul>`
}
${issues.length > MAX_ISSUES_SHOWN ? html`<p class="muted small">Showing the first ${MAX_ISSUES_SHOWN} issues.</p>` : ''}
</section>
${await commentSection(core, { noteable, withInternal: can.readInternal }, write, now)}`,
        };
      },
    ),
  ];
}
