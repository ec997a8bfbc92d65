import type { Memento } from 'vscode';
import { integerMember, isJsonObject, stringMember } from '../contract/json.ts';
import { type ActivityFilter, readFilter } from './filter.ts';

/** Scope of the activity in the first view. */
export type ActivityScope =
  | { readonly kind: 'mine' }
  /** Activity in the projects that the account is a member of: `scope=all`. */
  | { readonly kind: 'all' }
  | { readonly kind: 'person'; readonly id: number; readonly username: string };

/** Filter and scope per account. Each window has its own; a new window starts with the latest ones. */
export interface Choices {
  readonly filter: (account: string) => ActivityFilter;
  readonly setFilter: (account: string, filter: ActivityFilter) => PromiseLike<void>;
  readonly scope: (account: string) => ActivityScope;
  readonly setScope: (account: string, scope: ActivityScope) => PromiseLike<void>;
}

export function createChoices(memory: Memento): Choices {
  const filterKey = (account: string): string => `activity.filter/${account}`;
  const scopeKey = (account: string): string => `activity.whose/${account}`;
  return {
    filter: (account) => readFilter(memory.get(filterKey(account))),
    setFilter: (account, filter) => memory.update(filterKey(account), filter),
    scope: (account) => readScope(memory.get(scopeKey(account))),
    setScope: (account, scope) => memory.update(scopeKey(account), scope),
  };
}

function readScope(value: unknown): ActivityScope {
  if (!isJsonObject(value)) return { kind: 'mine' };
  if (value.kind === 'all') return { kind: 'all' };
  const id = integerMember(value, 'id');
  const username = stringMember(value, 'username');
  return id === undefined || username === undefined ? { kind: 'mine' } : { kind: 'person', id, username };
}
