import { unreadable } from '../core/errors.ts';

/** Maximum length of a request target; a longer one gets 414 (docs/interface.md#requests). */
export const MAX_TARGET_LENGTH = 8192;

/** Splits a request target into path and query. */
export function splitTarget(target: string): [path: string, query: string] {
  const mark = target.indexOf('?');
  return mark === -1 ? [target, ''] : [target.slice(0, mark), target.slice(mark + 1)];
}

/** Returns a path without doubled and trailing slashes. */
export function normalisedPath(path: string): string {
  const single = path.includes('//') ? path.replaceAll(/\/{2,}/g, '/') : path;
  return single.length > 1 && single.endsWith('/') ? single.slice(0, -1) : single;
}

/** @throws {Unreadable} If the path cannot be decoded. */
export function checkPercentEncoding(path: string): void {
  if (!path.includes('%')) return;
  try {
    decodeURIComponent(path);
  } catch {
    throw unreadable('the path is not validly percent-encoded');
  }
}
