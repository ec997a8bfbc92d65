import type { Core } from '../../core/core.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import { html } from 'hono/html';
import { notFound, Unavailable } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import type { FoundProject } from '../projectAccess/projectAccess.ts';
import { ago, type Markup } from '../../web/layout.ts';
import { pageNumber, pager } from '../../web/pager.ts';
import type { Redirection } from '../../web/route.ts';
import { archivePage } from './archivePage.ts';
import { codeAddress, codePageRoute, codeTabs, type CodePageRequest } from './codePage.ts';
import { type CommitNoteable, commitPages } from './commitPages.ts';
import { listRefs, openRepository, type RefKind, refOf, type RefRow, repositoryOf, resolveRef } from '../git/git.ts';
import { titleOf } from '../../repositories/names.ts';
import { readCommits } from '../../repositories/objects.ts';
import { entryList, readmeCard, treePages } from './treePages.ts';
import { listingAt } from './trees.ts';

const REFS_OF_PAGE = 50;

/** Read-only pages of a repository: files, history, branches and tags. */
export function repositoryPages(core: GitCore, commitNoteable: CommitNoteable): Route[] {
  return [
    ...treePages(core),
    ...commitPages(core, commitNoteable),
    archivePage(core),
    codePageRoute(core, '/*full_path/-/branches', (request) => refPage(core, request, 'branch')),
    codePageRoute(core, '/*full_path/-/tags', (request) => refPage(core, request, 'tag')),
    codePageRoute(core, '/*full_path/-/tags/*rest', (request) => redirectToTree(core, request)),
  ];
}

function redirectToTree(core: GitCore, { project, rest }: CodePageRequest): Redirection {
  if (refOf(core.store, project.id, 'tag', rest) === undefined) throw notFound('Page', 'no such tag');
  return { redirectTo: codeAddress(project, 'tree', rest) };
}

async function refPage(core: Core, request: CodePageRequest, kind: RefKind) {
  const { project, repository, now } = request;
  const page = pageNumber(request);
  const rows = listRefs(
    core.store,
    { projectId: project.id, kind },
    { order: 'updated', sort: 'desc', limit: REFS_OF_PAGE + 1, offset: (page - 1) * REFS_OF_PAGE },
  );
  const shown = rows.slice(0, REFS_OF_PAGE);
  const commits =
    repository === undefined
      ? []
      : await readCommits(
          repository,
          shown.map((row) => row.commit_id),
        );
  const name = kind === 'branch' ? 'Branches' : 'Tags';
  const item = (row: RefRow, index: number): Markup => {
    const commit = commits[index];
    return html`<li><a href="${codeAddress(project, 'tree', row.name)}">${row.name}</a>
${kind === 'branch' && row.name === project.default_branch ? html`<span class="badge">default</span>` : ''}
${row.message === null ? '' : html`<p class="typed">${row.message.trim()}</p>`}
<p class="muted small"><a href="/${project.full_path}/-/commit/${row.commit_id}">${row.commit_id.slice(0, 8)}</a>
${commit === undefined ? '' : titleOf(commit.message)}, ${ago(row.tagged_at ?? row.committed_at, now)}</p></li>`;
  };
  return {
    title: `${name} · ${project.name}`,
    heading: name,
    width: 'wide',
    body: html`${codeTabs(project, name)}
<div class="card">
${shown.length === 0 ? html`<p class="muted">No ${name.toLowerCase()}.</p>` : html`<ul class="rows">${shown.map(item)}</ul>`}
${pager(`/${project.full_path}/-/${name.toLowerCase()}`, page, rows.length > REFS_OF_PAGE)}
</div>`,
  } as const;
}

/** The files of the default branch and the readme, for the project page. */
export async function repositoryCards(core: GitCore, { project, can }: FoundProject): Promise<Markup | string> {
  if (!can.readCode) return '';
  const filesCard = (content: Markup): Markup => html`<section class="card" aria-labelledby="files">
<h2 id="files">Files</h2>
${content}
</section>`;
  // Empty repositories must not require git, so that projects can be shown without it.
  if (repositoryOf(core.store, project.id) === undefined) return filesCard(html`<p class="muted">This repository is empty.</p>`);
  try {
    const repository = await openRepository(core, project);
    const ref = project.default_branch;
    const commit = await resolveRef(core, repository, project, ref);
    const listing =
      repository === undefined || commit === undefined ? undefined : await listingAt(core, repository, commit, '', false);
    if (repository === undefined || commit === undefined || listing === undefined) {
      return filesCard(html`<p class="muted">The default branch has no files.</p>`);
    }
    return html`${filesCard(html`<p class="actions start">
<a class="button second" href="${codeAddress(project, 'commits', ref)}">Commits</a>
<a class="button second" href="/${project.full_path}/-/branches">Branches</a>
<a class="button second" href="/${project.full_path}/-/tags">Tags</a></p>
${entryList(project, { ref, path: '' }, listing)}`)}
${await readmeCard(project, { repository, commit, ref, path: '' }, listing)}`;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    return filesCard(html`<p class="muted">The files can't be shown: ${error.reason}.</p>`);
  }
}
