import { notFound } from '../../core/errors.ts';
import type { Route } from '../../http/route.ts';
import { type PageResponse, type PageRequest, pageRoute, signInPath } from '../../web/route.ts';
import type { Markup } from '../../web/layout.ts';
import { findGroup, findMovedGroup, type FoundGroup } from './access.ts';
import { groupTabs } from './tabs.ts';

/** A request for a page that belongs to a group the user can see. */
export interface GroupPageRequest extends PageRequest, FoundGroup {
  /** The part of the path after the static segments of the route. */
  readonly rest: string;
}

/**
 * Returns the route of a page below `/groups/<path>/-/`. Former paths of a group redirect to its new path. Visitors without a session are
 * redirected to the sign-in page if the group does not exist or is not visible, so that the two cases look the same. Such a route must
 * precede the route of the group itself. Every page has the tabs of the group.
 */
export function groupPageRoute(
  route: Parameters<typeof pageRoute>[0],
  handle: (request: GroupPageRequest) => PageResponse | Promise<PageResponse>,
): Route {
  const subpath = route.path.slice(route.path.indexOf('/-/')).split(':', 1)[0] ?? '';
  return pageRoute(route, (request) => {
    const { path } = request.context;
    const separator = path.indexOf('/-/');
    const actual = path.slice(separator);
    if (!actual.startsWith(subpath)) throw notFound('Page', 'the path matches the route of another page');
    const fullPath = decodeURIComponent(path.slice('/groups/'.length, separator));
    // findGroup would read a number as an ID.
    const found = /^\d+$/.test(fullPath) ? undefined : findGroup(request.context.core, fullPath, request.caller);
    if (found !== undefined) {
      const result = handle({ ...request, ...found, rest: actual.slice(subpath.length) });
      const tabs = groupTabs(request.context.core, found.group, request.caller, actual);
      return result instanceof Promise ? result.then((response) => withTabs(response, tabs)) : withTabs(result, tabs);
    }
    const moved = findMovedGroup(request.context.core, fullPath, request.caller);
    if (moved !== undefined) return { redirectTo: `/groups/${moved.group.full_path}${actual}` };
    if (request.caller === undefined) return { redirectTo: signInPath(request.context) };
    throw notFound('Group');
  });
}

function withTabs(response: PageResponse, tabs: Markup): PageResponse {
  return 'body' in response ? { ...response, tabs } : response;
}
