import { html } from 'hono/html';
import { type GroupPageRequest, groupPageRoute } from '../groups/groups.ts';
import { recordNotFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import { findMilestoneByIid, listMilestones, type Milestone, type MilestoneContainer } from '../milestones/milestones.ts';
import type { Core } from '../../core/core.ts';
import { accessOf, type ProjectPageRequest, projectPageRoute, viewerId } from '../projectAccess/projectAccess.ts';
import { readableIssuesSql } from '../abilities/abilities.ts';
import { ago, type Markup, type PageContent } from '../../web/layout.ts';
import { pageNumber, pager } from '../../web/pager.ts';
import type { PageRequest } from '../../web/route.ts';
import { requestedState, stateTabs } from '../../web/stateTabs.ts';
import { createWriter, type Writer } from '../../web/writing.ts';
import type { IssueFilter } from './filters.ts';
import { listIssues } from './store.ts';

const MAX_ISSUES_SHOWN = 100;
const MILESTONES_OF_PAGE = 50;

const states = {
  active: { name: 'Open', empty: 'No open milestones.' },
  closed: { name: 'Closed', empty: 'No closed milestones.' },
  all: { name: 'All', empty: 'No milestones.' },
} as const;

/** Returns the routes of the pages of milestones: the lists of projects and groups, and those that their `web_url` opens, which include the issues that the user can see. */
export function milestonePages(core: Core): Route[] {
  const metadata = { method: 'GET', specRef: 'Web addresses', status: 'local' } as const;
  return [
    groupPageRoute({ ...metadata, path: '/groups/*full_path/-/milestones' }, (request) => groupList(core, request)),
    groupPageRoute({ ...metadata, path: '/groups/*full_path/-/milestones/:milestone_iid' }, (request) =>
      groupMilestone(core, request),
    ),
    projectPageRoute({ ...metadata, path: '/*full_path/-/milestones' }, (request) => projectList(core, request)),
    projectPageRoute({ ...metadata, path: '/*full_path/-/milestones/:milestone_iid' }, (request) =>
      projectMilestone(core, request),
    ),
  ];
}

function groupList(core: Core, request: GroupPageRequest): PageContent {
  const { group } = request;
  const address = `/groups/${group.full_path}/-/milestones`;
  return listContent(core, request, { container: { kind: 'group', id: group.id }, name: group.name, address });
}

function groupMilestone(core: Core, request: GroupPageRequest): Promise<PageContent> {
  const { group, rest, caller, now } = request;
  const containerLink = html`<a href="/groups/${group.full_path}">${group.name}</a>`;
  return milestoneContent(
    core,
    mustFind(core, { kind: 'group', id: group.id }, rest),
    containerLink,
    createWriter(request.context.site, {}),
    caller,
    now,
  );
}

function projectList(core: Core, request: ProjectPageRequest): PageContent {
  const { project, can } = request;
  if (!can.readMilestones) throw recordNotFound('the user can see neither issues nor merge requests of the project');
  const address = `/${project.full_path}/-/milestones`;
  return listContent(core, request, { container: { kind: 'project', id: project.id }, name: project.name, address });
}

function projectMilestone(core: Core, request: ProjectPageRequest): Promise<PageContent> {
  const { project, can, rest, caller, now } = request;
  if (!can.readMilestones) throw recordNotFound('the user can see neither issues nor merge requests of the project');
  const containerLink = html`<a href="/${project.full_path}">${project.name}</a>`;
  return milestoneContent(
    core,
    mustFind(core, { kind: 'project', id: project.id }, rest),
    containerLink,
    createWriter(request.context.site, { project }),
    caller,
    now,
  );
}

/** @throws {NotFound} If the project or group has no milestone with this number. */
function mustFind(core: Core, container: MilestoneContainer, rest: string): Milestone {
  const milestone = /^\d{1,15}$/.test(rest) ? findMilestoneByIid(core, container, Number(rest)) : undefined;
  if (milestone === undefined) throw recordNotFound('no such milestone');
  return milestone;
}

/** A project or group whose milestones a page lists. */
interface Listed {
  readonly container: MilestoneContainer;
  readonly name: string;
  readonly address: string;
}

/** Page with the milestones of a project or group in one state, by due date. */
function listContent(core: Core, request: PageRequest, { container, name, address }: Listed): PageContent {
  const state = requestedState(states, request.query, 'active');
  const page = pageNumber(request);
  const filter = { container, withAncestors: false, state: state === 'all' ? undefined : state };
  const rows = listMilestones(core.store, filter, MILESTONES_OF_PAGE + 1, (page - 1) * MILESTONES_OF_PAGE);
  return {
    title: `Milestones · ${name}`,
    heading: 'Milestones',
    width: 'wide',
    body: html`${stateTabs(states, address, state)}
<div class="card">
${
  rows.length === 0
    ? html`<p class="muted">${page === 1 ? states[state].empty : 'No more milestones.'}</p>`
    : html`<ul class="rows">${rows.slice(0, MILESTONES_OF_PAGE).map(
        (milestone) => html`<li><a href="${address}/${milestone.iid}">${milestone.title}</a>
${milestone.state === 'closed' ? html`<span class="badge">closed</span>` : ''}
${milestone.due_date === null ? '' : html`<span class="muted small">due ${milestone.due_date}</span>`}</li>`,
      )}</ul>`
}
${pager(address, page, rows.length > MILESTONES_OF_PAGE, state === 'active' ? {} : { state })}
</div>`,
  };
}

async function milestoneContent(
  core: Core,
  milestone: Milestone,
  containerLink: Markup,
  write: Writer,
  caller: Caller | undefined,
  now: number,
): Promise<PageContent> {
  const { description } = milestone;
  const filter: IssueFilter = {
    viewer: viewerId(caller),
    readable: readableIssuesSql(accessOf(caller)),
    milestone: { id: milestone.id },
  };
  const issues = await listIssues(core.store, filter, {
    order: 'created_at',
    sort: 'desc',
    limit: MAX_ISSUES_SHOWN + 1,
    offset: 0,
  });
  return {
    title: milestone.title,
    width: 'wide',
    body: html`<div class="card">
<p class="muted">${containerLink} milestone ${milestone.iid}</p>
<p class="marks"><span class="badge">${milestone.state === 'active' ? 'open' : 'closed'}</span></p>
${description === null || description === '' ? html`<p class="muted">No description.</p>` : await write(description)}
<dl class="facts">
${milestone.start_date === null ? '' : html`<dt>Start date</dt><dd>${milestone.start_date}</dd>`}
${milestone.due_date === null ? '' : html`<dt>Due date</dt><dd>${milestone.due_date}</dd>`}
<dt>Created</dt><dd>${ago(milestone.created_at, now)}</dd>
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
<span class="badge">${issue.state === 'opened' ? 'open' : 'closed'}</span>${
          issue.confidential === 1 ? html` <span class="badge">confidential</span>` : ''
        }</li>`,
      )}</ul>`
}
${issues.length > MAX_ISSUES_SHOWN ? html`<p class="muted small">Showing the newest ${MAX_ISSUES_SHOWN} issues.</p>` : ''}
</section>`,
  };
}
