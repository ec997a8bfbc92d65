import cors from '@koa/cors';
import type { Middleware } from 'koa';
import type { PathAreas } from './areas.ts';
import { isLoopbackOrigin } from './hostGuard.ts';
import type { Area, CrossOriginRule, Route } from './route.ts';

/** Response headers that scripts in browsers can read on `/api` (docs/interface.md#cross-origin-requests). */
const exposedHeaders = [
  'Link',
  'X-Total',
  'X-Total-Pages',
  'X-Per-Page',
  'X-Page',
  'X-Next-Page',
  'X-Prev-Page',
  'X-Request-Id',
  'X-Gitlab-Blob-Id',
  'X-Gitlab-Commit-Id',
  'X-Gitlab-Content-Sha256',
  'X-Gitlab-Encoding',
  'X-Gitlab-File-Name',
  'X-Gitlab-File-Path',
  'X-Gitlab-Last-Commit-Id',
  'X-Gitlab-Ref',
  'X-Gitlab-Size',
  'ETag',
];

/** Request headers that SDKs in browsers can send. */
const ingestHeaders = [
  'Content-Type',
  'X-Sentry-Auth',
  'X-Requested-With',
  'X-Forwarded-For',
  'Origin',
  'Referer',
  'Accept',
  'Authentication',
  'Authorization',
  'Content-Encoding',
  'Transfer-Encoding',
  'sentry-trace',
  'baggage',
];

/** Rule of a path, and the methods of its routes that have the rule. */
export interface CrossOriginRow {
  readonly rule: CrossOriginRule;
  readonly methods: readonly string[];
}

/** Returns the rules of the routes that have one, by path. */
export function crossOriginTableOf(routes: readonly Route[]): Record<string, CrossOriginRow> {
  const table: Record<string, { rule: CrossOriginRule; methods: string[] }> = {};
  for (const route of routes) {
    const { path, crossOrigin: rule } = route;
    if (rule === undefined) continue;
    const { methods } = (table[path] ??= { rule, methods: [] });
    methods.push(...(route.method === 'GET' ? ['GET', 'HEAD'] : [route.method]));
  }
  return table;
}

/**
 * Cross-origin rules (docs/interface.md#cross-origin-requests): those of routes, which are OAuth endpoints and public documents, and those of
 * the areas `api`, `graphql` and `ingest`.
 * @param isStreamOn Returns true if pages of this machine may send errors to `/stream`.
 */
export function crossOrigin(
  areas: PathAreas,
  table: Readonly<Record<string, CrossOriginRow>>,
  isStreamOn: () => boolean,
): Middleware {
  const api = cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    exposeHeaders: exposedHeaders,
    maxAge: 7200,
  });
  // SDKs in browsers may add headers; without them their requests are simple ones (docs/interface.md#cross-origin-requests). The headers are
  // listed, because an empty list would allow any requested header.
  const ingest = cors({
    origin: '*',
    allowMethods: ['POST', 'OPTIONS'],
    allowHeaders: ingestHeaders,
    exposeHeaders: ['X-Sentry-Error', 'X-Sentry-Rate-Limits', 'Retry-After'],
    maxAge: 3600,
  });
  const stream = cors({
    origin: (ctx) => (isLoopbackOrigin(ctx.get('Origin')) ? ctx.get('Origin') : ''),
    allowMethods: ['POST', 'OPTIONS'],
    allowHeaders: ingestHeaders,
    exposeHeaders: ['X-Sentry-Error', 'X-Sentry-Rate-Limits', 'Retry-After'],
    maxAge: 3600,
  });
  const ofRule = ({ rule, methods }: CrossOriginRow): Middleware =>
    rule === 'token'
      ? cors({ origin: '*', allowMethods: [...methods, 'OPTIONS'], allowHeaders: ['Authorization'], maxAge: 7200 })
      : cors({ origin: '*', allowMethods: [...methods], allowHeaders: ['Accept'], maxAge: 7200 });
  const byPath = new Map(Object.entries(table).map(([path, row]) => [path, ofRule(row)]));
  const byArea: Partial<Record<Area, Middleware>> = { api, graphql: api, ingest };
  // Its route can be turned off, so it depends on more than the path.
  const isStream = (path: string): boolean => (path === '/stream' || path === '/stream/') && isStreamOn();
  return async (ctx, next) => {
    const { path } = ctx;
    const rule = byArea[areas.areaOf(path)] ?? (isStream(path) ? stream : byPath.get(path));
    if (rule !== undefined && ctx.get('Origin') !== '') {
      await rule(ctx, next);
      return;
    }
    // No other middleware has set `Vary` yet.
    if (rule !== undefined) ctx.set('Vary', 'Origin');
    await next();
  };
}
