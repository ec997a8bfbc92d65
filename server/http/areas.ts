import type { Area } from './route.ts';

/** Returns true if SDKs send errors to this path. */
export function isIngest(path: string): boolean {
  // Rules out most paths without the regular expression.
  if (!path.includes('/envelope') && !path.includes('/store')) return false;
  return /^\/(?:api\/v4\/error_tracking\/collector\/|errortracking\/api\/v1\/projects\/)?api\/[^/]+\/(?:envelope|store)\/?$/.test(
    path,
  );
}

/** Returns true if git or Git LFS requests this path of a repository. */
function isGit(path: string): boolean {
  // Files of repositories can have such names, too; their pages are below `/-/`.
  if (path.includes('/-/')) return false;
  if (path.endsWith('/info/refs')) return true;
  return path.includes('.git/') && /\.git\/(?:info\/|git-upload-pack$|git-receive-pack$|HEAD$|objects\/)/.test(path);
}

/** Returns the area of a path by its prefix. The area of a matching route takes precedence. */
export function areaOf(path: string): Area {
  if (isIngest(path)) return 'ingest';
  if (path === '/api/graphql') return 'graphql';
  if (path.startsWith('/api/')) return 'api';
  if (/^\/(?:v2|jwt)(?:\/|$)/.test(path)) return 'registry';
  // Pages for administrators. All other paths below /_local require the admin token.
  if (/^\/_local\/oauth(?:\/(?!flows(?:\/|$))[^/]+)?$/.test(path)) return 'page';
  if (path.startsWith('/_local')) return 'control';
  if (/^\/oauth\/(?:token|revoke|introspect|userinfo|authorize_device|discovery)(?:\/|$)/.test(path)) return 'oauth';
  if (path.startsWith('/.well-known/')) return 'oauth';
  if (isGit(path)) return 'git';
  return 'page';
}
