import type { RequestContext } from './requestContext.ts';
import { methodRefused } from './failures.ts';
import { RawResponse } from './route.ts';

/**
 * Responds to a request for a former path of a project, group or namespace (docs/interface.md#resource-addresses), or for an error that was
 * merged into another one. Reads are redirected to the same URL with the ID of what it is now; all other requests are refused with the new URL.
 * @param index Index of the path or ID among the segments of the URL.
 */
export function movedResponse(
  context: RequestContext,
  index: number,
  moved: { readonly kind: 'project' | 'group' | 'namespace' | 'error'; readonly id: number; readonly name: string },
): RawResponse {
  const path = context.path.split('/').with(index, String(moved.id)).join('/');
  const location = `${context.baseUrl}${path}${context.query === '' ? '' : `?${context.query}`}`;
  if (context.method !== 'GET') {
    throw methodRefused(
      `Non GET methods are not allowed for moved ${moved.kind}s`,
      `the ${moved.kind} is now ${moved.name}; use its new address`,
      { Location: location },
    );
  }
  context.noteRefusal(`${moved.kind}.moved`, `the ${moved.kind} is now ${moved.name}`);
  return new RawResponse({
    status: 301,
    type: 'text/plain',
    body: `This resource has been moved permanently to ${location}`,
    headers: { Location: location },
  });
}
