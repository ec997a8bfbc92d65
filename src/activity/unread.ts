import type { Event, Memento } from 'vscode';
import type { ActivityEvent } from '../contract/activity.ts';
import { createEmitter } from '../support/emitter.ts';

/** State that VS Code can carry to the person's other machines. */
export interface SyncedMemento extends Memento {
  setKeysForSync(keys: readonly string[]): void;
}

/** The last event that each account has seen. Ids of events grow with time, on every list of an instance. */
export interface Unread {
  /** Undefined until something of the account was shown for the first time. */
  readonly readMarker: (account: string) => number | undefined;
  /** To be told of each answer. What an account finds when it comes for the first time is not news. */
  readonly begin: (account: string, list: string, events: readonly ActivityEvent[]) => void;
  readonly markRead: (account: string, events: readonly ActivityEvent[]) => void;
  readonly onDidChange: Event<void>;
}

const PREFIX = 'activity.unread/';

export function createUnread(memory: SyncedMemento): Unread {
  const changes = createEmitter<void>();
  /** Lists that were shown for the first time since their account had no line. */
  const begun = new Map<string, Set<string>>();

  function readMarker(account: string): number | undefined {
    const stored: unknown = memory.get(`${PREFIX}${account}`);
    return typeof stored === 'number' && Number.isSafeInteger(stored) ? stored : undefined;
  }

  function draw(account: string, events: readonly ActivityEvent[]): void {
    const before = readMarker(account);
    const next = events.reduce((most, { id }) => Math.max(most, id), before ?? 0);
    if (next === before) return;
    void memory.update(`${PREFIX}${account}`, next);
    sync();
    changes.fire();
  }

  /** A local server is another one on each machine. */
  function sync(): void {
    memory.setKeysForSync(memory.keys().filter((key) => key.startsWith(PREFIX) && !key.startsWith(`${PREFIX}local/`)));
  }

  sync();
  return {
    readMarker,
    begin: (account, list, events) => {
      if (readMarker(account) === undefined) begun.set(account, new Set());
      const lists = begun.get(account);
      if (lists === undefined || lists.has(list)) return;
      lists.add(list);
      draw(account, events);
    },
    markRead: draw,
    onDidChange: changes.event,
  };
}

/** Whether an event is news: younger than the line, and of somebody else. */
export function isUnread(event: ActivityEvent, readMarker: number | undefined, accountId: number | undefined): boolean {
  return readMarker !== undefined && event.id > readMarker && event.author?.id !== accountId;
}
