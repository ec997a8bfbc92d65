import type { GitCore } from '../../repositories/repositories.ts';
import { uploadRedirection } from '../uploads/uploads.ts';
import { html } from 'hono/html';
import { isoDate } from '../../core/clock.ts';
import { repositoryCards } from '../code/code.ts';
import { groupContent } from '../groups/groups.ts';
import { recordNotFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { findUser } from '../users/users.ts';
import { labelsOf } from '../labels/labels.ts';
import { commentSection } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { type ProjectPageRequest, projectPageRoute, viewerId } from '../projectAccess/projectAccess.ts';
import { readableIssuesSql } from '../abilities/abilities.ts';
import { ago, type Markup, type PageContent } from '../../web/layout.ts';
import { pageNumber, pager } from '../../web/pager.ts';
import { requestedState, stateTabs } from '../../web/stateTabs.ts';
import { createWriter } from '../../web/writing.ts';
import { findIssue, type Issue, noteableOf } from './manageIssues.ts';
import { assigneesOf, type IssueRow, listIssues } from './store.ts';

const MAX_ISSUES_SHOWN = 20;
const ISSUES_OF_PAGE = 50;

/** Returns the routes of the read-only pages of projects, issues and subgroups, which their `web_url` opens. */
export function issuePages(core: GitCore): Route[] {
  const metadata = { method: 'GET', specRef: 'Web addresses', status: 'local' } as const;

  return [
    projectPageRoute({ ...metadata, path: '/*full_path/-/issues' }, (request) => showList(core, request)),
    projectPageRoute({ ...metadata, path: '/*full_path/-/issues/:issue_iid' }, (request) => showIssue(core, request)),
    projectPageRoute(
      { ...metadata, path: '/*full_path' },
      (found) => projectContent(core, found),
      (path, caller) => uploadRedirection(core, path, caller) ?? groupContent(core, path, caller),
    ),
  ];
}

function showList(core: GitCore, found: ProjectPageRequest): Promise<PageContent> {
  if (!found.can.readIssues) throw recordNotFound('issues are disabled in the project, or limited to its members');
  return listContent(core, found);
}

function showIssue(core: GitCore, found: ProjectPageRequest): Promise<PageContent> {
  const issue = /^\d{1,15}$/.test(found.rest) ? findIssue(core, found, Number(found.rest), found.caller?.user) : undefined;
  if (issue === undefined) throw recordNotFound('no such issue, or it is not visible to the user');
  return issueContent(core, found, issue);
}

async function projectContent(core: GitCore, found: ProjectPageRequest): Promise<PageContent> {
  const { project, now } = found;
  const owner = project.namespace_owner_id === null ? undefined : findUser(core, project.namespace_owner_id);
  return {
    title: project.name,
    width: 'wide',
    body: html`<div class="card">
${project.description === null || project.description === '' ? '' : html`<p class="typed">${project.description}</p>`}
<p class="marks"><span class="badge">${project.visibility}</span>${project.archived === 1 ? html`<span class="badge">archived</span>` : ''}</p>
<dl class="facts">
${owner === undefined ? '' : html`<dt>Owner</dt><dd><a href="/${owner.username}">${owner.name}</a></dd>`}
<dt>Project ID</dt><dd>${project.id}</dd>
<dt>Created</dt><dd>${ago(project.created_at, now)}</dd>
<dt>Last activity</dt><dd>${ago(project.last_activity_at, now)}</dd>
</dl>
</div>
${await repositoryCards(core, found)}
${found.can.readIssues ? await openIssues(core, found) : ''}`,
  };
}

async function openIssues(core: Core, found: ProjectPageRequest): Promise<Markup> {
  const rows = await issuesOf(core, found, 'opened', { limit: MAX_ISSUES_SHOWN + 1, offset: 0 });
  return html`<section class="card" aria-labelledby="issues">
<h2 id="issues">Open issues</h2>
${issueRows(found, rows.slice(0, MAX_ISSUES_SHOWN), 'No open issues.')}
${rows.length > MAX_ISSUES_SHOWN ? html`<p><a href="/${found.project.full_path}/-/issues">All open issues</a></p>` : ''}
</section>`;
}

const states = {
  opened: { name: 'Open', empty: 'No open issues.' },
  closed: { name: 'Closed', empty: 'No closed issues.' },
  all: { name: 'All', empty: 'No issues.' },
} as const;

/** Page with the issues of a project in one state. */
async function listContent(core: Core, found: ProjectPageRequest): Promise<PageContent> {
  const { project, query } = found;
  const address = `/${project.full_path}/-/issues`;
  const state = requestedState(states, query, 'opened');
  const page = pageNumber(found);
  const rows = await issuesOf(core, found, state === 'all' ? undefined : state, {
    limit: ISSUES_OF_PAGE + 1,
    offset: (page - 1) * ISSUES_OF_PAGE,
  });
  return {
    title: `Issues · ${project.name}`,
    heading: 'Issues',
    width: 'wide',
    body: html`${stateTabs(states, address, state)}
<div class="card">
${issueRows(found, rows.slice(0, ISSUES_OF_PAGE), page === 1 ? states[state].empty : 'No more issues.')}
${pager(address, page, rows.length > ISSUES_OF_PAGE, state === 'opened' ? {} : { state })}
</div>`,
  };
}

/** Returns the issues of a project that the user can see, newest first. */
function issuesOf(
  core: Core,
  { project, access, caller }: ProjectPageRequest,
  state: 'opened' | 'closed' | undefined,
  page: { readonly limit: number; readonly offset: number },
): Promise<readonly IssueRow[]> {
  const filter = { viewer: viewerId(caller), readable: readableIssuesSql(access), projectId: project.id, state };
  return listIssues(core.store, filter, { order: 'created_at', sort: 'desc', ...page });
}

function issueRows({ project, now }: ProjectPageRequest, rows: readonly IssueRow[], empty: string): Markup {
  if (rows.length === 0) return html`<p class="muted">${empty}</p>`;
  return html`<ul class="rows">${rows.map(
    (issue) => html`<li><a href="/${project.full_path}/-/issues/${issue.iid}">#${issue.iid} ${issue.title}</a>
${issue.state === 'closed' ? html`<span class="badge">closed</span>` : ''}
${issue.confidential === 1 ? html`<span class="badge">confidential</span>` : ''}
<span class="muted small">${ago(issue.created_at, now)}</span></li>`,
  )}</ul>`;
}

async function issueContent(core: Core, found: ProjectPageRequest, issue: Issue): Promise<PageContent> {
  const { project, now } = found;
  const write = createWriter(found.context.site, { project });
  const labels = (labelsOf(core, 'Issue', [issue.id]).get(issue.id) ?? []).map(({ title }) => title);
  const assignees = assigneesOf(core.store, [issue.id]).map((row) => row.user_id);
  return {
    title: issue.title,
    width: 'wide',
    body: html`<div class="card">
<p class="muted"><a href="/${project.full_path}">${project.name}</a> #${issue.iid}</p>
<p class="marks"><span class="badge">${issue.state === 'opened' ? 'open' : 'closed'}</span>${
      issue.confidential === 1 ? html`<span class="badge">confidential</span>` : ''
    }${labels.map((label) => html`<span class="badge">${label}</span>`)}</p>
${
  issue.description === null || issue.description === ''
    ? html`<p class="muted">No description.</p>`
    : await write(issue.description)
}
<dl class="facts">
<dt>Opened</dt><dd>${ago(issue.created_at, now)} by ${personLink(core, issue.author_id)}</dd>
${
  issue.closed_at === null
    ? ''
    : html`<dt>Closed</dt><dd>${ago(issue.closed_at, now)}${issue.closed_by === null ? '' : html` by ${personLink(core, issue.closed_by)}`}</dd>`
}
${
  assignees.length === 0
    ? ''
    : html`<dt>Assigned to</dt><dd>${assignees.map((id, index) => html`${index === 0 ? '' : ', '}${personLink(core, id)}`)}</dd>`
}
${issue.due_date === null ? '' : html`<dt>Due date</dt><dd>${issue.due_date}</dd>`}
<dt>Updated</dt><dd>${isoDate(issue.updated_at)}</dd>
</dl>
</div>
${await commentSection(core, { noteable: noteableOf(issue), withInternal: found.can.readConfidential }, write, now)}`,
  };
}

function personLink(core: Core, id: number): Markup {
  const user = findUser(core, id);
  return user === undefined ? html`Deleted user` : html`<a href="/${user.username}">${user.name}</a>`;
}
