import { notFound } from '../http/failures.ts';
import type { Route } from '../http/route.ts';
import type { Platform } from '../platform.ts';
import { type PageResponse, type PageRequest, pageRoute, signInPath } from '../web/route.ts';
import { findGroup, findMovedGroup, type FoundGroup } from './access.ts';

/** A request for a page of something that belongs to a group that the person sees. */
export interface GroupPageRequest extends PageRequest, FoundGroup {
  /** What the address says behind the words of the row. */
  readonly rest: string;
}

/**
 * A page behind `/groups/<path>/-/`. Former paths of a group lead to its new address; people who are not signed in are led to the sign-in page
 * where they see no group, whether there is one or not. Such a row stands before that of groups themselves.
 */
export function groupPageRoute(
  platform: Platform,
  row: Parameters<typeof pageRoute>[1],
  handle: (request: GroupPageRequest) => PageResponse | Promise<PageResponse>,
): Route {
  const text = row.path.slice(row.path.indexOf('/-/')).split(':', 1)[0] ?? '';
  return pageRoute(platform, row, (request) => {
    const { path } = request.context;
    const at = path.indexOf('/-/');
    const shown = path.slice(at);
    if (!shown.startsWith(text)) throw notFound('Page', 'the row of another page has taken the address');
    const fullPath = decodeURIComponent(path.slice('/groups/'.length, at));
    // A number would be taken for the id.
    const found = /^\d+$/.test(fullPath) ? undefined : findGroup(platform, fullPath, request.caller);
    if (found !== undefined) return handle({ ...request, ...found, rest: shown.slice(text.length) });
    const moved = findMovedGroup(platform, fullPath, request.caller);
    if (moved !== undefined) return { redirectTo: `/groups/${moved.group.full_path}${shown}` };
    if (request.caller === undefined) return { redirectTo: signInPath(request.context) };
    throw notFound('Group');
  });
}
