import { isJsonObject } from '../../../src/contract/json.ts';
import { isSecretParameter, maskTokens } from '../../core/masking.ts';

/** A place at which two JSON values differ. Equal differences of several items of a list are one. */
export interface Difference {
  /** JSON Pointer (RFC 6901) with `*` for the position in a list; empty for the whole value. */
  readonly path: string;
  /** JSON of the value, shortened if it is long, with masked secrets; null if there is none. Of the first place, if there are several. */
  readonly before: string | null;
  readonly after: string | null;
  /** Number of places. */
  readonly count: number;
}

/** Maximum length of a value in a difference, in UTF-16 code units. */
const MAX_VALUE = 200;

/** Returns the differences of two JSON values. Items of lists are compared by their `id`, or else by position. */
export function differencesOf(before: unknown, after: unknown): readonly Difference[] {
  const found = new Map<string, Difference>();
  const add = (path: string, old: unknown, next: unknown): void => {
    const known = found.get(path);
    found.set(
      path,
      known === undefined
        ? { path, before: shownJson(path, old), after: shownJson(path, next), count: 1 }
        : { ...known, count: known.count + 1 },
    );
  };
  const compare = (path: string, old: unknown, next: unknown): void => {
    if (Array.isArray(old) && Array.isArray(next)) {
      for (const [one, other] of pairsOf(old, next)) compare(`${path}/*`, one, other);
    } else if (isJsonObject(old) && isJsonObject(next)) {
      const others = new Map(Object.entries(next));
      for (const [name, value] of Object.entries(old)) {
        compare(`${path}/${escaped(name)}`, value, others.get(name));
        others.delete(name);
      }
      for (const [name, value] of others) add(`${path}/${escaped(name)}`, undefined, value);
    } else if (JSON.stringify(old) !== JSON.stringify(next)) {
      add(path, old, next);
    }
  };
  compare('', before, after);
  return [...found.values()];
}

/** Pairs the items of two lists. An item without a counterpart is paired with undefined. */
function pairsOf(old: readonly unknown[], next: readonly unknown[]): readonly (readonly [unknown, unknown])[] {
  const ids = old.map(idOf);
  const others = next.map(idOf);
  const all = [...new Set([...ids, ...others])];
  if (all.includes(undefined) || new Set(ids).size < ids.length || new Set(others).size < others.length) {
    return Array.from({ length: Math.max(old.length, next.length) }, (_, index) => [old[index], next[index]]);
  }
  const indexOf = (list: readonly unknown[], known: readonly unknown[], id: unknown): unknown => list[known.indexOf(id)];
  return all.map((id) => [indexOf(old, ids, id), indexOf(next, others, id)]);
}

function idOf(item: unknown): unknown {
  return isJsonObject(item) ? item['id'] : undefined;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** Returns the JSON of the value at a path, shortened and without secrets; null without a value. */
function shownJson(path: string, value: unknown): string | null {
  if (value === undefined) return null;
  const masked = (name: string, member: unknown): unknown =>
    typeof member === 'string' && isSecretParameter(name) ? '[masked]' : member;
  const text = maskTokens(JSON.stringify(masked(path.split('/').at(-1) ?? '', value), masked));
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}
