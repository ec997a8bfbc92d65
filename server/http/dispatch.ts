import type { IncomingMessage } from 'node:http';
import { checkHost } from './hostGuard.ts';
import type { HttpParts } from './httpParts.ts';
import { endedVersion, foreignApi, queryTooLong, unknownRoute, wrongMethod } from './failures.ts';
import { createProfileRoutes } from './profileRoutes.ts';
import { createRateLimits } from './rateLimits.ts';
import { type HttpResponse, jsonResponse } from './requestContext.ts';
import type { OpenRequestContext, RequestState } from './requestState.ts';
import { checkPercentEncoding, MAX_TARGET_LENGTH } from './requestTarget.ts';
import type { Area } from './route.ts';
import type { RouteGroup, RouteTable } from './routeIndex.ts';
import { allowedMethods, nearMiss, removalReason } from './unmatched.ts';

/** Calls the route of a request. `area` is that of the path. The returned promise rejects with a Refusal if the request is refused. */
export type Dispatch = (
  request: IncomingMessage,
  state: RequestState,
  context: OpenRequestContext,
  area: Area,
) => Promise<HttpResponse>;

/** Creates the function that checks requests and calls their routes. `publicBase` is the public URL without a slash at its end. */
export function createDispatch(
  parts: HttpParts,
  groupsOf: () => readonly RouteGroup[],
  table: RouteTable,
  publicBase: string | undefined,
): Dispatch {
  const publicHost = publicBase === undefined ? undefined : new URL(publicBase).host;
  const rateLimit = createRateLimits(parts);
  let routes = createProfileRoutes(parts.core.profile, groupsOf(), table);
  parts.emulation.onChange(() => {
    routes = createProfileRoutes(parts.core.profile, groupsOf(), table);
  });

  return async (request, state, context, area) => {
    const { path } = context;
    const verdict = checkHost(request, publicHost);
    if (!verdict.ok) {
      state.refusal = { rule: 'host', reason: verdict.reason };
      return verdict.status === 400
        ? jsonResponse(400, { error: '400 Bad request' })
        : { status: 421, type: 'text/plain; charset=utf-8', body: `Misdirected request: ${verdict.reason}.\n` };
    }
    if (publicBase === undefined) context.baseUrl = `http://${verdict.host}`;
    if ((request.url ?? '').length > MAX_TARGET_LENGTH) throw queryTooLong(MAX_TARGET_LENGTH);
    if (path.startsWith('/api/v3') && (path.length === 7 || path[7] === '/')) throw endedVersion();
    if (path.startsWith('/api/0/') || path === '/api/0') throw foreignApi(path);
    checkPercentEncoding(path);
    const own = routes.switchedOn(context.method, path);
    if (own !== undefined) {
      state.route = own;
      return own.handle(context);
    }
    const method = context.method === 'HEAD' ? 'GET' : context.method;
    // Only paths of pages and repositories can begin with a pattern: those of users, groups and projects.
    const found = routes.find(path, method, area === 'page' || area === 'git');
    const route = found?.route;
    if (found === undefined || route === undefined) {
      if (context.method === 'OPTIONS' && found !== undefined && found.methods.length > 0) {
        return { status: 204, headers: { Allow: allowedMethods(found.methods) } };
      }
      if ((area === 'ingest' || area === 'graphql') && found !== undefined) throw wrongMethod(allowedMethods(found.methods));
      const removed = routes.findRemoved(path, method);
      if (removed?.deprecation !== undefined) context.noteDeprecated(removed.deprecation);
      throw unknownRoute(removed === undefined ? nearMiss(path, context.method, found?.methods ?? []) : removalReason(removed));
    }
    state.route = route;
    if (route.area === 'api' || route.area === 'graphql') {
      const counted = rateLimit(context);
      state.limitHeaders = counted?.headers;
      if (counted?.refusal !== undefined) {
        state.refusal = { rule: 'rate-limit', reason: counted.refusal.reason };
        return counted.refusal.response;
      }
    }
    context.pathParameters = found.parameters;
    return route.handle(context);
  };
}
