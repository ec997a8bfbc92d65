import type { GitCore } from '../../repositories/repositories.ts';
import { html } from 'hono/html';
import { isText, rawFile } from '../../http/fileContent.ts';
import { isNewest } from '../singleBranchRepositories/singleBranchRepositories.ts';
import { linesOf } from '../code/code.ts';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { findUser } from '../users/users.ts';
import { commentSection } from '../notes/notes.ts';
import type { Core } from '../../core/core.ts';
import { type FoundProject, type ProjectPageRequest, projectPageRoute } from '../projectAccess/projectAccess.ts';
import { ago, type Markup, type PageContent } from '../../web/layout.ts';
import { type FileResponse, type PageRequest, pageRoute, type Redirection, signInPath } from '../../web/route.ts';
import { createWriter, type Writer } from '../../web/writing.ts';
import { findSnippet } from './access.ts';
import { commentableSnippet } from './commentable.ts';
import { rawAddress } from './present.ts';
import { filesOf, readSnippetFile, type Snippet } from './manageSnippets.ts';

const metadata = { method: 'GET', specRef: 'Web addresses', status: 'local' } as const;

/** The read-only pages of snippets: the targets of `web_url` and `raw_url`. */
export function snippetPages(core: GitCore): Route[] {
  return [
    pageRoute({ ...metadata, path: '/-/snippets/:id' }, (request) => showSnippet(core, request)),
    pageRoute({ ...metadata, path: '/-/snippets/:id/raw' }, (request) => showFirstFile(core, request)),
    pageRoute({ ...metadata, path: '/-/snippets/:id/raw/*rest' }, (request) => showFile(core, request)),
    projectPageRoute({ ...metadata, path: '/*full_path/-/snippets/:id/raw' }, (request) => showFirstFileOfProject(core, request)),
    projectPageRoute({ ...metadata, path: '/*full_path/-/snippets/:id/raw/*rest' }, (request) =>
      showFileOfProject(core, request),
    ),
    projectPageRoute({ ...metadata, path: '/*full_path/-/snippets/:id' }, (request) => showSnippetOfProject(core, request)),
  ];
}

function showSnippet(core: GitCore, request: PageRequest): Promise<PageContent | Redirection> {
  return withSnippet(core, request, numberOf(request), null, (snippet) => snippetContent(core, snippet, request));
}

function showFirstFile(core: GitCore, request: PageRequest): Promise<FileResponse | Redirection> {
  return withSnippet(core, request, numberOf(request), null, (snippet) => rawContent(core, snippet, filesOf(snippet)[0] ?? ''));
}

function showFile(core: GitCore, request: PageRequest): Promise<FileResponse | Redirection> {
  const { rest = '' } = request.pathParameters;
  return withSnippet(core, request, numberOf(request), null, (snippet) => rawContentAt(core, snippet, rest));
}

function showSnippetOfProject(core: GitCore, request: ProjectPageRequest): Promise<PageContent | Redirection> {
  const { rest, project } = request;
  return withSnippet(core, request, rest, project.id, (snippet) => snippetContent(core, snippet, request, request));
}

function showFirstFileOfProject(core: GitCore, request: ProjectPageRequest): Promise<FileResponse | Redirection> {
  const [number = ''] = request.rest.split('/', 1);
  return withSnippet(core, request, number, request.project.id, (snippet) =>
    rawContent(core, snippet, filesOf(snippet)[0] ?? ''),
  );
}

function showFileOfProject(core: GitCore, request: ProjectPageRequest): Promise<FileResponse | Redirection> {
  const [number = ''] = request.rest.split('/', 1);
  return withSnippet(core, request, number, request.project.id, (snippet) =>
    rawContentAt(core, snippet, request.rest.slice(`${number}/raw/`.length)),
  );
}

function numberOf({ pathParameters }: PageRequest): string {
  return pathParameters['id'] ?? '';
}

/**
 * Returns the result of `show` for a snippet. Anonymous callers are redirected to the sign-in page if it is not visible to
 * them.
 */
async function withSnippet<Shown>(
  core: GitCore,
  request: PageRequest,
  number: string,
  projectId: number | null,
  show: (snippet: Snippet) => Promise<Shown>,
): Promise<Shown | Redirection> {
  const found = /^\d{1,15}$/.test(number) ? findSnippet(core, Number(number), request.caller) : undefined;
  if (found?.snippet.project_id === projectId) return show(found.snippet);
  if (request.caller === undefined) return { redirectTo: signInPath(request.context) };
  throw notFound('Page', 'no such snippet, or it is not visible to the user');
}

async function rawContent(core: GitCore, snippet: Snippet, path: string): Promise<FileResponse> {
  const bytes = await readSnippetFile(core, snippet, path);
  if (bytes === undefined) throw notFound('Page', 'the snippet has no such file');
  return { file: rawFile(bytes, path.slice(path.lastIndexOf('/') + 1)) };
}

/** Returns the file at a ref and path, such as `main/a.txt`. */
async function rawContentAt(core: GitCore, snippet: Snippet, refAndPath: string): Promise<FileResponse> {
  const [ref = ''] = refAndPath.split('/', 1);
  if (!isNewest(core, snippet.repository_id, ref)) throw notFound('Page', 'only the latest version of the files can be shown');
  return rawContent(core, snippet, refAndPath.slice(ref.length + 1));
}

async function snippetContent(
  core: GitCore,
  snippet: Snippet,
  { context, now }: Pick<PageRequest, 'context' | 'now'>,
  found?: FoundProject,
): Promise<PageContent> {
  const author = findUser(core, snippet.author_id);
  const { description } = snippet;
  const write = createWriter(context.site, { project: found?.project });
  const files = await Promise.all(
    filesOf(snippet).map(async (path) => ({ path, bytes: await readSnippetFile(core, snippet, path) })),
  );
  return {
    title: snippet.title,
    width: 'wide',
    body: html`<div class="card">
${snippet.project_path === null ? '' : html`<p class="muted"><a href="/${snippet.project_path}">${snippet.project_path}</a></p>`}
<p class="marks"><span class="badge">${snippet.visibility}</span></p>
${description === null || description === '' ? '' : await write(description)}
<dl class="facts">
${author === undefined ? '' : html`<dt>Author</dt><dd><a href="/${author.username}">${author.name}</a></dd>`}
<dt>Created</dt><dd>${ago(snippet.created_at, now)}</dd>
<dt>Updated</dt><dd>${ago(snippet.updated_at, now)}</dd>
</dl>
</div>
${files.map(
  ({ path, bytes }, index) => html`<section class="card" aria-labelledby="file-${index + 1}">
<h2 id="file-${index + 1}"><a href="${rawAddress(snippet, path)}">${path}</a></h2>
${bytes === undefined ? '' : isText(bytes) ? linesOf(bytes, `F${index + 1}-`) : html`<p class="muted">This is a binary file.</p>`}
</section>`,
)}
${found === undefined ? '' : await comments(core, found, snippet, write, now)}`,
  };
}

/** The comments on a project snippet; personal snippets have none. */
function comments(core: Core, found: FoundProject, snippet: Snippet, write: Writer, now: number): Promise<Markup> {
  const { noteable, can } = commentableSnippet(core, found, snippet);
  return commentSection(core, { noteable, withInternal: can.readInternal }, write, now);
}
