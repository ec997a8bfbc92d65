import { html } from 'hono/html';
import { type GroupPageRequest, groupPageRoute } from '../groups/groups.ts';
import { recordNotFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { findUser } from '../users/users.ts';
import { issuesById } from '../issues/issues.ts';
import { labelsOf } from '../labels/labels.ts';
import { commentSection } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { readableIssuesSql } from '../abilities/abilities.ts';
import { accessOf, viewerId } from '../projectAccess/projectAccess.ts';
import { ago, type PageContent } from '../../web/layout.ts';
import { pageNumber, pager } from '../../web/pager.ts';
import { requestedState, stateTabs } from '../../web/stateTabs.ts';
import { createWriter } from '../../web/writing.ts';
import { findEpic } from './manageEpics.ts';
import { commentableEpic } from './commentable.ts';
import { listEpicIssues, listEpics } from './store.ts';

const MAX_ISSUES_SHOWN = 100;
const EPICS_OF_PAGE = 50;

const metadata = { method: 'GET', specRef: 'Web addresses', status: 'local', tiers: ['premium', 'ultimate'] } as const;

const states = {
  opened: { name: 'Open', empty: 'No open epics.' },
  closed: { name: 'Closed', empty: 'No closed epics.' },
  all: { name: 'All', empty: 'No epics.' },
} as const;

/** Returns the routes of the read-only pages of epics: the list of a group, and the page that the `web_url` of an epic opens. */
export function epicPages(core: Core): Route[] {
  return [
    groupPageRoute({ ...metadata, path: '/groups/*full_path/-/epics' }, (request) => listContent(core, request)),
    groupPageRoute({ ...metadata, path: '/groups/*full_path/-/epics/:epic_iid' }, (request) => epicContent(core, request)),
  ];
}

async function epicContent(core: Core, request: GroupPageRequest): Promise<PageContent> {
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
}

/** Page with the epics of a group in one state. */
function listContent(core: Core, request: GroupPageRequest): PageContent {
  const { group, caller, now, query } = request;
  const address = `/groups/${group.full_path}/-/epics`;
  const state = requestedState(states, query, 'opened');
  const page = pageNumber(request);
  const rows = listEpics(
    core.store,
    {
      groupId: group.id,
      viewer: viewerId(caller),
      isAdministrator: accessOf(caller).isAdministrator,
      state: state === 'all' ? undefined : state,
    },
    { order: 'created_at', sort: 'desc', limit: EPICS_OF_PAGE + 1, offset: (page - 1) * EPICS_OF_PAGE },
  );
  return {
    title: `Epics · ${group.name}`,
    heading: 'Epics',
    width: 'wide',
    body: html`${stateTabs(states, address, state)}
<div class="card">
${
  rows.length === 0
    ? html`<p class="muted">${page === 1 ? states[state].empty : 'No more epics.'}</p>`
    : html`<ul class="rows">${rows.slice(0, EPICS_OF_PAGE).map(
        (epic) => html`<li><a href="${address}/${epic.iid}">&amp;${epic.iid} ${epic.title}</a>
${epic.state === 'closed' ? html`<span class="badge">closed</span>` : ''}
${epic.confidential === 1 ? html`<span class="badge">confidential</span>` : ''}
<span class="muted small">${ago(epic.created_at, now)}</span></li>`,
      )}</ul>`
}
${pager(address, page, rows.length > EPICS_OF_PAGE, state === 'opened' ? {} : { state })}
</div>`,
  };
}
