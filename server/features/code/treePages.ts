import type { GitCore } from '../../repositories/repositories.ts';
import { html } from 'hono/html';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { type Markup, formatSize, type PageContent } from '../../web/layout.ts';
import { MAX_MARKDOWN_LENGTH, markdown } from '../../web/markdown.ts';
import type { PageResponse } from '../../web/route.ts';
import { archiveFormats } from './archive.ts';
import { archiveAddress } from './archivePage.ts';
import { codeAddress, type CodePageRequest, codePageRoute, codeTabs, type Located, locate, shortened } from './codePage.ts';
import type { Listing } from '../../repositories/listing.ts';
import { isTreePath, readmeAmong } from '../../repositories/names.ts';
import { entriesAt, type Entry, readBlob } from '../../repositories/objects.ts';
import { isText, rawFile } from '../../http/fileContent.ts';
import { resolveRef } from '../git/git.ts';
import { listingAt } from './trees.ts';

const SHOWN_ENTRIES = 1000;
const SHOWN_LINES = 5000;
/** Maximum number of characters of a file shown as lines. */
const SHOWN_CHARACTERS = 512 * 1024;

/** Pages of files and directories at a ref. */
export function treePages(core: GitCore): Route[] {
  return [
    codePageRoute(core, '/*full_path/-/tree/*rest', (request) => treePage(core, request)),
    codePageRoute(core, '/*full_path/-/blob/*rest', async (request) => blobPage(request, await locate(core, request))),
    codePageRoute(core, '/*full_path/-/raw/*rest', (request) => rawFileAt(core, request)),
  ];
}

async function treePage(core: GitCore, request: CodePageRequest): Promise<PageResponse> {
  const { project } = request;
  if (await isWithoutFiles(core, request)) return emptyContent(project);
  const at = await locate(core, request);
  const listing = await listingAt(core, at.repository, at.commit, at.path, false);
  if (listing === undefined) {
    await demandFile(at);
    return { redirectTo: codeAddress(project, 'blob', at.ref, at.path) };
  }
  return {
    title: `${at.path === '' ? shortened(at.ref) : shortened(at.path)} · ${project.name}`,
    heading: at.path === '' ? project.name : (at.path.split('/').at(-1) ?? ''),
    width: 'wide',
    body: html`${codeTabs(project, 'Files', at.ref)}
<div class="card">
${crumbs(project, at)}
<div class="actions start">${archiveFormats.map(
      (format) =>
        html`<a class="button second" href="${archiveAddress(project, at.ref, format)}${
          at.path === '' ? '' : `?path=${encodeURIComponent(at.path)}`
        }">Download ${format}</a>`,
    )}</div>
${entryList(project, at, listing)}
</div>
${await readmeCard(project, at, listing)}`,
  };
}

async function rawFileAt(core: GitCore, request: CodePageRequest): Promise<PageResponse> {
  const at = await locate(core, request);
  const { content } = await demandFile(at);
  return { file: rawFile(content, at.path.split('/').at(-1) ?? '') };
}

/** Returns true if a request asks for the default branch of a repository that does not have it yet. */
async function isWithoutFiles(core: GitCore, { project, repository, rest }: CodePageRequest): Promise<boolean> {
  return rest === project.default_branch && (await resolveRef(core, repository, project, rest)) === undefined;
}

function emptyContent(project: Project): PageContent {
  return {
    title: `Files · ${project.name}`,
    heading: 'Files',
    width: 'wide',
    body: html`<div class="card"><p class="muted">The default branch has no files.</p></div>`,
  };
}

/** Returns the entry at a path; undefined if there is none. */
async function entryAt({ repository, commit, path }: Located): Promise<Entry | undefined> {
  return isTreePath(path) ? (await entriesAt(repository, commit, [path])).get(path) : undefined;
}

/** Returns the file at a path. Throws `NotFound` for anything else. */
async function demandFile(at: Located): Promise<{ readonly entry: Entry; readonly content: Buffer }> {
  const entry = await entryAt(at);
  const content = entry?.type === 'blob' ? await readBlob(at.repository, entry.id) : undefined;
  if (entry === undefined || content === undefined) throw notFound('Page', 'no file has this path');
  return { entry, content };
}

async function blobPage({ project, query }: CodePageRequest, at: Located): Promise<PageResponse> {
  if ((await entryAt(at))?.type === 'tree' || at.path === '') {
    return { redirectTo: codeAddress(project, 'tree', at.ref, at.path) };
  }
  const { entry, content } = await demandFile(at);
  const name = at.path.split('/').at(-1) ?? '';
  const isRendered = isMarkdown(name) && isText(content) && content.length <= MAX_MARKDOWN_LENGTH;
  const isPlain = query.get('plain') === '1';
  const address = codeAddress(project, 'blob', at.ref, at.path);
  const other = isPlain
    ? html`<a class="button second" href="${address}">Display rendered file</a>`
    : html`<a class="button second" href="${address}?plain=1">Display source</a>`;
  return {
    title: `${shortened(at.path)} · ${project.name}`,
    heading: name,
    width: 'wide',
    body: html`${codeTabs(project, 'Files', at.ref)}
<div class="card">
${crumbs(project, at)}
<p class="marks"><span class="badge">${formatSize(content.length)}</span>${
      entry.mode === '100755' ? html`<span class="badge">executable</span>` : ''
    }${entry.mode === '120000' ? html`<span class="badge">symbolic link</span>` : ''}</p>
