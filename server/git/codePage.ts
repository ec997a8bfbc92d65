import { html } from 'hono/html';
import { notFound } from '../http/failures.ts';
import type { Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import { type Project, type ProjectPageRequest, projectPageRoute } from '../projects/projects.ts';
import { addressPath } from '../web/addresses.ts';
import type { Markup } from '../web/layout.ts';
import type { PageResponse } from '../web/route.ts';
import { openRepository, resolveRef } from './git.ts';
import { plainPath } from './names.ts';
import type { CommitObject, RepositoryDir } from './objects.ts';
import { longestRef } from './store.ts';

/** A request for a page of a repository that the person may read. */
export interface CodePageRequest extends ProjectPageRequest {
  /** Undefined when nothing was written to it yet. */
  readonly repository: RepositoryDir | undefined;
}

/** A page of a repository. Where the code is for others only, there is none. */
export function codePageRoute(
  platform: Platform,
  path: string,
  handle: (request: CodePageRequest) => PageResponse | Promise<PageResponse>,
): Route {
  const row = { method: 'GET', path, specRef: 'Web addresses', status: 'local' } as const;
  return projectPageRoute(platform, row, async (request) => {
    if (!request.can.readCode)
      throw notFound('Page', 'viewing the code of a private project requires at least the reporter role');
    return handle({ ...request, repository: await openRepository(platform, request.project) });
  });
}

/** A file or folder at a ref. */
export interface Located {
  readonly repository: RepositoryDir;
  readonly commit: string;
  readonly ref: string;
  /** Without slash in front and behind; empty for the root. */
  readonly path: string;
}

/** Segments of an address that may belong to the name of a ref. */
const MAX_SEGMENTS = 100;

/** What an address of a ref and a path means: refs may have slashes, and the longest one that is there counts. Throws 404. */
export async function locate(platform: Platform, request: CodePageRequest): Promise<Located> {
  const { project, repository, rest } = request;
  const segments = plainPath(rest).split('/');
  const names = segments.slice(0, MAX_SEGMENTS).map((_, index) => segments.slice(0, index + 1).join('/'));
  const ref = longestRef(platform.store, project.id, names) ?? segments[0] ?? '';
  const commit = await resolveRef(platform, repository, project, ref);
  if (repository === undefined || commit === undefined) throw notFound('Page', 'no branch, tag or commit has this name');
  return { repository, commit, ref, path: plainPath(plainPath(rest).slice(ref.length)) };
}

/** Address of something of a repository: `tree`, `blob`, `raw` or `commits`, at a ref and path. */
export function codeAddress(project: Pick<Project, 'full_path'>, kind: string, ref: string, path = ''): string {
  return `/${project.full_path}/-/${kind}/${addressPath(path === '' ? ref : `${ref}/${path}`)}`;
}

/** Where a page of a repository stands: the project and what else there is. */
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
<a href="/${project.full_path}">${project.name}</a>
${Object.entries(tabs).map(
  ([name, address]) => html`<a href="${address}" ${name === current ? html`aria-current="page"` : ''}>${name}</a>`,
)}
</nav>`;
}

/** A commit's first line as a link to it. */
export function commitLink(project: Project, { id, message }: CommitObject): Markup {
  const title = message.trimStart().split('\n', 1)[0]?.trim() ?? '';
  return html`<a href="/${project.full_path}/-/commit/${id}">${title === '' ? id.slice(0, 8) : title}</a>`;
}

/** Refs are names of any length; a title holds the beginning. */
export function shortened(text: string, most = 60): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
