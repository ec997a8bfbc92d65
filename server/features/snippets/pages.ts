import type { GitCore } from '../../repositories/repositories.ts';
import { html } from 'hono/html';
import { isText, rawFile } from '../../http/fileContent.ts';
import { isNewest, linesOf } from '../git/git.ts';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { findUser } from '../identity/identity.ts';
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

/** The read-only pages of snippets: the targets of `web_url` and `raw_url`. */
export function snippetPages(core: GitCore): Route[] {
  const metadata = { method: 'GET', specRef: 'Web addresses', status: 'local' } as const;

  /**
   * Returns the result of `show` for a snippet. Anonymous callers are redirected to the sign-in page if it is not visible to
   * them.
   */
  const withSnippet = async <Shown>(
    request: PageRequest,
    number: string,
    projectId: number | null,
    show: (snippet: Snippet) => Promise<Shown>,
  ): Promise<Shown | Redirection> => {
    const found = /^\d{1,15}$/.test(number) ? findSnippet(core, Number(number), request.caller) : undefined;
    if (found?.snippet.project_id === projectId) return show(found.snippet);
    if (request.caller === undefined) return { redirectTo: signInPath(request.context) };
    throw notFound('Page', 'no such snippet, or it is not visible to the user');
  };
  const raw = async (snippet: Snippet, path: string): Promise<FileResponse> => {
    const bytes = await readSnippetFile(core, snippet, path);
    if (bytes === undefined) throw notFound('Page', 'the snippet has no such file');
    return { file: rawFile(bytes, path.slice(path.lastIndexOf('/') + 1)) };
  };
  const rawAt = (snippet: Snippet, rest: string): Promise<FileResponse> => {
    const [ref = ''] = rest.split('/', 1);
    if (!isNewest(core, snippet.repository_id, ref)) throw notFound('Page', 'only the latest version of the files can be shown');
    return raw(snippet, rest.slice(ref.length + 1));
  };
  const numberOf = ({ pathParameters }: PageRequest): string => pathParameters['id'] ?? '';
  const ofProject = (request: ProjectPageRequest): string => request.rest.split('/', 1)[0] ?? '';

  return [
    pageRoute({ ...metadata, path: '/-/snippets/:id' }, (request) =>
      withSnippet(request, numberOf(request), null, (snippet) => snippetContent(core, snippet, request)),
    ),
    pageRoute({ ...metadata, path: '/-/snippets/:id/raw' }, (request) =>
      withSnippet(request, numberOf(request), null, (snippet) => raw(snippet, filesOf(snippet)[0] ?? '')),
    ),
    pageRoute({ ...metadata, path: '/-/snippets/:id/raw/*rest' }, (request) =>
      withSnippet(request, numberOf(request), null, (snippet) => rawAt(snippet, request.pathParameters['rest'] ?? '')),
    ),
    projectPageRoute({ ...metadata, path: '/*full_path/-/snippets/:id/raw' }, (request) =>
      withSnippet(request, ofProject(request), request.project.id, (snippet) => raw(snippet, filesOf(snippet)[0] ?? '')),
    ),
    projectPageRoute({ ...metadata, path: '/*full_path/-/snippets/:id/raw/*rest' }, (request) =>
      withSnippet(request, ofProject(request), request.project.id, (snippet) =>
        rawAt(snippet, request.rest.slice(`${ofProject(request)}/raw/`.length)),
      ),
    ),
    projectPageRoute({ ...metadata, path: '/*full_path/-/snippets/:id' }, (request) =>
      withSnippet(request, request.rest, request.project.id, (snippet) => snippetContent(core, snippet, request, request)),
    ),
  ];
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
