import { html } from 'hono/html';
import { recordNotFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type ProjectPageRequest, projectPageRoute, viewerId } from '../projectAccess/projectAccess.ts';
import { ago, type PageContent, formatSize } from '../../web/layout.ts';
import { findPackage, type Package } from './managePackages.ts';
import { listFiles } from './store.ts';

const SHOWN_FILES = 200;

/** The read-only pages of packages: the target of `_links.web_path`. */
export function packagePages(core: Core): Route[] {
  return [
    projectPageRoute(
      { method: 'GET', path: '/*full_path/-/packages/:package_id', specRef: 'Web addresses', status: 'local' },
      (request) => showPackage(core, request),
    ),
  ];
}

function showPackage(core: Core, found: ProjectPageRequest): PageContent {
  const id = /^\d{1,15}$/.test(found.rest) ? Number(found.rest) : 0;
  const shown = found.can.readCode ? findPackage(core, found, id, viewerId(found.caller)) : undefined;
  if (shown === undefined) throw recordNotFound('no such package in the project, or it is not visible to the user');
  return packageContent(core, shown, found.project.name, found.now);
}

function packageContent(core: Core, shown: Package, projectName: string, now: number): PageContent {
  const files = listFiles(core.store, shown.id, { order: 'id', sort: 'asc', limit: SHOWN_FILES + 1, offset: 0 });
  return {
    title: shown.name,
    width: 'wide',
    body: html`<div class="card">
<p class="muted"><a href="/${shown.project_path}">${projectName}</a> package #${shown.id}</p>
<p class="marks"><span class="badge">${shown.package_type.replaceAll('_', ' ')}</span>${
      shown.status === 'default' ? '' : html`<span class="badge">${shown.status.replaceAll('_', ' ')}</span>`
    }</p>
<dl class="facts">
<dt>Version</dt><dd>${shown.version ?? 'none'}</dd>
<dt>Published</dt><dd>${ago(shown.created_at, now)}</dd>
</dl>
</div>
<section class="card" aria-labelledby="files">
<h2 id="files">Files</h2>
${
  files.length === 0
    ? html`<p class="muted">No files.</p>`
    : html`<ul class="rows">${files
        .slice(0, SHOWN_FILES)
        .map((file) => html`<li>${file.file_name} <span class="muted small">${formatSize(file.size)}</span></li>`)}</ul>`
}
${files.length > SHOWN_FILES ? html`<p class="muted small">Showing only the first ${SHOWN_FILES} files.</p>` : ''}
</section>`,
  };
}
