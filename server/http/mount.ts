import { hash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { type DeprecationId, deprecationOf } from '../../src/contract/deprecations.ts';
import { compareReleases } from '../../src/contract/releases.ts';
import { withActor } from '../core/actor.ts';
import { lazy } from '../support/lazy.ts';
import type { Core } from '../core/core.ts';
import { type Emulation, isAvailable, type Profile } from '../core/profile.ts';
import { isDamage } from '../store/damage.ts';
import { storageFailureOf } from '../store/storageFailure.ts';
import { areaOf, isIngest } from './areas.ts';
import type { Authentication } from './authentication.ts';
import type { BodyBudget } from './bodyBudget.ts';
import { deprecationHeaders } from './deprecationHeaders.ts';
import { disconnectedSignal } from './disconnected.ts';
import { type HttpResponse, type RequestContext, type Site, jsonResponse } from './requestContext.ts';
import type { WireFailure } from './failures.ts';
import {
  databaseDamaged,
  endedVersion,
  queryTooLong,
  serverError,
  storageFailed,
  unknownRoute,
  unreadableRequest,
  wrongMethod,
  asWireFailure,
} from './failures.ts';
import { checkHost } from './hostGuard.ts';
import { maskPathTokens, maskQuery, maskTokens } from '../core/masking.ts';
import type { RequestLog } from './requestLog.ts';
import { createRateLimits, type Throttle } from './rateLimits.ts';
import { type RequestBody, requestBody } from './requestBody.ts';
import type { Area, Route } from './route.ts';
import { createRouteIndex, type RouteGroup, type RouteIndex, type RouteMatch, type RouteTable } from './routeIndex.ts';
import { createTurns } from './turns.ts';

/** Error format and headers of an area. */
export interface AreaRules {
  refuse(failure: WireFailure, context: RequestContext): HttpResponse | Promise<HttpResponse>;
  readonly headers: Readonly<Record<string, string>>;
  /** True if reads with status 200 get a weak entity tag and support `If-None-Match`. */
  readonly conditional: boolean;
}

export type AreaTable = Readonly<Record<Area, AreaRules>>;

/** Maximum length of a request target; a longer one gets 414 (docs/interface.md#requests). */
const MAX_QUERY_LENGTH = 8192;

/** Maximum number of cached route matches, and maximum length of their paths. */
const MAX_MATCHES = 200;
const MAX_MATCH_LENGTH = 200;

interface RequestState {
  readonly id: string;
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

/** Complete response, except for the headers that Node adds. */
interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer | Readable | undefined;
}

/** A successful read that can be sent again: a GET request of the REST API, or a GraphQL query. */
export interface SentRead {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Query without the question mark. */
  readonly query: string;
  /** JSON of a GraphQL query; undefined for a GET request. */
  readonly body: string | undefined;
  /** Undefined for an anonymous read. */
  readonly userId: number | undefined;
  /** Scopes of the token that the read was sent with. */
  readonly scopes: readonly string[];
}

/** A call of a deprecated element of the API. */
export interface DeprecatedCall {
  readonly deprecation: DeprecationId;
  readonly at: number;
  /** Method and path of the route. */
  readonly request: string;
  /** Empty for an anonymous call. */
  readonly username: string;
  readonly userAgent: string;
  readonly oauthTokenId: number | undefined;
}

/** Parts of the server that requests need. */
export interface HttpParts {
  readonly core: Core;
  readonly emulation: Emulation;
  readonly authentication: Authentication;
  readonly site: Site;
  readonly requestLog: RequestLog;
  readonly bodyBudget: BodyBudget;
  /** Returns the rate limits that are on. */
  readonly throttles: () => readonly Throttle[];
  /** Records reads. `maskedQuery` is the query as the request log has it. */
  readonly recordedReads: { add(read: SentRead, maskedQuery: string): void };
  readonly deprecatedCalls: { add(call: DeprecatedCall): void };
}

export interface Mounted {
  readonly middleware: Middleware;
  /**
   * Handles a request that carries events without the middleware, which costs as much as storing an event. Returns undefined for all other
   * requests, and for requests of browsers, to which the cross-origin rules apply.
   */
  takeEvent(request: IncomingMessage, response: ServerResponse): Promise<void> | undefined;
}

/** Returns a refusal of the REST API. Both of its error formats are created by failures.ts. */
export const plainRefusal = (failure: WireFailure): HttpResponse =>
  failure.status === 204 || failure.status === 304
    ? { status: failure.status, headers: failure.headers }
    : jsonResponse(failure.status, failure.body, failure.headers);

/** Connects the routes to the server: host guard, request id, request log, refusals, entity tags and routing. */
export function mount(
  parts: HttpParts,
  groupsOf: () => readonly RouteGroup[],
  table: RouteTable,
  areas: AreaTable,
  publicUrl: string | undefined,
): Mounted {
  const { core } = parts;
  const publicBase = publicUrl?.replace(/\/+$/, '');
  const publicHost = publicBase === undefined ? undefined : new URL(publicBase).host;
  /** Masks secrets in a path, such as those of one-time links. */
  const maskPath = (path: string): string => {
    const secret = table.secretPrefixes.find((prefix) => path.startsWith(prefix));
    return secret === undefined ? maskPathTokens(path) : `${secret}[masked]`;
  };
  const rateLimit = createRateLimits(parts);
  const turns = createTurns();
  let routing = createRouting(core.profile, groupsOf(), table);
  parts.emulation.onChange(() => {
    routing = createRouting(core.profile, groupsOf(), table);
  });

  return { middleware, takeEvent };

  async function middleware(ctx: Context): Promise<void> {
    const path = normalised(ctx.path);
    const { status, headers, body } = await replyTo(ctx.req, ctx.res, path, ctx.querystring, areaOf(path));
    ctx.status = status;
    // Faster than Koa's setter, which converts values that are strings already.
    for (const name in headers) ctx.res.setHeader(name, headers[name] ?? '');
    ctx.body = body ?? null;
    // Koa sets 204 if there is no body.
    if (body === undefined) ctx.status = status;
  }

  function takeEvent(request: IncomingMessage, response: ServerResponse): Promise<void> | undefined {
    const { method, url = '', headers } = request;
    if (method !== 'POST' || headers.origin !== undefined) return undefined;
    const [path, query] = split(url);
    if (path.includes('#') || !isIngest(path)) return undefined;
    return replyTo(request, response, normalised(path), query, 'ingest')
      .then((reply) => sendEventReply(response, reply))
      .catch((error: unknown) => {
        core.log.error('could not respond to an event request', error);
        response.destroy();
      });
  }

  async function replyTo(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: string,
    area: Area,
  ): Promise<Reply> {
    const state: RequestState = {
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
    const method = request.method ?? '';
    // Events and OAuth requests share commits, so others need not wait for a separate flush.
    const takesTurns = area !== 'ingest' && area !== 'oauth';
    const body = requestBody(request, response, parts.bodyBudget, takesTurns ? turns : undefined);
    const context = contextOf(request, response, parts, state, path, query, publicBase ?? '', body);
    if (takesTurns) await turns.enter();
    let reply: Reply;
    try {
      const response = await withActor(context.address, () => respondTo(request, state, context, area));
      reply = replyOf(request, state, areas[state.route?.area ?? area], response);
    } catch (error) {
      const known = asWireFailure(error);
      const failure = known ?? failureOf(error);
      if (known === undefined) core.log.error(`request ${state.id} ${method} ${maskPath(path)} failed`, error);
      state.refusal = { rule: failure.rule, reason: failure.reason };
      const rules = areas[state.route?.area ?? area];
      reply = replyOf(request, state, rules, await refusalOf(rules, failure, context, core.log));
    } finally {
      body.close();
      if (takesTurns) turns.leave();
    }
    const maskedQuery = maskQuery(query);
    if (reply.status === 200) recordRead(parts, state, context, reply, maskedQuery);
    if (state.deprecations !== undefined) {
      reply = { ...reply, headers: withDeprecations(reply.headers, state.deprecations, core.profile, context.baseUrl) };
      recordCalls(parts, state, context);
    }
    parts.requestLog.add({
      id: state.id,
      at: context.now,
      method,
      path: maskPath(path),
      query: maskedQuery,
      route: state.route === undefined ? null : `${state.route.method} ${state.route.path}`,
      status: reply.status,
      milliseconds: Math.round((performance.now() - state.started) * 100) / 100,
      user: state.user,
      sudo: state.sudo,
      refusal: state.refusal === null ? null : { ...state.refusal, reason: maskTokens(state.refusal.reason) },
    });
    return reply;
  }

  async function respondTo(
    request: IncomingMessage,
    state: RequestState,
    context: OpenRequestContext,
    area: Area,
  ): Promise<HttpResponse> {
    const { path } = context;
    const verdict = checkHost(request, publicHost);
    if (!verdict.ok) {
      state.refusal = { rule: 'host', reason: verdict.reason };
      return verdict.status === 400
        ? jsonResponse(400, { error: '400 Bad request' })
        : { status: 421, type: 'text/plain; charset=utf-8', body: `Misdirected request: ${verdict.reason}.\n` };
    }
    if (publicBase === undefined) context.baseUrl = `http://${verdict.host}`;
    if ((request.url ?? '').length > MAX_QUERY_LENGTH) throw queryTooLong(MAX_QUERY_LENGTH);
    if (path.startsWith('/api/v3') && (path.length === 7 || path[7] === '/')) throw endedVersion();
    checkPercentEncoding(path);
    const own = routing.switchedOn(context.method, path);
    if (own !== undefined) {
      state.route = own;
      return own.handle(context);
    }
    const method = context.method === 'HEAD' ? 'GET' : context.method;
    // Only paths of pages and repositories can begin with a pattern: those of users, groups and projects.
    const found =
      area === 'ingest' || area === 'oauth'
        ? routing.findRemembered(path, method)
        : routing.index.find(path, method, area === 'page' || area === 'git');
    const route = found?.route;
    if (found === undefined || route === undefined) {
      if (context.method === 'OPTIONS' && found !== undefined && found.methods.length > 0) {
        return { status: 204, headers: { Allow: allowedMethods(found.methods) } };
      }
      if ((area === 'ingest' || area === 'graphql') && found !== undefined) throw wrongMethod(allowedMethods(found.methods));
      const removed = routing.findRemoved(path, method);
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
  }
}

/**
 * Request context whose base URL and path parameters are set once they are known. They are not getters, because V8 gives each object with
 * its own getter a separate hidden class, which keeps the request in memory until a full garbage collection.
 */
type OpenRequestContext = Omit<RequestContext, 'baseUrl' | 'pathParameters'> & {
  baseUrl: string;
  pathParameters: RequestContext['pathParameters'];
};

function contextOf(
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

/** The routes of one profile. */
interface Routing {
  readonly index: RouteIndex;
  /** Returns the route of a path that can be turned off, if it is turned on. */
  switchedOn(method: string, path: string): Route | undefined;
  /** Finds a route, and caches the matches of POST requests, for paths that are requested repeatedly. */
  findRemembered(path: string, method: string): RouteMatch | undefined;
  /** Returns the route that another release has. */
  findRemoved(path: string, method: string): Route | undefined;
}

function createRouting(profile: Profile, groups: readonly RouteGroup[], table: RouteTable): Routing {
  const available = groups.map((group) => lazy(() => group().filter((route) => isAvailable(route, profile))));
  const index = createRouteIndex(
    available.map((group) => lazy(() => group().filter((route) => route.isOn === undefined))),
    table,
  );
  const removed = lazy(() =>
    createRouteIndex(
      groups.map((group) => lazy(() => group().filter((route) => wasRemoved(route, profile)))),
      table,
    ),
  );
  const switchable = new Map(Object.entries(table.switchable));
  const matches = new Map<string, RouteMatch>();
  return {
    index,
    switchedOn: (method, path) => {
      const group = switchable.get(path);
      if (group === undefined) return undefined;
      return available[group]?.().find((route) => route.path === path && route.method === method && route.isOn?.() === true);
    },
    findRemembered: (path, method) => {
      if (method !== 'POST') return index.find(path, method, false);
      const known = matches.get(path);
      if (known !== undefined) return known;
      const found = index.find(path, method, false);
      if (found?.route !== undefined && path.length <= MAX_MATCH_LENGTH) {
        if (matches.size >= MAX_MATCHES) matches.clear();
        matches.set(path, found);
      }
      return found;
    },
    findRemoved: (path, method) => removed().find(path, method, false)?.route,
  };
}

/** Returns true for a route that earlier releases have, but not the emulated one. */
function wasRemoved({ removedIn }: Route, { release }: Profile): boolean {
  return removedIn !== undefined && compareReleases(release, removedIn) >= 0;
}

function removalReason({ removedIn, deprecation }: Route): string {
  const advice = deprecation === undefined ? '' : `: ${deprecationOf(deprecation).replacement}`;
  return `the endpoint was removed in release ${removedIn ?? ''}${advice}`;
}

/** Returns headers with those of deprecated calls. A header `Link` for pagination is kept. */
function withDeprecations(
  headers: Reply['headers'],
  ids: ReadonlySet<DeprecationId>,
  profile: Profile,
  baseUrl: string,
): Reply['headers'] {
  const { Link: link, ...others } = deprecationHeaders(ids, profile, baseUrl);
  if (link === undefined) return headers;
  const links = [headers['Link'] ?? [], link].flat();
  return { ...headers, ...others, Link: links.join(', ') };
}

const JSON_TYPE = 'application/json';

/** Records a read of the API whose response is JSON. Routes that only this server has are the same in every release. */
function recordRead(
  { recordedReads }: HttpParts,
  state: RequestState,
  context: RequestContext,
  { headers }: Reply,
  maskedQuery: string,
): void {
  const { route, token, graphqlQuery } = state;
  const { method, path, query } = context;
  const isRead = route?.area === 'api' && method === 'GET' && route.status !== 'local' && headers['Content-Type'] === JSON_TYPE;
  if ((!isRead && graphqlQuery === undefined) || (token !== undefined && token.scopes === undefined)) return;
  const { userId, scopes = [] } = token ?? {};
  const sent = { method: graphqlQuery === undefined ? 'GET' : 'POST', path, query, body: graphqlQuery, userId, scopes } as const;
  recordedReads.add(sent, maskedQuery);
}

function recordCalls({ deprecatedCalls }: HttpParts, state: RequestState, context: RequestContext): void {
  const { method, path, headers, now: at } = context;
  const request = state.route === undefined ? `${method} ${maskPathTokens(path)}` : `${method} ${state.route.path}`;
  const caller = {
    username: state.user ?? '',
    userAgent: maskTokens(headers['user-agent'] ?? ''),
    oauthTokenId: state.oauthTokenId,
  };
  for (const deprecation of state.deprecations ?? []) deprecatedCalls.add({ deprecation, at, request, ...caller });
}

/** Returns the response to a refusal. It is plain text if the area cannot render its own, for example because the database failed. */
async function refusalOf(
  rules: AreaRules,
  failure: WireFailure,
  context: RequestContext,
  log: Core['log'],
): Promise<HttpResponse> {
  try {
    return await rules.refuse(failure, context);
  } catch (error) {
    log.error(`request ${context.requestId} could not render its error response`, error);
    const { status, body, reason } = failure.status >= 500 ? failure : failureOf(error);
    const text: unknown = typeof body === 'object' && body !== null && 'message' in body ? body.message : undefined;
    return { status, type: 'text/plain; charset=utf-8', body: `${typeof text === 'string' ? text : `${status} ${reason}`}\n` };
  }
}

function failureOf(error: unknown): WireFailure {
  if (isDamage(error)) return databaseDamaged();
  const storage = storageFailureOf(error);
  return storage === undefined ? serverError() : storageFailed(storage);
}

/** Returns a response with the headers of its area. */
function replyOf(request: IncomingMessage, state: RequestState, rules: AreaRules, response: HttpResponse): Reply {
  const { status, body, stream } = response;
  const headers: Record<string, string | readonly string[]> = {
    ...state.limitHeaders,
    'X-Request-Id': state.id,
    ...rules.headers,
    ...response.headers,
  };
  if (stream === undefined && body === undefined) return { status, headers, body };
  headers['Content-Type'] = response.type ?? 'application/octet-stream';
  if (stream !== undefined || !rules.conditional) return { status, headers, body: stream ?? body };
  if (status !== 200 && status !== 201) {
    headers['Cache-Control'] = 'no-cache';
    return { status, headers, body };
  }
  const tag = `W/"${hash('md5', body ?? '')}"`;
  headers['ETag'] = tag;
  headers['Cache-Control'] = 'max-age=0, private, must-revalidate';
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return isRead && matchesTag(request.headers['if-none-match'], tag)
    ? { status: 304, headers, body: undefined }
    : { status, headers, body };
}

/** Sends the response to an event, which has a short body. */
function sendEventReply(response: ServerResponse, { status, headers, body }: Reply): void {
  if (body instanceof Readable) throw new Error('the response to an event must not be a stream');
  const bytes = body ?? '';
  response.writeHead(status, { ...headers, Vary: 'Origin', 'Content-Length': Buffer.byteLength(bytes) });
  response.end(bytes);
}

/** Returns true if `If-None-Match` contains the tag, by weak comparison (RFC 9110 §13.1.2). */
function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined || header === '') return false;
  const plain = tag.slice(2);
  return header.split(',').some((candidate) => {
    const text = candidate.trim();
    return text === '*' || text === tag || text === plain;
  });
}

/** Splits a request target into path and query. */
function split(target: string): [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** Returns a path without doubled and trailing slashes. */
function normalised(path: string): string {
  const single = path.includes('//') ? path.replaceAll(/\/{2,}/g, '/') : path;
  return single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single;
}

function checkPercentEncoding(path: string): void {
  if (!path.includes('%')) return;
  try {
    decodeURIComponent(path);
  } catch {
    throw unreadableRequest('the path is not validly percent-encoded');
  }
}

function allowedMethods(methods: readonly string[]): string {
  const order = ['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
  return order.filter((method) => method === 'OPTIONS' || methods.includes(method)).join(', ');
}

function nearMiss(path: string, method: string, methods: readonly string[]): string {
  if (methods.length > 0) return `the path exists, but does not support ${method}; it supports ${methods.join(', ')}`;
  if (/^\/api\/v4\/(?:projects|groups)\/[^/]+\/[^/]+/.test(path)) {
    return 'no endpoint has this path; if it contains a namespaced path or file name, send "/" in it as "%2F"';
  }
  return 'no endpoint has this path';
}
