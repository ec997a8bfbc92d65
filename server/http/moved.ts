import type { Exchange } from './exchange.ts';
import { methodRefused } from './failures.ts';
import { Prepared } from './route.ts';

/**
 * Answers a request with a former path of a project, group or namespace (docs/interface.md#resource-addresses): reads are redirected to the
 * same address with the number in place of the path, and everything else is refused with the new address. `index` is the place of the path among the segments.
 */
export function movedAnswer(
  exchange: Exchange,
  index: number,
  moved: { readonly kind: 'project' | 'group' | 'namespace'; readonly id: number; readonly fullPath: string },
): Prepared {
  const path = exchange.path.split('/').with(index, String(moved.id)).join('/');
  const location = `${exchange.baseUrl}${path}${exchange.query === '' ? '' : `?${exchange.query}`}`;
  if (exchange.method !== 'GET') {
    throw methodRefused(
      `Non GET methods are not allowed for moved ${moved.kind}s`,
      `the ${moved.kind} is now ${moved.fullPath}; use its number or its new path`,
      { Location: location },
    );
  }
  exchange.noteRefusal(`${moved.kind}.moved`, `the ${moved.kind} is now ${moved.fullPath}`);
  return new Prepared({
    status: 301,
    type: 'text/plain',
    body: `This resource has been moved permanently to ${location}`,
    headers: { Location: location },
  });
}
