import { html } from 'hono/html';
import { groupPageRoute } from '../groups/groups.ts';
import { recordNotFound } from '../http/failures.ts';
import type { Route } from '../http/route.ts';
import { findUser } from '../identity/identity.ts';
import { issuesById } from '../issues/issues.ts';
import { labelsOf } from '../labels/labels.ts';
import { commentSection } from '../notes/notes.ts';
import type { Platform } from '../platform.ts';
import { readableIssuesSql, accessOf, viewerId } from '../projects/projects.ts';
import { ago } from '../web/layout.ts';
import { createWriter } from '../web/writing.ts';
import { findEpic } from './epics.ts';
import { commentableEpic } from './commentable.ts';
import { listEpicIssues } from './store.ts';

const SHOWN = 100;

/** The page of an epic: what its `web_url` opens. It only shows. */
export function epicPages(platform: Platform): Route[] {
  return [
    groupPageRoute(
      platform,
      {
        method: 'GET',
        path: '/groups/*full_path/-/epics/:epic_iid',
        specRef: 'Web addresses',
        status: 'local',
        tiers: ['premium', 'ultimate'],
      },
      async (request) => {
        const { group, rest, caller, now } = request;
        const epic = /^\d{1,15}$/.test(rest) ? findEpic(platform, request, Number(rest), caller?.user) : undefined;
        if (epic === undefined) throw recordNotFound('no such epic, or the person may not see it');
        const seen = { viewer: viewerId(caller), readable: readableIssuesSql(accessOf(caller)) };
        const ties = listEpicIssues(platform.store, epic.id, seen, SHOWN + 1, 0);
        const byId = issuesById(
          platform,
          ties.map((tie) => tie.issue_id),
        );
        const issues = ties.map((tie) => byId.get(tie.issue_id)).filter((issue) => issue !== undefined);
        const labels = labelsOf(platform, 'Epic', [epic.id]).get(epic.id) ?? [];
        const author = findUser(platform, epic.author_id);
        const write = createWriter(platform, {});
        const { noteable, can } = commentableEpic(request, epic);
        const begins = epic.start_date_is_fixed === 1 ? epic.start_date_fixed : epic.start_date_inherited;
        const due = epic.due_date_is_fixed === 1 ? epic.due_date_fixed : epic.due_date_inherited;
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
            author === undefined ? 'somebody' : html`<a href="/${author.username}">${author.name}</a>`
          }</dd>
${begins === null ? '' : html`<dt>Begins</dt><dd>${begins}</dd>`}
${due === null ? '' : html`<dt>Due</dt><dd>${due}</dd>`}
${epic.closed_at === null ? '' : html`<dt>Closed</dt><dd>${ago(epic.closed_at, now)}</dd>`}
</dl>
</div>
<section class="card" aria-labelledby="issues">
<h2 id="issues">Issues</h2>
${
  issues.length === 0
    ? html`<p class="muted">None that you may see.</p>`
    : html`<ul class="rows">${issues.slice(0, SHOWN).map(
        (
          issue,
        ) => html`<li><a href="/${issue.project_path}/-/issues/${issue.iid}">${issue.project_path}#${issue.iid} ${issue.title}</a>
<span class="badge">${issue.state === 'opened' ? 'open' : 'closed'}</span></li>`,
      )}</ul>`
}
${issues.length > SHOWN ? html`<p class="muted small">Only the first ${SHOWN} are shown.</p>` : ''}
</section>
${await commentSection(platform, { noteable, withInternal: can.readInternal }, write, now)}`,
        };
      },
    ),
  ];
}
