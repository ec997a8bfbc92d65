import type { Event, Memento } from 'vscode';
import type { ActivityEvent } from '../contract/activity.ts';
import { listOf } from '../contract/json.ts';
import { createEmitter } from '../support/emitter.ts';

/** Memento that Settings Sync can synchronize. */
export interface SyncedMemento extends Memento {
  setKeysForSync(keys: readonly string[]): void;
}

/**
 * Remembers which events each account has read. All events up to the marker, which is an event id, have been read. A newer event has been
 * read if the user has opened it. Event ids increase over time across all lists of an instance.
 */
export interface Unread {
  /** Returns undefined until events of the account were shown for the first time. */
  readonly readMarker: (account: string) => number | undefined;
  /** Processes each response. Events of the first response of a list for a new account count as read. */
  readonly begin: (account: string, list: string, events: readonly ActivityEvent[]) => void;
  readonly markRead: (account: string, events: readonly ActivityEvent[]) => void;
  /** Marks one event as read. */
  readonly markOpened: (account: string, event: ActivityEvent) => void;
  /** Returns the events that are newer than the marker and were opened. */
  readonly opened: (account: string) => ReadonlySet<number>;
  readonly onDidChange: Event<void>;
}

const PREFIX = 'activity.unread/';
const OPENED_PREFIX = 'activity.opened/';
/** Maximum number of opened events to remember. Earlier ones count as unread again. */
const MAX_OPENED = 500;

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
    const newer = [...opened(account)].filter((id) => id > next);
    void memory.update(`${OPENED_PREFIX}${account}`, newer.length === 0 ? undefined : newer);
    sync();
    changes.fire();
  }

  function opened(account: string): ReadonlySet<number> {
    const stored: unknown = memory.get(`${OPENED_PREFIX}${account}`);
    return new Set(listOf(stored, (id) => (typeof id === 'number' ? id : undefined)));
  }

  function markOpened(account: string, { id }: ActivityEvent): void {
    const [marker, before] = [readMarker(account), opened(account)];
    if (marker === undefined || id <= marker || before.has(id)) return;
    void memory.update(`${OPENED_PREFIX}${account}`, [...before, id].slice(-MAX_OPENED));
    sync();
    changes.fire();
  }

  /** Registers the keys for Settings Sync, except those of local servers, which differ between machines. */
  function sync(): void {
    const prefixes = [PREFIX, OPENED_PREFIX];
    const isSynced = (key: string): boolean =>
      prefixes.some((prefix) => key.startsWith(prefix) && !key.startsWith(`${prefix}local/`));
    memory.setKeysForSync(memory.keys().filter(isSynced));
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
    markOpened,
    opened,
    onDidChange: changes.event,
  };
}

/** Returns true if an event is newer than the read marker, from another user, and was not opened. */
export function isUnread(
  event: ActivityEvent,
  { marker, opened }: { readonly marker: number | undefined; readonly opened: ReadonlySet<number> },
  accountId: number | undefined,
): boolean {
  return marker !== undefined && event.id > marker && event.author?.id !== accountId && !opened.has(event.id);
}
