import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Context, Middleware } from 'koa';
import { withActor } from '../core/actor.ts';
import { maskQuery } from '../core/masking.ts';
import type { PathAreas } from './areas.ts';
import { createDispatch } from './dispatch.ts';
import { createEndOfTurn } from './endOfTurn.ts';
import type { HttpParts } from './httpParts.ts';
import { createPathMask } from './maskedPath.ts';
import { logRequest, recordCalls, recordRead } from './recording.ts';
import { type AreaTable, refusalOf, refusalOfFailure } from './refusal.ts';
import { type Reply, replyOf, sendReply, withDeprecations } from './reply.ts';
import { requestBody } from './requestBody.ts';
import { contextOf, newRequestState } from './requestState.ts';
import { normalisedPath, splitTarget } from './requestTarget.ts';
import type { Area } from './route.ts';
import type { RouteGroup, RouteTable } from './routeIndex.ts';
import { createTurns } from './turns.ts';
import { isRefusal } from './wireFailure.ts';

export interface Mounted {
  readonly middleware: Middleware;
  /**
   * Handles a request to the API or with events without the middleware, which costs as much as a small read. Returns undefined for all other
   * requests, and for requests of scripts in browsers, to which the cross-origin rules apply.
   */
  take(request: IncomingMessage, response: ServerResponse): Promise<void> | undefined;
}

/** Connects the routes to the server. A request gets a turn, is dispatched to its route, replied to in the format of its area, and recorded. */
export function mount(
  parts: HttpParts,
  groupsOf: () => readonly RouteGroup[],
  table: RouteTable,
  { areaOf }: PathAreas,
  areas: AreaTable,
  publicUrl: string | undefined,
): Mounted {
  const { core } = parts;
  const publicBase = publicUrl?.replace(/\/+$/, '');
  const maskPath = createPathMask(table.secrets);
  const turns = createTurns();
  const endOfTurn = createEndOfTurn();
  const dispatch = createDispatch(parts, groupsOf, table, publicBase);

  return { middleware, take };

  async function middleware(ctx: Context): Promise<void> {
    const path = normalisedPath(ctx.path);
    const { status, headers, body } = await replyTo(ctx.req, ctx.res, path, ctx.querystring, areaOf(path));
    ctx.status = status;
    // Faster than Koa's setter, which converts values that are strings already.
    for (const name in headers) ctx.res.setHeader(name, headers[name] ?? '');
    ctx.body = body ?? null;
    // Koa sets 204 if there is no body.
    if (body === undefined) ctx.status = status;
  }

  function take(request: IncomingMessage, response: ServerResponse): Promise<void> | undefined {
    const { method, url = '', headers } = request;
    if (headers.origin !== undefined || method === 'HEAD' || method === 'OPTIONS' || url.includes('#')) return undefined;
    const [sentPath, query] = splitTarget(url);
    const area = areaOf(sentPath);
    if (area !== 'api' && (area !== 'ingest' || method !== 'POST')) return undefined;
    const path = normalisedPath(sentPath);
    if (path !== sentPath && areaOf(path) !== area) return undefined;
    return respond(request, response, path, query, area).catch((error: unknown) => {
      core.log.error(`could not respond to ${method} ${maskPath(path)}`, error);
      response.destroy();
    });
  }

  async function respond(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: string,
    area: Area,
  ): Promise<void> {
    const reply = await replyTo(request, response, path, query, area);
    // A stream is sent at once, because its errors need a listener.
    if (!(reply.body instanceof Readable)) await endOfTurn();
    sendReply(response, reply);
  }

  async function replyTo(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: string,
    area: Area,
  ): Promise<Reply> {
    const state = newRequestState();
    const method = request.method ?? '';
    // Events and OAuth requests share commits, so others need not wait for a separate flush.
    const takesTurns = area !== 'ingest' && area !== 'oauth';
    const body = requestBody(request, response, parts.bodyBudget, takesTurns ? turns : undefined);
    const context = contextOf(request, response, parts, state, path, query, publicBase ?? '', body);
    if (takesTurns) await turns.enter();
    let reply: Reply;
    try {
      const response = await withActor(context.address, () => dispatch(request, state, context, area));
      reply = replyOf(request, state, areas[state.route?.area ?? area], response);
    } catch (error) {
      const isKnown = isRefusal(error);
      const refusal = isKnown ? error : refusalOfFailure(error);
      if (!isKnown) core.log.error(`request ${state.id} ${method} ${maskPath(path)} failed`, error);
      state.refusal = { rule: refusal.rule, reason: refusal.reason };
      const rules = areas[state.route?.area ?? area];
      reply = replyOf(request, state, rules, await refusalOf(rules, refusal, context, core.log));
    } finally {
      body.close();
      if (takesTurns) turns.leave();
    }
    const maskedPath = maskPath(path);
    const maskedQuery = maskQuery(query);
    if (reply.status === 200) recordRead(parts, state, context, reply, maskedQuery);
    if (state.deprecations !== undefined) {
      reply = { ...reply, headers: withDeprecations(reply.headers, state.deprecations, core.profile, context.baseUrl) };
      recordCalls(parts, state, context, maskedPath);
    }
    logRequest(parts, state, context, reply.status, maskedPath, maskedQuery);
    return reply;
  }
}
