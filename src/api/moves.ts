import { isJsonObject, parseJson } from '../contract/json.ts';
import type { WireResponse } from './transport.ts';

/** Maximum number of remembered moves. */
const MAX_MOVES = 200;

/** Resources that have moved permanently to another ID (RFC 9110 §15.4.2), such as a renamed project. Only reads may use this knowledge. */
export interface Moves {
  /** Returns the URL at which the resource of a URL was last seen, or the URL itself. */
  readonly current: (url: string) => string;
  /** Remembers the move of a permanent redirect if the response to the new URL shows that the resource is there. */
  readonly learn: (from: string, to: string, response: WireResponse) => void;
  /** Forgets the move of a URL unless the response to its current URL shows that the resource is still there. */
  readonly check: (url: string, response: WireResponse) => void;
  /** Forgets the move of a URL. Returns the former URL of the resource itself; undefined if it has not moved. */
  readonly forget: (url: string) => string | undefined;
}

export function createMoves(): Moves {
  /** Former path of a resource → its path with the new ID. */
  const moved = new Map<string, string>();

  /** Returns the former path of the moved resource that a URL is about, and what follows it. */
  function find(url: string): { readonly before: string; readonly after: string; readonly rest: readonly string[] } | undefined {
    const parts = new URL(url).pathname.split('/');
    for (let count = parts.length; count > 0; count -= 1) {
      const before = parts.slice(0, count).join('/');
      const after = moved.get(before);
      if (after !== undefined) return { before, after, rest: parts.slice(count) };
    }
    return undefined;
  }

  return {
    current: (url) => {
      const found = find(url);
      if (found === undefined) return url;
      const target = new URL(url);
      target.pathname = [found.after, ...found.rest].join('/');
      return target.href;
    },
    learn: (from, to, response) => {
      const move = moveOf(new URL(from), new URL(to));
      if (move === undefined || !isThere(move.after, move.isWhole, response)) return;
      const oldest = moved.keys().next();
      if (moved.size >= MAX_MOVES && oldest.done !== true) moved.delete(oldest.value);
      moved.set(move.before, move.after);
    },
    check: (url, response) => {
      const found = find(url);
      if (found !== undefined && !isThere(found.after, found.rest.length === 0, response)) moved.delete(found.before);
    },
    forget: (url) => {
      const found = find(url);
      if (found === undefined) return undefined;
      moved.delete(found.before);
      return new URL(found.before, url).href;
    },
  };
}

/**
 * Returns the move between two addresses of the same kind of resource, which differ in one ID; undefined for any other redirect, such as one
 * to a page for maintenance or for signing in. A redirect that changes the query does not apply to other queries of the path.
 */
function moveOf(from: URL, to: URL): { readonly before: string; readonly after: string; readonly isWhole: boolean } | undefined {
  if (from.search !== to.search && to.search !== '') return undefined;
  const [old, next] = [from.pathname.split('/'), to.pathname.split('/')];
  const index = old.findIndex((part, at) => part !== next[at]);
  const isSameKind = old.length === next.length && old.every((part, at) => at === index || part === next[at]);
  if (index === -1 || !isSameKind || !/^\d+$/.test(next[index] ?? '')) return undefined;
  const upTo = (parts: readonly string[]): string => parts.slice(0, index + 1).join('/');
  return { before: upTo(old), after: upTo(next), isWhole: index === old.length - 1 };
}

/** Returns true if a response is about the resource at the path. `isWhole`: it is the resource itself and not one of its lists. */
function isThere(path: string, isWhole: boolean, { status, body }: WireResponse): boolean {
  const value = parseJson(body);
  if (status < 200 || status > 299 || value === undefined) return false;
  const [kind, id] = path.split('/').slice(-2);
  if (isWhole) return isJsonObject(value) && String(value.id) === id;
  const elements: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isOfOther = (one: unknown): boolean =>
    isJsonObject(one) && typeof one.project_id === 'number' && String(one.project_id) !== id;
  return kind !== 'projects' || !elements.some(isOfOther);
}
