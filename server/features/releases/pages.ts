import { html } from 'hono/html';
import { isoDate } from '../../core/clock.ts';
import { archiveAddress, archiveFormats } from '../code/code.ts';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { findUser } from '../users/users.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, type ProjectPageRequest, projectPageRoute } from '../projectAccess/projectAccess.ts';
import { ago, type Markup, type PageContent } from '../../web/layout.ts';
import { pageNumber, pager } from '../../web/pager.ts';
import type { Redirection } from '../../web/route.ts';
import { createWriter } from '../../web/writing.ts';
import { presentLink, releaseAddress } from './present.ts';
import { findRelease, linksOf, type Release } from './manageReleases.ts';
import { listReleases } from './store.ts';

const RELEASES_OF_PAGE = 20;

/** The read-only pages of releases. */
export function releasePages(core: Core): Route[] {
  const metadata = { method: 'GET', specRef: 'Web addresses', status: 'local' } as const;
  return [
    projectPageRoute({ ...metadata, path: '/*full_path/-/releases' }, (request) => listContent(core, request)),
    projectPageRoute({ ...metadata, path: '/*full_path/-/releases/*rest' }, (request) => releaseContent(core, request)),
  ];
}

function listContent(core: Core, request: ProjectPageRequest): PageContent {
  const { project, now } = request;
  const page = pageNumber(request);
  const rows = listReleases(
    core.store,
    { projectId: project.id },
    { order: 'released_at', sort: 'desc', limit: RELEASES_OF_PAGE + 1, offset: (page - 1) * RELEASES_OF_PAGE },
  );
  return {
    title: `Releases · ${project.name}`,
    heading: 'Releases',
    width: 'wide',
    body: html`<div class="card">
${
  rows.length === 0
    ? html`<p class="muted">No releases.</p>`
    : html`<ul class="rows">${rows.slice(0, RELEASES_OF_PAGE).map(
        (release) => html`<li><a href="${releaseAddress(request, release.tag)}">${release.name}</a>
<span class="badge">${release.tag}</span>
<span class="muted small">${released(release, now)}</span></li>`,
      )}</ul>`
}
${pager(`/${project.full_path}/-/releases`, page, rows.length > RELEASES_OF_PAGE)}
</div>`,
  };
}

async function releaseContent(core: Core, request: ProjectPageRequest): Promise<PageContent | Redirection> {
  const { project, rest, baseUrl } = request;
  const release = findRelease(core, project.id, rest);
  if (release === undefined) return { redirectTo: assetOf(core, request, rest) };
  const links = linksOf(core, release);
  return {
    title: `${release.name} · ${project.name}`,
    heading: release.name,
    width: 'wide',
    body: html`<div class="card">
<p class="muted"><a href="/${project.full_path}">${project.name}</a> &middot; <a href="/${project.full_path}/-/releases">Releases</a></p>
${releaseMetadata(core, request, release, request.now)}
${await description(request, release)}
</div>
<section class="card" aria-labelledby="assets">
<h2 id="assets">Assets</h2>
<ul class="rows tight">${links.map((link) => {
      const { direct_asset_url: address } = presentLink(request, release.tag, link, baseUrl);
      return html`<li><a href="${address}" rel="nofollow noopener noreferrer">${link.name}</a></li>`;
    })}${
      request.can.readCode
        ? archiveFormats.map(
            (format) => html`<li><a href="${archiveAddress(project, release.tag, format)}">Source code (${format})</a></li>`,
          )
        : ''
    }</ul>
</section>`,
  };
}

function releaseMetadata(core: Core, { project, can }: FoundProject, release: Release, now: number): Markup {
  const author = findUser(core, release.author_id);
  return html`<dl class="facts">
<dt>Tag</dt><dd>${
    can.readCode
      ? html`<a href="/${project.full_path}/-/tags/${encodeURIComponent(release.tag)}">${release.tag}</a>`
      : release.tag
  }</dd>
${can.readCode ? html`<dt>Commit</dt><dd class="mono"><a href="/${project.full_path}/-/commit/${release.commit_id}">${release.commit_id.slice(0, 8)}</a></dd>` : ''}
<dt>Released</dt><dd>${released(release, now)}</dd>
${author === undefined ? '' : html`<dt>Author</dt><dd><a href="/${author.username}">${author.name}</a></dd>`}
</dl>`;
}

function released({ released_at: at }: Release, now: number): Markup {
  return at > now ? html`will be on ${isoDate(at)}` : ago(at, now);
}

/** Returns the target of a permanent asset link, whose path ends with `/downloads/PATH`. Throws `NotFound`. */
function assetOf(core: Core, { project }: FoundProject, rest: string): string {
  const at = rest.indexOf('/downloads/');
  const release = at < 0 ? undefined : findRelease(core, project.id, rest.slice(0, at));
  const path = rest.slice(at + '/downloads'.length);
  const link = release === undefined ? undefined : linksOf(core, release).find(({ filepath }) => filepath === path);
  if (link === undefined) throw notFound('Page', 'no release has this tag, or the release has no link with this path');
  return link.url;
}

async function description({ context, project }: ProjectPageRequest, { description: text }: Release): Promise<Markup> {
  if (text === null || text.trim() === '') return html`<p class="muted">No description.</p>`;
  return createWriter(context.site, { project })(text);
}
