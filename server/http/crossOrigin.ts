import cors from '@koa/cors';
import type { Middleware } from 'koa';
import { isIngest } from './areas.ts';
import { isLoopbackOrigin } from './hostGuard.ts';

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

/**
 * Cross-origin rules by path (docs/interface.md#cross-origin-requests): three OAuth endpoints with preflight, which the platform has since
 * release 15.1, token info, the public documents, and `/api`.
 * @param isStreamOn Returns true if pages of this machine may send errors to `/stream`.
 */
export function crossOrigin(isStreamOn: () => boolean): Middleware {
  const api = cors({
    origin: '*',
    allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
    exposeHeaders: exposedHeaders,
    maxAge: 7200,
  });
  const oauth = (methods: string[], headers = ['Authorization']): Middleware =>
    cors({ origin: '*', allowMethods: methods, allowHeaders: headers, maxAge: 7200 });
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
  const document = oauth(['GET', 'HEAD'], ['Accept']);
  const rules = new Map<string, Middleware>([
    ['/oauth/token', oauth(['POST', 'OPTIONS'])],
    ['/oauth/revoke', oauth(['POST', 'OPTIONS'])],
    ['/oauth/userinfo', oauth(['GET', 'HEAD', 'POST', 'OPTIONS'])],
    ['/oauth/token/info', oauth(['GET', 'HEAD', 'OPTIONS'])],
    ['/oauth/discovery/keys', document],
    ['/.well-known/openid-configuration', document],
    ['/.well-known/webfinger', document],
  ]);
  const isStream = (path: string): boolean => (path === '/stream' || path === '/stream/') && isStreamOn();
  return async (ctx, next) => {
    const { path } = ctx;
    const rule = isIngest(path) ? ingest : path.startsWith('/api/') ? api : isStream(path) ? stream : rules.get(path);
    if (rule !== undefined && ctx.get('Origin') !== '') {
      await rule(ctx, next);
      return;
    }
    // No other middleware has set `Vary` yet.
    if (rule !== undefined) ctx.set('Vary', 'Origin');
    await next();
  };
}
