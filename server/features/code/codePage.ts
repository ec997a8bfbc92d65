import type { GitCore } from '../../repositories/repositories.ts';
import { html } from 'hono/html';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import type { Core } from '../../core/core.ts';
import { type Project, type ProjectPageRequest, projectPageRoute } from '../projectAccess/projectAccess.ts';
import { addressPath } from '../../web/addresses.ts';
import type { Markup } from '../../web/layout.ts';
import type { PageResponse } from '../../web/route.ts';
import { longestRef, openRepository, resolveRef } from '../git/git.ts';
import { plainPath } from '../../repositories/names.ts';
import type { CommitObject, RepositoryDir } from '../../repositories/objects.ts';

/** A request for a repository page whose code the user can read. */
export interface CodePageRequest extends ProjectPageRequest {
  /** Undefined for an empty repository. */
  readonly repository: RepositoryDir | undefined;
}

/** Returns the route of a repository page, which responds with 404 to users who cannot read the code. */
export function codePageRoute(
  core: GitCore,
  path: string,
  handle: (request: CodePageRequest) => PageResponse | Promise<PageResponse>,
): Route {
  const row = { method: 'GET', path, specRef: 'Web addresses', status: 'local' } as const;
  return projectPageRoute(row, async (request) => {
    if (!request.can.readCode)
      throw notFound('Page', 'viewing the code of a private project requires at least the reporter role');
    return handle({ ...request, repository: await openRepository(core, request.project) });
  });
}

/** A file or directory at a ref. */
export interface Located {
  readonly repository: RepositoryDir;
  readonly commit: string;
  readonly ref: string;
  /** Without leading or trailing slash; empty for the root. */
  readonly path: string;
}

/** Maximum number of path segments that can belong to the name of a ref. */
const MAX_SEGMENTS = 100;

/**
 * Splits the rest of a page path into ref and file path. Refs can contain slashes, so the longest existing ref wins. Throws `NotFound`.
 */
export async function locate(core: Core, request: CodePageRequest): Promise<Located> {
  const { project, repository, rest } = request;
  const segments = plainPath(rest).split('/');
  const names = segments.slice(0, MAX_SEGMENTS).map((_, index) => segments.slice(0, index + 1).join('/'));
  const ref = longestRef(core.store, project.id, names) ?? segments[0] ?? '';
  const commit = await resolveRef(core, repository, project, ref);
  if (repository === undefined || commit === undefined) throw notFound('Page', 'no branch, tag or commit has this name');
  return { repository, commit, ref, path: plainPath(plainPath(rest).slice(ref.length)) };
}

/** Returns the path of a repository page (`tree`, `blob`, `raw` or `commits`) at a ref and file path. */
export function codeAddress(project: Pick<Project, 'full_path'>, kind: string, ref: string, path = ''): string {
  return `/${project.full_path}/-/${kind}/${addressPath(path === '' ? ref : `${ref}/${path}`)}`;
}

/** The tabs of a repository page. */
export function codeTabs(
  project: Project,
  current: 'Files' | 'Commits' | 'Branches' | 'Tags',
  ref = project.default_branch,
): Markup {
  const tabs = {
    Files: codeAddress(project, 'tree', ref),
    Commits: codeAddress(project, 'commits', ref),
    Branches: `/${project.full_path}/-/branches`,
    Tags: `/${project.full_path}/-/tags`,
  };
  return html`<nav class="tabs" aria-label="Repository">
${Object.entries(tabs).map(
  ([name, address]) => html`<a href="${address}" ${name === current ? html`aria-current="page"` : ''}>${name}</a>`,
)}
</nav>`;
}

/** A link to a commit, labelled with its first line. */
export function commitLink(project: Project, { id, message }: CommitObject): Markup {
  const title = message.trimStart().split('\n', 1)[0]?.trim() ?? '';
  return html`<a href="/${project.full_path}/-/commit/${id}">${title === '' ? id.slice(0, 8) : title}</a>`;
}

/** Shortens a ref for the title of a page, because refs have any length. */
export function shortened(text: string, most = 60): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
