import { deprecationOf } from '../../src/contract/deprecations.ts';
import type { Route } from './route.ts';

/** Returns the methods as a header `Allow`. */
export function allowedMethods(methods: readonly string[]): string {
  const order = ['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
  return order.filter((method) => method === 'OPTIONS' || methods.includes(method)).join(', ');
}

/** Returns the reason for which no route was found, for the request log. `methods` are those that the path has. */
export function nearMiss(path: string, method: string, methods: readonly string[]): string {
  if (methods.length > 0) return `the path exists, but does not support ${method}; it supports ${methods.join(', ')}`;
  if (/^\/api\/v4\/(?:projects|groups)\/[^/]+\/[^/]+/.test(path)) {
    return 'no endpoint has this path; if it contains a namespaced path or file name, send "/" in it as "%2F"';
  }
  return 'no endpoint has this path';
}

/** Returns the reason for which a route of other releases is unknown, for the request log. */
export function removalReason({ removedIn, deprecation }: Route): string {
  const advice = deprecation === undefined ? '' : `: ${deprecationOf(deprecation).replacement}`;
  return `the endpoint was removed in release ${removedIn ?? ''}${advice}`;
}
