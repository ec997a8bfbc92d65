// Which folders of server/ may import which files. Lint (lint-rules.ts) enforces it for each import, check-structure.ts for the graph.
import path from 'node:path';

/**
 * Returns the folder of `server/` that a file counts to, with its path: a feature, a folder of infrastructure, or the file itself if it is
 * directly in `server/`. Undefined outside of `server/`.
 */
export function folderOf(file: string): string | undefined {
  return /^server\/(?:features\/[^/]+|[^/]+)/.exec(file)?.[0];
}

/** Infrastructure that every feature uses, so that it imports none. */
const BELOW_FEATURES = new Set([
  'server/core',
  'server/http',
  'server/repositories',
  'server/store',
  'server/support',
  'server/web',
]);

/** Returns the reason why a file of `server/` may not import `file`, or undefined if it may. Both paths are relative to the root. */
export function forbiddenImport(from: string, file: string): string | undefined {
  const folder = folderOf(from);
  const feature = /^server\/features\/([^/]+)\//.exec(file)?.[0].slice(0, -1);
  if (folder === undefined || feature === undefined || folder === feature) return undefined;
  if (BELOW_FEATURES.has(folder)) return `${folder}/ imports no feature: let the feature pass in what is needed.`;
  const entry = `${feature}/${path.posix.basename(feature)}.ts`;
  return file === entry ? undefined : `${path.posix.basename(file)} is private to ${feature}/: import ${entry}.`;
}
