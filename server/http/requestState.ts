import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { DeprecationId } from '../../src/contract/deprecations.ts';
import { disconnectedSignal } from './disconnected.ts';
import type { HttpParts } from './httpParts.ts';
import type { RequestBody } from './requestBody.ts';
import type { RequestContext } from './requestContext.ts';
import type { Route } from './route.ts';

/** Facts about a request that become known while it is handled. */
export interface RequestState {
  readonly id: string;
  /** Time of `performance.now()` at which the request arrived. */
  readonly started: number;
  user: string | null;
  sudo: string | null;
  route: Route | undefined;
  refusal: { rule: string; reason: string } | null;
  /** Headers of the rate limits of the area. */
  limitHeaders: Readonly<Record<string, string>> | undefined;
  oauthTokenId: number | undefined;
  /** User and scopes of the token; undefined for an anonymous request. */
  token: { readonly userId: number; readonly scopes: readonly string[] | undefined } | undefined;
  /** Body of a GraphQL query that changes nothing. */
  graphqlQuery: string | undefined;
  /** Deprecated elements that the request uses; undefined if it uses none. */
  deprecations: Set<DeprecationId> | undefined;
}

/** Returns the state of a request that has just arrived. */
export function newRequestState(): RequestState {
  return {
    id: randomUUID(),
    started: performance.now(),
    user: null,
    sudo: null,
    route: undefined,
    refusal: null,
    limitHeaders: undefined,
    oauthTokenId: undefined,
    token: undefined,
    graphqlQuery: undefined,
    deprecations: undefined,
  };
}

/**
 * Request context whose base URL and path parameters are set once they are known. They are not getters, because V8 gives each object with
 * its own getter a separate hidden class, which keeps the request in memory until a full garbage collection.
 */
export type OpenRequestContext = Omit<RequestContext, 'baseUrl' | 'pathParameters'> & {
  baseUrl: string;
  pathParameters: RequestContext['pathParameters'];
};

/** Returns the context of a request for its route. What the route notes is written to `state`. */
export function contextOf(
  request: IncomingMessage,
  response: ServerResponse,
  { core, authentication, site }: HttpParts,
  state: RequestState,
  path: string,
  query: string,
  baseUrl: string,
  { body, bodyStart, reserveMemory }: RequestBody,
): OpenRequestContext {
  return {
    core,
    authentication,
    site,
    method: request.method ?? '',
    path,
    query,
    pathParameters: {},
    headers: request.headers,
    address: request.socket.remoteAddress ?? '',
    requestId: state.id,
    baseUrl,
    now: core.clock.now(),
    body,
    bodyStart,
    bodyStream: () => request,
    disconnected: (idleLimit) => disconnectedSignal(request, response, idleLimit),
    reserveMemory,
    noteUser: (username, administrator) => {
      state.user = username;
      state.sudo = administrator ?? null;
    },
    noteRefusal: (rule, reason) => {
      state.refusal = { rule, reason };
    },
    noteApplication: (tokenId) => {
      state.oauthTokenId = tokenId;
    },
    noteToken: (userId, scopes) => {
      state.token = { userId, scopes };
    },
    noteQuery: (body) => {
      state.graphqlQuery = body;
    },
    noteDeprecated: (id) => {
      state.deprecations = (state.deprecations ?? new Set()).add(id);
    },
  };
}