<div class="actions start"><a class="button second" href="${codeAddress(project, 'raw', at.ref, at.path)}">Raw file</a>
<a class="button second" href="${codeAddress(project, 'commits', at.ref, at.path)}">History</a>
${isRendered ? other : ''}</div>
${isRendered && !isPlain ? html`<div class="markdown">${await rendered(project, at, content, 2)}</div>` : linesOf(content)}
</div>`,
  };
}

/** The text of a file with line numbers and anchors (`#L10`). The prefix `before` distinguishes several files on a page. */
export function linesOf(content: Buffer, before = ''): Markup {
  if (content.length === 0) return html`<p class="muted">This file is empty.</p>`;
  if (!isText(content)) return html`<p class="muted">Binary files are not displayed. Open the raw file instead.</p>`;
  const text = content.toString('utf8', 0, SHOWN_CHARACTERS);
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const shown = lines.slice(0, SHOWN_LINES);
  const isWhole = content.length <= SHOWN_CHARACTERS && shown.length === lines.length;
  return html`<ol class="lines" translate="no">${shown.map(
    (line, index) =>
      html`<li id="${before}L${index + 1}"><a href="#${before}L${index + 1}" aria-label="Line ${index + 1}">${index + 1}</a><code>${line}</code></li>`,
  )}</ol>
${isWhole ? '' : html`<p class="muted small">Showing the first ${shown.length} lines. Open the raw file to see all of them.</p>`}`;
}

function crumbs(project: Project, { ref, path }: Located): Markup {
  const segments = path === '' ? [] : path.split('/');
  return html`<nav class="crumbs" aria-label="Path"><span class="badge">${ref}</span>
<a href="${codeAddress(project, 'tree', ref)}">${project.path}</a>${segments.map((segment, index) => {
    const isLast = index === segments.length - 1;
    const address = codeAddress(project, 'tree', ref, segments.slice(0, index + 1).join('/'));
    return html` / ${isLast ? html`<span aria-current="page">${segment}</span>` : html`<a href="${address}">${segment}</a>`}`;
  })}</nav>`;
}

/** The entries of a directory, directories first. */
export function entryList(project: Project, { ref, path }: Pick<Located, 'ref' | 'path'>, listing: Listing): Markup {
  if (listing.length === 0) return html`<p class="muted">No files.</p>`;
  const entries = Array.from({ length: Math.min(listing.length, SHOWN_ENTRIES) }, (_, index) => listing.entry(index));
  return html`<ul class="rows tight">${entries.map((entry) => {
    const inside = path === '' ? entry.path : `${path}/${entry.path}`;
    if (entry.type === 'commit') return html`<li>${entry.path} <span class="muted small">at ${entry.id.slice(0, 8)}</span></li>`;
    const isFolder = entry.type === 'tree';
    return html`<li><a href="${codeAddress(project, isFolder ? 'tree' : 'blob', ref, inside)}">${entry.path}${isFolder ? '/' : ''}</a></li>`;
  })}</ul>
${
  listing.length > SHOWN_ENTRIES
    ? html`<p class="muted small">Showing the first ${SHOWN_ENTRIES} of ${listing.length} entries.</p>`
    : ''
}`;
}

/** The readme of a directory, if it has one. */
export async function readmeCard(project: Project, at: Located, listing: Listing): Promise<Markup | string> {
  const entries = Array.from({ length: Math.min(listing.length, SHOWN_ENTRIES) }, (_, index) => listing.entry(index));
  const files = entries.filter(({ type, mode }) => type === 'blob' && mode !== '120000');
  const name = readmeAmong(files.map((entry) => entry.path));
  const entry = files.find((file) => file.path === name);
  const content = entry === undefined ? undefined : await readBlob(at.repository, entry.id);
  if (name === undefined || content === undefined) return '';
  const path = at.path === '' ? name : `${at.path}/${name}`;
  const isLong = content.length > MAX_MARKDOWN_LENGTH;
  return html`<section class="card" aria-labelledby="readme">
<h2 id="readme"><a href="${codeAddress(project, 'blob', at.ref, path)}">${name}</a></h2>
${
  isText(content) && !isLong
    ? isMarkdown(name)
      ? html`<div class="markdown">${await rendered(project, { ...at, path }, content, 3)}</div>`
      : html`<pre>${content.toString('utf8')}</pre>`
    : html`<p class="muted">${isLong ? 'This file is too long to display here.' : 'This is a binary file.'}</p>`
}
</section>`;
}

function isMarkdown(name: string): boolean {
  return /\.(?:md|markdown|mkdn?)$/i.test(name);
}

/** Renders Markdown. Relative links lead to files next to it, links with a leading slash to files from the root. */
function rendered(
  project: Project,
  { ref, path }: Pick<Located, 'ref' | 'path'>,
  content: Buffer,
  level: number,
): Promise<Markup> {
  const lead = (kind: string) => (address: string) => {
    const to = pathFrom(path, address);
    return to === undefined ? undefined : `${codeAddress(project, kind, ref, to.path)}${to.hash}`;
  };
  return markdown(content.toString('utf8'), { link: lead('blob'), image: lead('raw') }, level);
}

function pathFrom(file: string, address: string): { readonly path: string; readonly hash: string } | undefined {
  const [, named = '', hash = ''] = /^([^?#]*)(?:\?[^#]*)?(#.*)?$/s.exec(address) ?? [];
  const parts: string[] = named.startsWith('/') ? [] : file.split('/').slice(0, -1);
  let decoded: string;
  try {
    decoded = decodeURIComponent(named);
  } catch {
    return undefined;
  }
  for (const part of decoded.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return { path: parts.join('/'), hash };
}
