import * as l10n from '@vscode/l10n';
import type { MadeChange } from './changes.ts';
import type { NotificationsModel } from './model.ts';
import { globalScope, keyOfScope, type NotificationScope } from './scopes.ts';
import { formatLevel, withSource } from './texts.ts';

/** Changes of this window that can be undone, per account. */
export interface UndoableChanges {
  /** Adds changes that are undone together. */
  readonly add: (account: string, made: readonly MadeChange[]) => void;
  readonly last: (account: string) => readonly MadeChange[] | undefined;
  /** Removes and returns the last changes. */
  readonly takeLast: (account: string) => readonly MadeChange[] | undefined;
}

/** Changes per account that can be undone. */
const MAX_UNDO = 20;

export function createUndoableChanges(): UndoableChanges {
  const byAccount = new Map<string, (readonly MadeChange[])[]>();
  return {
    add: (account, made) => {
      if (made.length > 0) byAccount.set(account, [...(byAccount.get(account) ?? []), made].slice(-MAX_UNDO));
    },
    last: (account) => byAccount.get(account)?.at(-1),
    takeLast: (account) => byAccount.get(account)?.pop(),
  };
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
