import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import type { Caller } from '../../core/caller.ts';
import { type PageResponse, type PageRequest, pageRoute, signInPath } from '../../web/route.ts';
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
 * return a different page for the same path.
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
    if (found !== undefined) return handle({ ...request, ...found, rest: decodeURIComponent(shown.slice(text.length)) });
    const moved = findMovedProject(request.context.core, fullPath, request.caller);
    if (moved !== undefined) return { redirectTo: `/${moved.project.full_path}${shown}` };
    // A path without `/-/` can belong to anything.
    if (request.caller === undefined && shown !== '') return { redirectTo: signInPath(request.context) };
    throw notFound('Project');
  });
}
