import { hash, randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import { withActor } from '../actor.ts';
import { isoTime } from '../clock.ts';
import { lazy } from '../lazy.ts';
import type { Platform } from '../platform.ts';
import { isAvailable } from '../profile.ts';
import { isDamage } from '../store/damage.ts';
import { storageFailureOf } from '../store/storageFailure.ts';
import { areaOf } from './areas.ts';
import { type Answer, type Exchange, jsonAnswer } from './exchange.ts';
import {
  databaseDamaged,
  endedVersion,
  queryTooLong,
  serverError,
  storageFailed,
  unknownRoute,
  unreadableRequest,
  WireFailure,
  wrongMethod,
} from './failures.ts';
import { checkHost } from './hostGuard.ts';
import { maskPathTokens, maskQuery, maskTokens } from './journal.ts';
import { createRateLimits } from './rateLimits.ts';
import { type RequestBody, requestBody } from './requestBody.ts';
import type { Area, Route } from './route.ts';
import { createRouteIndex, type RouteGroup, type RouteMatch, type RouteTable } from './routeIndex.ts';
import { createTurns } from './turns.ts';

/** How an area words a refusal and what it adds to every answer. */
export interface AreaRules {
  refuse(failure: WireFailure, exchange: Exchange): Answer | Promise<Answer>;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether 200 answers to reads get a weak entity tag and answer `If-None-Match`. */
  readonly conditional: boolean;
}

export type AreaTable = Readonly<Record<Area, AreaRules>>;

/** A request line longer than this is 414 (docs/interface.md#requests). */
const LONGEST_QUERY = 8192;

/** Matches that are remembered, and the length of their methods and paths. */
const MAX_MATCHES = 200;
const MAX_MATCH_LENGTH = 200;

interface RequestState {
  readonly id: string;
  readonly started: number;
  user: string | null;
  sudo: string | null;
  route: Route | undefined;
  refusal: { rule: string; reason: string } | null;
}

/** REST answers and refusals: both error families are made by failures.ts. */
export const plainRefusal = (failure: WireFailure): Answer =>
  failure.status === 204 || failure.status === 304
    ? { status: failure.status, headers: failure.headers }
    : jsonAnswer(failure.status, failure.body, failure.headers);

/** Host guard, request id, journal, refusals, entity tags and routing: everything around a route. */
export function mount(
  platform: Platform,
  groups: readonly RouteGroup[],
  table: RouteTable,
  areas: AreaTable,
  publicUrl: string | undefined,
): Middleware {
  const publicBase = publicUrl?.replace(/\/+$/, '');
  const publicHost = publicBase === undefined ? undefined : new URL(publicBase).host;
  /** A secret in the path, as in a one-time link, is not written down, whatever the method. */
  const maskPath = (path: string): string => {
    const secret = table.secretPrefixes.find((prefix) => path.startsWith(prefix));
    return secret === undefined ? maskPathTokens(path) : `${secret}[masked]`;
  };
  const rateLimit = createRateLimits(platform);
  const turns = createTurns();
  const available = groups.map((group) => lazy(() => group().filter((route) => isAvailable(route, platform.profile))));
  const index = createRouteIndex(
    available.map((group) => lazy(() => group().filter((route) => route.isOn === undefined))),
    table,
  );
  const switchable = new Map(Object.entries(table.switchable));
  /** The route of a path that can be switched off, while it is on. */
  const switchedOn = (method: string, path: string): Route | undefined => {
    const place = switchable.get(path);
    if (place === undefined) return undefined;
    return available[place]?.().find((route) => route.path === path && route.method === method && route.isOn?.() === true);
  };

  /** Matches of paths that are called again and again with nothing in them that changes. */
  const matches = new Map<string, RouteMatch>();
  const findRemembered = (path: string, method: string): RouteMatch | undefined => {
    const name = `${method} ${path}`;
    const known = matches.get(name);
    if (known !== undefined) return known;
    const found = index.find(path, method, false);
    if (found?.route !== undefined && name.length <= MAX_MATCH_LENGTH) {
      if (matches.size >= MAX_MATCHES) matches.clear();
      matches.set(name, found);
    }
    return found;
  };

  return async (ctx) => {
    const state: RequestState = {
      id: randomUUID(),
      started: performance.now(),
      user: null,
      sudo: null,
      route: undefined,
      refusal: null,
    };
    const path = normalised(ctx.path);
    const area = areaOf(path);
    // Events and OAuth requests share commits, so they have no flush of their own that others would wait for.
    const takesTurns = area !== 'ingest' && area !== 'oauth';
    const body = requestBody(ctx, platform.bodyBudget, takesTurns ? turns : undefined);
    const exchange = exchangeOf(ctx, platform, state, path, publicBase ?? '', body);
    if (takesTurns) await turns.enter();
    try {
      const answer = await withActor(exchange.address, () => answerTo(ctx, state, exchange, path, area));
      send(ctx, state, areas[state.route?.area ?? area], answer);
    } catch (error) {
      const failure = error instanceof WireFailure ? error : failureOf(error);
      if (failure !== error) platform.log.error(`request ${state.id} ${ctx.method} ${maskPath(path)} failed`, error);
      state.refusal = { rule: failure.rule, reason: failure.reason };
      const rules = areas[state.route?.area ?? area];
      send(ctx, state, rules, await refusalOf(rules, failure, exchange, platform.log));
    } finally {
      body.close();
      if (takesTurns) turns.leave();
    }
    platform.journal.add({
      id: state.id,
      at: isoTime(exchange.now),
      method: ctx.method,
      path: maskPath(path),
      query: maskQuery(ctx.querystring),
      route: state.route === undefined ? null : `${state.route.method} ${state.route.path}`,
      status: ctx.status,
      milliseconds: Math.round((performance.now() - state.started) * 100) / 100,
      user: state.user,
      sudo: state.sudo,
      refusal: state.refusal === null ? null : { ...state.refusal, reason: maskTokens(state.refusal.reason) },
    });
  };

  async function answerTo(ctx: Context, state: RequestState, exchange: OpenExchange, path: string, area: Area): Promise<Answer> {
    const verdict = checkHost(ctx.req, publicHost);
    if (!verdict.ok) {
      state.refusal = { rule: 'host', reason: verdict.reason };
      return verdict.status === 400
        ? jsonAnswer(400, { error: '400 Bad request' })
        : { status: 421, type: 'text/plain; charset=utf-8', body: `Misdirected request: ${verdict.reason}.\n` };
    }
    if (publicBase === undefined) exchange.baseUrl = `http://${verdict.host}`;
    if ((ctx.req.url ?? '').length > LONGEST_QUERY) throw queryTooLong(LONGEST_QUERY);
    if (path.startsWith('/api/v3') && (path.length === 7 || path[7] === '/')) throw endedVersion();
    checkPercentEncoding(path);
    const own = switchedOn(ctx.method, path);
    if (own !== undefined) {
      state.route = own;
      return own.handle(exchange);
    }
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    // Patterns in front of a path are pages of people, groups and projects; no other area has any.
    const found =
      area === 'ingest' || area === 'oauth' ? findRemembered(path, method) : index.find(path, method, area === 'page');
    const route = found?.route;
    if (found === undefined || route === undefined) {
      if (ctx.method === 'OPTIONS' && found !== undefined && found.methods.length > 0) {
        return { status: 204, headers: { Allow: allowedMethods(found.methods) } };
      }
      if ((area === 'ingest' || area === 'graphql') && found !== undefined) throw wrongMethod(allowedMethods(found.methods));
      throw unknownRoute(nearMiss(path, ctx.method, found?.methods ?? []));
    }
    state.route = route;
    if (route.area === 'api' || route.area === 'graphql') {
      const counted = rateLimit(exchange);
      if (counted !== undefined) ctx.set(counted.headers);
      if (counted?.refusal !== undefined) {
        state.refusal = { rule: 'rate-limit', reason: counted.refusal.reason };
        return counted.refusal.answer;
      }
    }
    return route.handle({ ...exchange, pathParameters: found.parameters });
  }
}

/**
 * Where it came in is written into it once that is known, and is no getter: V8 gives each object with one of its own a shape of its own,
 * which keeps everything of the request alive until all memory is looked through.
 */
type OpenExchange = Omit<Exchange, 'baseUrl'> & { baseUrl: string };

function exchangeOf(
  ctx: Context,
  platform: Platform,
  state: RequestState,
  path: string,
  baseUrl: string,
  { body, bodyStart, reserveMemory }: RequestBody,
): OpenExchange {
  return {
    method: ctx.method,
    path,
    query: ctx.querystring,
    pathParameters: {},
    headers: ctx.headers,
    address: ctx.req.socket.remoteAddress ?? '',
    requestId: state.id,
    baseUrl,
    now: platform.clock.now(),
    body,
    bodyStart,
    reserveMemory,
    noteUser: (username, administrator) => {
      state.user = username;
      state.sudo = administrator ?? null;
    },
    noteRefusal: (rule, reason) => {
      state.refusal = { rule, reason };
    },
  };
}

/** The response to a refusal, in plain text where the area cannot make its own: its page may need the database that has just failed. */
async function refusalOf(rules: AreaRules, failure: WireFailure, exchange: Exchange, log: Platform['log']): Promise<Answer> {
  try {
    return await rules.refuse(failure, exchange);
  } catch (error) {
    log.error(`request ${exchange.requestId} could not be refused in the form of its area`, error);
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

function send(ctx: Context, state: RequestState, rules: AreaRules, answer: Answer): void {
  ctx.status = answer.status;
  ctx.set('X-Request-Id', state.id);
  for (const name in rules.headers) ctx.set(name, rules.headers[name] ?? '');
  for (const [name, value] of Object.entries(answer.headers ?? {})) {
    ctx.set(name, typeof value === 'string' ? value : [...value]);
  }
  if (answer.stream !== undefined) {
    ctx.set('Content-Type', answer.type ?? 'application/octet-stream');
    ctx.body = answer.stream;
    return;
  }
  if (answer.body === undefined) {
    ctx.body = null;
    ctx.status = answer.status;
    return;
  }
  ctx.set('Content-Type', answer.type ?? 'application/octet-stream');
  if (rules.conditional) {
    if (answer.status === 200 || answer.status === 201) {
      const tag = `W/"${hash('md5', answer.body)}"`;
      ctx.set('ETag', tag);
      ctx.set('Cache-Control', 'max-age=0, private, must-revalidate');
      const isRead = ctx.method === 'GET' || ctx.method === 'HEAD';
      if (isRead && matchesTag(ctx.get('If-None-Match'), tag)) {
        ctx.body = null;
        ctx.status = 304;
        return;
      }
    } else {
      ctx.set('Cache-Control', 'no-cache');
    }
  }
  ctx.body = answer.body;
}

/** `If-None-Match` compared weakly (RFC 9110 §13.1.2). */
function matchesTag(header: string, tag: string): boolean {
  if (header === '') return false;
  const plain = tag.slice(2);
  return header.split(',').some((candidate) => {
    const text = candidate.trim();
    return text === '*' || text === tag || text === plain;
  });
}

/** Doubled and trailing slashes do not matter to the router. */
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
  if (methods.length > 0) return `the path is known, but not with ${method}; it answers ${methods.join(', ')}`;
  if (/^\/api\/v4\/(?:projects|groups)\/[^/]+\/[^/]+/.test(path)) {
    return 'no endpoint has this path; a namespaced path or file name in it must be sent with "/" as "%2F"';
  }
  return 'no endpoint has this path';
}
