import * as l10n from '@vscode/l10n';
import type { Memento } from 'vscode';
import { listOf } from '../contract/json.ts';
import { instanceOfAccount } from '../instances/accountKey.ts';
import type { MadeChange } from './changes.ts';
import type { NotificationsModel } from './model.ts';
import { readEntry } from './profileRecord.ts';
import { globalScope, keyOfScope, type NotificationScope } from './scopes.ts';
import { formatLevel, withSource } from './texts.ts';

/** Changes made in this workspace that can be undone, per account. They survive a reload of the window. */
export interface UndoableChanges {
  /** Adds changes that are undone together. */
  readonly add: (account: string, made: readonly MadeChange[]) => void;
  readonly last: (account: string) => readonly MadeChange[] | undefined;
  /** Removes and returns the last changes. */
  readonly takeLast: (account: string) => readonly MadeChange[] | undefined;
}

/** Changes per account that can be undone. */
const MAX_UNDO = 20;

const PREFIX = 'notifications.undoable/';

export function createUndoableChanges(memory: Memento): UndoableChanges {
  const stored = (account: string): readonly (readonly MadeChange[])[] =>
    listOf(memory.get(`${PREFIX}${account}`), (value) => listOf(value, readEntry));
  const store = (account: string, changes: readonly (readonly MadeChange[])[]): void =>
    void memory.update(`${PREFIX}${account}`, changes.length === 0 ? undefined : changes);
  return {
    add: (account, made) => {
      if (made.length > 0) store(account, [...stored(account), made].slice(-MAX_UNDO));
    },
    last: (account) => stored(account).at(-1),
    takeLast: (account) => {
      const all = stored(account);
      if (all.length > 0) store(account, all.slice(0, -1));
      return all.at(-1);
    },
  };
}

/** Removes what is stored for the accounts of an instance that no longer exists. */
export async function forgetUndoableChanges(instance: string, memory: Memento): Promise<void> {
  for (const key of memory.keys()) {
    if (key.startsWith(PREFIX) && instanceOfAccount(key.slice(PREFIX.length)) === instance) await memory.update(key, undefined);
  }
}

/** Returns the previous level of a scope if the last change has made it custom. */
export function previousLevel(
  model: NotificationsModel,
  last: readonly MadeChange[] | undefined,
  scope: NotificationScope,
): string | undefined {
  const made = last?.find((one) => keyOfScope(one.scope) === keyOfScope(scope));
  if (made === undefined || made.after.level !== 'custom' || made.before.level === 'custom') return undefined;
  if (made.before.level !== 'global') return l10n.t('was {0}', formatLevel(made.before.level));
  const above = scope.parents.map((path) => model.setting({ ...scope, kind: 'group', path })?.level);
  const at = above.findIndex((level) => level !== undefined && level !== 'global');
  const path = scope.parents[at];
  const level = above[at];
  if (path !== undefined && level !== undefined)
    return l10n.t('was {0}', withSource(formatLevel(level), { ...scope, kind: 'group', path }));
  const global = model.setting(globalScope);
  return global && l10n.t('was {0}', withSource(formatLevel(global.level), globalScope));
}
