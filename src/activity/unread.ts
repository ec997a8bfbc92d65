import type { Event, Memento } from 'vscode';
import type { ActivityEvent } from '../contract/activity.ts';
import { createEmitter } from '../support/emitter.ts';

/** Memento that Settings Sync can synchronize. */
export interface SyncedMemento extends Memento {
  setKeysForSync(keys: readonly string[]): void;
}

/** Read marker of each account: the id of the newest read event. Event ids increase over time across all lists of an instance. */
export interface Unread {
  /** Returns undefined until events of the account were shown for the first time. */
  readonly readMarker: (account: string) => number | undefined;
  /** Processes each response. Events of the first response of a list for a new account count as read. */
  readonly begin: (account: string, list: string, events: readonly ActivityEvent[]) => void;
  readonly markRead: (account: string, events: readonly ActivityEvent[]) => void;
  readonly onDidChange: Event<void>;
}

const PREFIX = 'activity.unread/';

export function createUnread(memory: SyncedMemento): Unread {
  const changes = createEmitter<void>();
  /** Lists shown since the account had no read marker. */
  const startedLists = new Map<string, Set<string>>();

  function readMarker(account: string): number | undefined {
    const stored: unknown = memory.get(`${PREFIX}${account}`);
    return typeof stored === 'number' && Number.isSafeInteger(stored) ? stored : undefined;
  }

  function advance(account: string, events: readonly ActivityEvent[]): void {
    const before = readMarker(account);
    const next = events.reduce((newest, { id }) => Math.max(newest, id), before ?? 0);
    if (next === before) return;
    void memory.update(`${PREFIX}${account}`, next);
    sync();
    changes.fire();
  }

  /** Registers the keys for Settings Sync, except those of local servers, which differ between machines. */
  function sync(): void {
    memory.setKeysForSync(memory.keys().filter((key) => key.startsWith(PREFIX) && !key.startsWith(`${PREFIX}local/`)));
  }

  sync();
  return {
    readMarker,
    begin: (account, list, events) => {
      if (readMarker(account) === undefined) startedLists.set(account, new Set());
      const lists = startedLists.get(account);
      if (lists === undefined || lists.has(list)) return;
      lists.add(list);
      advance(account, events);
    },
    markRead: advance,
    onDidChange: changes.event,
  };
}

/** Returns true if an event is newer than the read marker and from another user. */
export function isUnread(event: ActivityEvent, readMarker: number | undefined, accountId: number | undefined): boolean {
  return readMarker !== undefined && event.id > readMarker && event.author?.id !== accountId;
}
