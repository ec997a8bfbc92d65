import { maskTokens } from '../core/masking.ts';
import type { HttpParts } from './httpParts.ts';
import { readsBodyOfRead } from './input.ts';
import type { Reply } from './reply.ts';
import type { RequestContext } from './requestContext.ts';
import type { RequestState } from './requestState.ts';

const JSON_TYPE = 'application/json';

/** Records a read of the API without a body whose response is JSON. Routes that only this server has are the same in every release. */
export function recordRead(
  { recordedReads }: HttpParts,
  state: RequestState,
  context: RequestContext,
  { headers }: Reply,
  maskedQuery: string,
): void {
  const { route, token, graphqlQuery } = state;
  const { method, path, query } = context;
  const isRead =
    route?.area === 'api' &&
    method === 'GET' &&
    route.status !== 'local' &&
    headers['Content-Type'] === JSON_TYPE &&
    !readsBodyOfRead(context);
  if ((!isRead && graphqlQuery === undefined) || (token !== undefined && token.scopes === undefined)) return;
  const { userId, scopes = [] } = token ?? {};
  const sent = { method: graphqlQuery === undefined ? 'GET' : 'POST', path, query, body: graphqlQuery, userId, scopes } as const;
  recordedReads.add(sent, maskedQuery);
}

/** Records a call of each deprecated element that a request uses. `maskedPath` is its path without secrets. */
export function recordCalls(
  { deprecatedCalls }: HttpParts,
  state: RequestState,
  context: RequestContext,
  maskedPath: string,
): void {
  const { method, headers, now: at } = context;
  const request = state.route === undefined ? `${method} ${maskedPath}` : `${method} ${state.route.path}`;
  const caller = {
    username: state.user ?? '',
    userAgent: maskTokens(headers['user-agent'] ?? ''),
    oauthTokenId: state.oauthTokenId,
  };
  for (const deprecation of state.deprecations ?? []) deprecatedCalls.add({ deprecation, at, request, ...caller });
}

/** Adds a request to the request log. `maskedPath` and `maskedQuery` are its path and query without secrets. */
export function logRequest(
  { requestLog }: HttpParts,
  state: RequestState,
  { method, now: at }: RequestContext,
  status: number,
  maskedPath: string,
  maskedQuery: string,
): void {
  const { id, started, route, user, sudo, refusal } = state;
  requestLog.add({
    id,
    at,
    method,
    path: maskedPath,
    query: maskedQuery,
    route: route === undefined ? null : `${route.method} ${route.path}`,
    status,
    milliseconds: Math.round((performance.now() - started) * 100) / 100,
    user,
    sudo,
    refusal: refusal === null ? null : { ...refusal, reason: maskTokens(refusal.reason) },
  });
}
