import type { Core } from '../../core/core.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { html } from 'hono/html';
import { isoTime } from '../../core/clock.ts';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { commentSection, type Noteable, noteList } from '../notes/notes.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { ago, type Markup, type PageContent } from '../../web/layout.ts';
import { pageNumber, pager } from '../../web/pager.ts';
import { createWriter } from '../../web/writing.ts';
import { codeAddress, type CodePageRequest, codePageRoute, codeTabs, commitLink, locate, shortened } from './codePage.ts';
import { diffMarkup, SHOWN_FILES } from './diffMarkup.ts';
import { resolveRef } from '../git/git.ts';
import { isTreePath, titleOf } from '../../repositories/names.ts';
import { MAX_MESSAGE_BYTES } from '../../repositories/shortFields.ts';
import {
  type CommitObject,
  listCommits,
  mergeBase,
  readCommits,
  readFirstChanges,
  type Signature,
} from '../../repositories/objects.ts';

const COMMITS_OF_PAGE = 20;
const COMMITS_COMPARED = 100;

/** Returns a commit as the owner of its comments. */
export type CommitNoteable = (core: Core, project: Project, sha: string) => Noteable;

/** Pages of histories, single commits and comparisons. */
export function commitPages(core: GitCore, commitNoteable: CommitNoteable): Route[] {
  return [
    codePageRoute(core, '/*full_path/-/commits/*rest', (request) => commitsContent(core, request)),
    codePageRoute(core, '/*full_path/-/commit/:sha', (request) => commitContent(core, request, commitNoteable)),
    codePageRoute(core, '/*full_path/-/compare/*rest', (request) => comparisonContent(core, request)),
  ];
}

async function commitsContent(core: GitCore, request: CodePageRequest): Promise<PageContent> {
  const { project, now } = request;
  const { repository, commit, ref, path } = await locate(core, request);
  const page = pageNumber(request);
  const isFine = path === '' || isTreePath(path);
  const history = { from: isFine ? [commit] : [], path: path === '' ? undefined : path };
  const commits = await listCommits(repository, history, COMMITS_OF_PAGE + 1, (page - 1) * COMMITS_OF_PAGE);
  if (commits.length === 0 && path !== '' && page === 1) throw notFound('Page', 'no commit changes this path');
  return {
    title: `Commits of ${shortened(path === '' ? ref : path)} · ${project.name}`,
    heading: 'Commits',
    width: 'wide',
    body: html`${codeTabs(project, 'Commits', ref)}
<div class="card">
<p class="marks"><span class="badge">${ref}</span>${path === '' ? '' : html`<a href="${codeAddress(project, 'blob', ref, path)}">${path}</a>`}</p>
${commitList(project, commits.slice(0, COMMITS_OF_PAGE), now)}
${pager(codeAddress(project, 'commits', ref, path), page, commits.length > COMMITS_OF_PAGE)}
</div>`,
  };
}

