import type { Memento } from 'vscode';
import { keyOfScope, type NotificationScope, readStoredScope } from './scopes.ts';

const PREFIX = 'notifications.pins/';

/** Pinned groups and projects of an account in all windows, in the order in which they were pinned. */
export interface NotificationPins {
  readonly list: (account: string) => readonly NotificationScope[];
  readonly set: (account: string, scope: NotificationScope, isPinned: boolean) => PromiseLike<void>;
}

export function createNotificationPins(memory: Memento): NotificationPins {
  const list = (account: string): readonly NotificationScope[] => {
    const stored: unknown = memory.get(`${PREFIX}${account}`);
    return Array.isArray(stored) ? stored.map(readStoredScope).filter((scope) => scope !== undefined) : [];
  };
  return {
    list,
    set: (account, scope, isPinned) => {
      const others = list(account).filter((one) => keyOfScope(one) !== keyOfScope(scope));
      const next = isPinned ? [...others, scope] : others;
      return memory.update(`${PREFIX}${account}`, next.length === 0 ? undefined : next);
    },
  };
}
