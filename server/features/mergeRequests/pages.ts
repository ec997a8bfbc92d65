import type { GitCore } from '../../repositories/repositories.ts';
import { html } from 'hono/html';
import { diffMarkup, SHOWN_FILES } from '../code/code.ts';
import { mayPush } from '../pushes/pushes.ts';
import { titleOf } from '../../repositories/names.ts';
import { readFirstChanges } from '../../repositories/objects.ts';
import { recordNotFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { findUser } from '../users/users.ts';
import { labelsOf } from '../labels/labels.ts';
import { commentSection } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { holdsRole, readableCodeSql } from '../abilities/abilities.ts';
import { type ProjectPageRequest, projectPageRoute, viewerId } from '../projectAccess/projectAccess.ts';
import { ago, type Markup, type PageContent } from '../../web/layout.ts';
import { pageNumber, pager } from '../../web/pager.ts';
import { requestedState, stateTabs } from '../../web/stateTabs.ts';
import { createWriter } from '../../web/writing.ts';
import { findMergeRequest, type MergeRequest, mayWrite, noteableOf, peopleOn } from './manageMergeRequests.ts';
import { newMergeRequestPages } from './newPage.ts';
import { detailedStatus } from './rules.ts';
import { listMergeRequests } from './store.ts';
import { commitsOf, examined, knownVersion, mergeMetadata, shownVersion } from './versions.ts';

const REQUESTS_OF_PAGE = 50;
const SHOWN_COMMITS = 100;

/** The pages of merge requests: the list of a project, the target of `web_url`, and the form for a new one. */
export function mergeRequestPages(core: GitCore): Route[] {
  const metadata = { method: 'GET', specRef: 'Web addresses', status: 'local' } as const;
  return [
    ...newMergeRequestPages(core),
    projectPageRoute({ ...metadata, path: '/*full_path/-/merge_requests' }, (request) => showList(core, request)),
    projectPageRoute({ ...metadata, path: '/*full_path/-/merge_requests/:merge_request_iid' }, (request) =>
      showMergeRequest(core, request),
    ),
  ];
}

function showList(core: GitCore, found: ProjectPageRequest): PageContent {
  if (!found.can.readMergeRequests)
    throw recordNotFound('viewing merge requests of a private project requires at least the reporter role');
  return listContent(core, found);
}

async function showMergeRequest(core: GitCore, found: ProjectPageRequest): Promise<PageContent> {
  const iid = /^\d{1,15}$/.test(found.rest) ? Number(found.rest) : undefined;
  const mergeRequest = iid === undefined ? undefined : findMergeRequest(core, found, iid);
  if (mergeRequest === undefined) throw recordNotFound('no such merge request, or it is not visible to the user');
  return content(core, found, await examined(core, found, mergeRequest));
}

const states = {
  opened: { name: 'Open', empty: 'No open merge requests.' },
  merged: { name: 'Merged', empty: 'No merged merge requests.' },
  closed: { name: 'Closed', empty: 'No closed merge requests.' },
  all: { name: 'All', empty: 'No merge requests.' },
} as const;

/** Page with the merge requests of a project in one state. */
function listContent(core: Core, request: ProjectPageRequest): PageContent {
  const { project, access, caller, now, query } = request;
  const address = `/${project.full_path}/-/merge_requests`;
  const state = requestedState(states, query, 'opened');
  const page = pageNumber(request);
  const rows = listMergeRequests(
    core.store,
    {
      viewer: viewerId(caller),
      readable: readableCodeSql(access),
      projectId: project.id,
      state: state === 'all' ? undefined : state,
      is: {},
      not: {},
      today: '',
    },
    { order: 'created_at', sort: 'desc', limit: REQUESTS_OF_PAGE + 1, offset: (page - 1) * REQUESTS_OF_PAGE },
  );
  return {
    title: `Merge requests · ${project.name}`,
    heading: 'Merge requests',
    width: 'wide',
    body: html`${stateTabs(states, address, state)}
<div class="card">
${
  rows.length === 0
    ? html`<p class="muted">${page === 1 ? states[state].empty : 'No more merge requests.'}</p>`
    : html`<ul class="rows">${rows.slice(0, REQUESTS_OF_PAGE).map(
        (row) => html`<li><a href="${address}/${row.iid}">!${row.iid} ${row.title}</a>
<span class="badge">${row.state === 'opened' ? 'open' : row.state}</span>
<span class="muted small">${ago(row.created_at, now)}</span></li>`,
      )}</ul>`
}
${
  mayPush(request) && mayWrite(request)
    ? html`<p class="actions start"><a class="button second" href="${address}/new">New merge request</a></p>`
    : ''
}
${pager(address, page, rows.length > REQUESTS_OF_PAGE, state === 'opened' ? {} : { state })}
</div>`,
  };
}

const statusLabels: Readonly<Record<ReturnType<typeof detailedStatus>, string>> = {
  not_open: '',
  commits_status: 'There is nothing to merge, or one of the branches no longer exists.',
  unchecked: 'Mergeability has not been checked yet.',
  draft_status: 'This merge request is a draft.',
  conflict: 'There are merge conflicts.',
  mergeable: 'Ready to merge.',
};

async function content(core: GitCore, found: ProjectPageRequest, mergeRequest: MergeRequest): Promise<PageContent> {
  const { project, now, access } = found;
  const withInternal = holdsRole(access, 'reporter');
  const write = createWriter(found.context.site, { project });
  const labels = labelsOf(core, 'MergeRequest', [mergeRequest.id]).get(mergeRequest.id) ?? [];
  const { assignees, reviewers } = peopleOn(core, mergeRequest);
  const { merged_at: mergedAt, merged_by: mergedBy, closed_at: closedAt, closed_by: closedBy, description } = mergeRequest;
  const text = statusLabels[detailedStatus(mergeMetadata(mergeRequest))];
  return {
    title: mergeRequest.title,
    width: 'wide',
    body: html`<div class="card">
<p class="muted"><a href="/${project.full_path}">${project.name}</a> <a href="/${project.full_path}/-/merge_requests">merge request</a> !${mergeRequest.iid}</p>
<p class="marks"><span class="badge">${mergeRequest.state === 'opened' ? 'open' : mergeRequest.state}</span>${
      mergeRequest.draft === 1 ? html`<span class="badge">draft</span>` : ''
    }${labels.map(({ title }) => html`<span class="badge">${title}</span>`)}</p>
${description === null || description === '' ? html`<p class="muted">No description.</p>` : await write(description)}
<dl class="facts">
<dt>Branches</dt><dd><code>${mergeRequest.source_branch}</code> into <code>${mergeRequest.target_branch}</code></dd>
<dt>Opened</dt><dd>${ago(mergeRequest.created_at, now)} by ${personLink(core, mergeRequest.author_id)}</dd>
${mergedAt === null ? '' : html`<dt>Merged</dt><dd>${ago(mergedAt, now)}${mergedBy === null ? '' : html` by ${personLink(core, mergedBy)}`}</dd>`}
${closedAt === null ? '' : html`<dt>Closed</dt><dd>${ago(closedAt, now)}${closedBy === null ? '' : html` by ${personLink(core, closedBy)}`}</dd>`}
${assignees.length === 0 ? '' : html`<dt>Assignees</dt><dd>${people(core, assignees)}</dd>`}
${reviewers.length === 0 ? '' : html`<dt>Reviewers</dt><dd>${people(core, reviewers)}</dd>`}
${text === '' ? '' : html`<dt>State</dt><dd>${text}</dd>`}
</dl>
</div>
${await commentSection(core, { noteable: noteableOf(mergeRequest), withInternal }, write, now)}
${await changes(core, found, mergeRequest)}`,
  };
}

/** The commits and file changes. */
async function changes(core: GitCore, found: ProjectPageRequest, mergeRequest: MergeRequest): Promise<Markup> {
  const known = await knownVersion(core, found, mergeRequest, shownVersion(mergeRequest));
  if (known === undefined) return html`<p class="muted">The repository no longer exists.</p>`;
  const { repository, version } = known;
  const { project } = found;
  const commits = await commitsOf(repository, version);
  const shown = commits.slice(0, SHOWN_COMMITS);
  return html`<section class="card" aria-labelledby="commits">
<h2 id="commits">Commits</h2>
${
  shown.length === 0
    ? html`<p class="muted">No commits.</p>`
    : html`<ul class="rows">${shown.map(
        (commit) => html`<li><a href="/${project.full_path}/-/commit/${commit.id}">${titleOf(commit.message)}</a>
<p class="muted small">${commit.id.slice(0, 8)} by ${commit.author.name}</p></li>`,
      )}</ul>`
}
${commits.length > SHOWN_COMMITS ? html`<p class="muted small">Showing only the latest ${SHOWN_COMMITS} commits.</p>` : ''}
</section>
${diffMarkup(project, version.head_sha, await readFirstChanges(repository, version.base_sha, version.head_sha, SHOWN_FILES))}`;
}

function people(core: Core, ids: readonly number[]): readonly Markup[] {
  return ids.map((id, index) => html`${index === 0 ? '' : ', '}${personLink(core, id)}`);
}

function personLink(core: Core, id: number): Markup {
  const user = findUser(core, id);
  return user === undefined ? html`somebody` : html`<a href="/${user.username}">${user.name}</a>`;
}