async function commitContent(core: GitCore, request: CodePageRequest, commitNoteable: CommitNoteable): Promise<PageContent> {
  const { project, repository, rest, now } = request;
  const id = await resolveRef(core, repository, project, rest);
  const [commit] = repository === undefined || id === undefined ? [] : await readCommits(repository, [id], MAX_MESSAGE_BYTES);
  if (repository === undefined || commit === undefined) throw notFound('Page', 'no such commit');
  const changes = await readFirstChanges(repository, commit.parents[0], commit.id, SHOWN_FILES);
  const title = titleOf(commit.message);
  const more = commit.message.trimStart().slice(title.length).trim();
  const { author, committer } = commit;
  const write = createWriter(request.context.site, { project });
  const notes = { noteable: commitNoteable(core, project, commit.id), withInternal: false };
  const hasComments = noteList(core, notes, 'created_at', 'asc').count(1) > 0;
  return {
    title: `${shortened(title === '' ? commit.id.slice(0, 8) : title)} · ${project.name}`,
    heading: title === '' ? commit.id.slice(0, 8) : title,
    width: 'wide',
    body: html`${codeTabs(project, 'Commits')}
<div class="card">
${more === '' ? '' : await write(more, { keepsLines: true })}
<dl class="facts">
<dt>Author</dt><dd>${person(author, now)}</dd>
${
  author.name === committer.name && author.email === committer.email && author.seconds === committer.seconds
    ? ''
    : html`<dt>Committer</dt><dd>${person(committer, now)}</dd>`
}
<dt>Commit</dt><dd class="mono">${commit.id}</dd>
<dt>${commit.parents.length === 1 ? 'Parent' : 'Parents'}</dt><dd class="mono">${
      commit.parents.length === 0
        ? 'none (root commit)'
        : commit.parents.map(
            (parent, index) =>
              html`${index === 0 ? '' : ', '}<a href="/${project.full_path}/-/commit/${parent}">${parent.slice(0, 8)}</a>`,
          )
    }</dd>
<dt>Files</dt><dd><a href="${codeAddress(project, 'tree', commit.id)}">Browse files</a></dd>
</dl>
</div>
${diffMarkup(project, commit.id, changes)}
${hasComments ? await commentSection(core, notes, write, now) : ''}`,
  };
}

async function comparisonContent(core: GitCore, request: CodePageRequest): Promise<PageContent> {
  const { project, repository, rest, now } = request;
  // Names of refs cannot contain two dots.
  const [, from = '', dots = '', to = ''] = /^(.*?)(\.{2,3})(.*)$/s.exec(rest) ?? [];
  const [base, head] = [await resolveRef(core, repository, project, from), await resolveRef(core, repository, project, to)];
  if (repository === undefined || base === undefined || head === undefined)
    throw notFound('Page', 'one of the refs does not exist');
  const before = dots === '..' ? base : await mergeBase(repository, [base, head]);
  const commits = await listCommits(repository, { from: [head], without: [base] }, COMMITS_COMPARED + 1, 0);
  const none = { changes: [], count: 0 };
  const changes = before === undefined ? none : await readFirstChanges(repository, before, head, SHOWN_FILES);
  return {
    title: `Comparing ${shortened(from, 30)} with ${shortened(to, 30)} · ${project.name}`,
    heading: 'Comparison',
    width: 'wide',
    body: html`${codeTabs(project, 'Commits')}
<section class="card" aria-labelledby="commits">
<p>Commits in <a href="${codeAddress(project, 'tree', to)}">${to}</a> that are not in <a href="${codeAddress(project, 'tree', from)}">${from}</a>.</p>
<h2 id="commits">Commits</h2>
${commitList(project, commits.slice(0, COMMITS_COMPARED), now)}
${commits.length > COMMITS_COMPARED ? html`<p class="muted small">Showing only the latest ${COMMITS_COMPARED} commits.</p>` : ''}
</section>
${
  before === undefined
    ? html`<p class="muted">The two have no common history, so there are no changes to show.</p>`
    : diffMarkup(project, head, changes)
}`,
  };
}

function commitList(project: Project, commits: readonly CommitObject[], now: number): Markup {
  if (commits.length === 0) return html`<p class="muted">No commits.</p>`;
  return html`<ul class="rows">${commits.map(
    (commit) => html`<li>${commitLink(project, commit)}
<p class="muted small">${commit.id.slice(0, 8)} by ${commit.author.name}, ${moment(commit.committer, now)}</p></li>`,
  )}</ul>`;
}

function person(signature: Signature, now: number): Markup {
  return html`${signature.name} &lt;${signature.email}&gt;, ${moment(signature, now)}`;
}

/** Last second that `Date` can represent. */
const LAST_SECOND = 8_640_000_000_000;

/** Formats the time of a signature, which can be out of the range of `Date`. */
function moment({ seconds }: Signature, now: number): Markup {
  if (!(Math.abs(seconds) <= LAST_SECOND)) return html`at an unknown time`;
  return html`${ago(seconds * 1000, now)} (${isoTime(seconds * 1000).slice(0, 10)})`;
}
