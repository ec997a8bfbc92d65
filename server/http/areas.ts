import type { Area } from './route.ts';

/** Whether SDKs send errors to this path. */
export function isIngest(path: string): boolean {
  // Most paths end otherwise.
  if (!path.includes('/envelope') && !path.includes('/store')) return false;
  return /^\/(?:api\/v4\/error_tracking\/collector\/|errortracking\/api\/v1\/projects\/)?api\/[^/]+\/(?:envelope|store)\/?$/.test(
    path,
  );
}

/** The area of a path, by its beginning; the route decides where there is one. */
export function areaOf(path: string): Area {
  if (isIngest(path)) return 'ingest';
  if (path === '/api/graphql') return 'graphql';
  if (path.startsWith('/api/')) return 'api';
  if (/^\/(?:v2|jwt)(?:\/|$)/.test(path)) return 'registry';
  // Pages for administrators, beside the control of the server that only the admin token opens.
  if (/^\/_local\/oauth(?:\/(?!flows(?:\/|$))[^/]+)?$/.test(path)) return 'page';
  if (path.startsWith('/_local')) return 'control';
  if (/^\/oauth\/(?:token|revoke|introspect|userinfo|authorize_device|discovery)(?:\/|$)/.test(path)) return 'oauth';
  if (path.startsWith('/.well-known/')) return 'oauth';
  return 'page';
}
