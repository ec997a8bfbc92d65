import type { Memento } from 'vscode';
import { integerMember, isJsonObject, stringMember } from '../contract/json.ts';
import type { EventLink } from './documentAddress.ts';

/** Followed link that could not be opened yet. It survives a reload of the window. */
export interface PendingLink {
  readonly get: () => EventLink | undefined;
  readonly set: (link: EventLink | undefined) => PromiseLike<void>;
}

const KEY = 'activity.pendingLink';

/** Maximum age of a pending link, in milliseconds; an older one would open unexpectedly. */
const MAX_AGE = 5 * 60_000;

export function createPendingLink(memory: Memento, now: () => number): PendingLink {
  return {
    get: () => {
      const stored: unknown = memory.get(KEY);
      if (!isJsonObject(stored)) return undefined;
      const event = integerMember(stored, 'event');
      const instance = stringMember(stored, 'instance');
      const at = integerMember(stored, 'at');
      if (event === undefined || instance === undefined || at === undefined) return undefined;
      return now() - at > MAX_AGE || at > now() ? undefined : { event, instance };
    },
    set: (link) => memory.update(KEY, link === undefined ? undefined : { ...link, at: now() }),
  };
}
