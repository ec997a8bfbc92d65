import { html } from 'hono/html';
import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import { addressPath } from '../../web/addresses.ts';
import { type PageResponse, type PageRequest, pageRoute, signInPath } from '../../web/route.ts';
import { holdsRole } from '../abilities/abilities.ts';
import { findMovedProject, findProject, type FoundProject } from './access.ts';

/** A request for a page of a project that the user can see. */
export interface ProjectPageRequest extends PageRequest, FoundProject {
  /** Decoded part of the path after the route's fixed text: the ref and path of `/-/tree/*rest`. */
  readonly rest: string;
}

type PageRow = Parameters<typeof pageRoute>[0];

/**
 * The route of a project page, at the project's path or below `/-/`. Renamed projects redirect to the new path. Below `/-/`,
 * anonymous callers are sent to the sign-in page whenever no project is visible to them, whether it exists or not. `instead` can
 * return a different page for the same path. Every page has the tabs of the project.
 */
export function projectPageRoute(
  row: PageRow,
  handle: (request: ProjectPageRequest) => PageResponse | Promise<PageResponse>,
  instead: (path: string, caller: Caller | undefined) => PageResponse | undefined = () => undefined,
): Route {
  const begin = row.path.indexOf('/-/');
  const text = begin < 0 ? '' : (row.path.slice(begin).split(/[:*]/, 1)[0] ?? '');
  return pageRoute(row, (request) => {
    // The first `/-/` separates the project from the rest, whatever the names of files are.
    const { path } = request.context;
    const at = path.indexOf('/-/');
    const own = at < 0 ? path : path.slice(0, at);
    const shown = at < 0 ? '' : path.slice(at);
    if (!shown.startsWith(text) || (text === '' && shown !== ''))
      throw notFound('Page', 'the path matches the route of another page');
    const fullPath = decodeURIComponent(own.slice(1));
    const other = instead(fullPath, request.caller);
    if (other !== undefined) return other;
    const found = findProject(request.context.core, fullPath, request.caller);
    if (found !== undefined) {
      const result = handle({ ...request, ...found, rest: decodeURIComponent(shown.slice(text.length)) });
      return result instanceof Promise
        ? result.then((response) => withTabs(found, shown, response))
        : withTabs(found, shown, result);
    }
    const moved = findMovedProject(request.context.core, fullPath, request.caller);
    if (moved !== undefined) return { redirectTo: `/${moved.project.full_path}${shown}` };
    // A path without `/-/` can belong to anything.
    if (request.caller === undefined && shown !== '') return { redirectTo: signInPath(request.context) };
    throw notFound('Project');
  });
}

interface ProjectTab {
  readonly name: string;
  readonly address: string;
  /** First segments after `/-/` of the pages that belong to the tab. */
  readonly pages: readonly string[];
}

/** Adds the tabs of the project to a page. `shown` is the path of the page from `/-/`, empty for the page of the project. */
function withTabs(found: FoundProject, shown: string, response: PageResponse): PageResponse {
  if (!('body' in response)) return response;
  const { project } = found;
  const page = shown.split('/', 3)[2] ?? '';
  return {
    ...response,
    tabs: html`<nav class="tabs project" aria-label="Project">
<a class="name" href="/${project.full_path}" ${shown === '' ? html`aria-current="page"` : ''}>${project.name}</a>
${projectTabs(found).map(
  ({ name, address, pages }) =>
    html`<a href="${address}" ${pages.includes(page) ? html`aria-current="${address.endsWith(shown) ? 'page' : 'true'}"` : ''}>${name}</a>
`,
)}</nav>`,
  };
}

/** Returns the tabs of a project that the user may open. */
function projectTabs({ project, access, can }: FoundProject): readonly ProjectTab[] {
  const below = `/${project.full_path}/-`;
  const tab = (isShown: boolean, name: string, path: string, pages: readonly string[] = [path]): readonly ProjectTab[] =>
    isShown ? [{ name, address: `${below}/${path}`, pages }] : [];
  return [
    ...tab(true, 'Activity', 'activity'),
    ...tab(can.readCode, 'Files', `tree/${addressPath(project.default_branch)}`, codePages),
    ...tab(can.readIssues, 'Issues', 'issues'),
    ...tab(can.readMergeRequests, 'Merge requests', 'merge_requests'),
    ...tab(holdsRole(access, 'reporter'), 'Errors', 'error_tracking'),
    ...tab(true, 'Releases', 'releases'),
    ...tab(access.isSignedIn, 'Members', 'project_members'),
  ];
}

const codePages = ['tree', 'blob', 'commits', 'commit', 'compare', 'branches', 'tags'];
