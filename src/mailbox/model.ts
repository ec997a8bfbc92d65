import type { Event } from 'vscode';
import type { Page } from '../api/client.ts';
import { ApiFailure } from '../api/failures.ts';
import type { MailBasic } from '../contract/mail.ts';
import { type ListState, uniqueById } from '../support/listState.ts';
import { createPagedList } from '../support/pagedList.ts';
import type { UnreadCount } from './requests.ts';

/** Source of a mailbox: the mails of one account under one filter. */
export interface MailSource {
  /** Unique key of the list. */
  readonly key: string;
  /** Key of the account. */
  readonly account: string;
  readonly first: (signal: AbortSignal) => Promise<Page<MailBasic>>;
  readonly follow: (link: string, signal: AbortSignal) => Promise<Page<MailBasic>>;
  readonly unread: (signal: AbortSignal) => Promise<UnreadCount>;
}

/** Mails that a list has loaded. */
interface LoadedMails {
  /** Newest first, without duplicates. */
  readonly mails: readonly MailBasic[];
  /** Link to the page after the last one loaded. */
  readonly next: string | undefined;
  /** Time at which the mails were loaded, in milliseconds since the epoch. */
  readonly at: number;
}

export type MailboxState = ListState<LoadedMails>;

/** Mails of an account and the number of unread ones. Their number is known without the list, which is loaded only when it is shown. */
export interface Mailbox {
  readonly state: () => MailboxState;
  readonly unread: () => UnreadCount;
  /** Returns a mail of the list. */
  readonly find: (id: number) => MailBasic | undefined;
  readonly sourceKey: () => string | undefined;
  readonly onDidChange: Event<void>;
  /** Switches to another list. With the same key, the shown mails stay; with the same account, the number of unread mails stays. */
  readonly setSource: (source: MailSource | undefined) => void;
  /** Loads the list again, as far as it was loaded, and counts the unread mails. Resolves to the failure, if any. */
  readonly refresh: () => Promise<ApiFailure | undefined>;
  /** Only counts the unread mails. Resolves to the failure, if any. */
  readonly count: () => Promise<ApiFailure | undefined>;
  readonly loadMore: () => Promise<void>;
  /** Shows a change that the server has made. */
  readonly setRead: (id: number, isRead: boolean) => void;
  readonly setAllRead: () => void;
  readonly remove: (id: number) => void;
}

/** Maximum number of pages that a refresh loads again. */
const MAX_PAGES = 10;

const NOTHING_UNREAD: UnreadCount = { count: 0, isMore: false };

export function createMailbox(now: () => number = Date.now): Mailbox {
  let unread = NOTHING_UNREAD;
  const list = createPagedList<MailSource, LoadedMails>({
    first: async (from, signal) => {
      const [{ items, next }, counted] = await Promise.all([loadShown(from, signal), from.unread(signal)]);
      return () => {
        unread = counted;
        return { mails: uniqueById(items), next, at: now() };
      };
    },
    more: async (from, signal, { next: link }) => {
      const { items, next } = await from.follow(link ?? '', signal);
      return (shown) => ({ ...shown, mails: uniqueById([...shown.mails, ...items]), next });
    },
  });
  const { state } = list;
  /** Number of changes made here. A count that was requested before a change may not contain it. */
  let changesMade = 0;

  const mails = (): readonly MailBasic[] => {
    const shown = state();
    return shown.kind === 'ready' ? shown.mails : [];
  };

  /** Loads at least as many mails as are shown. */
  async function loadShown(from: MailSource, signal: AbortSignal): Promise<Page<MailBasic>> {
    const shown = mails().length;
    let page = await from.first(signal);
    const items = [...page.items];
    for (let pages = 1; page.next !== undefined && items.length < shown && pages < MAX_PAGES; pages += 1) {
      page = await from.follow(page.next, signal);
      items.push(...page.items);
    }
    return { items, ...(page.next === undefined ? {} : { next: page.next }) };
  }

  async function count(): Promise<ApiFailure | undefined> {
    const before = changesMade;
    const result = await list.request(async (from, signal) => from.unread(signal));
    if (result instanceof ApiFailure) return result;
    if (result === undefined || before !== changesMade) return undefined;
    unread = result;
    list.changed();
    return undefined;
  }

  function change(changed: (shown: readonly MailBasic[]) => readonly MailBasic[], next: UnreadCount): void {
    changesMade += 1;
    unread = next;
    list.change((shown) => ({ ...shown, mails: changed(shown.mails) }));
  }

  function counted(difference: number): UnreadCount {
    return { ...unread, count: Math.max(0, unread.count + difference) };
  }

  function find(id: number): MailBasic | undefined {
    return mails().find((mail) => mail.id === id);
  }

  return {
    state,
    unread: () => unread,
    find,
    sourceKey: list.sourceKey,
    onDidChange: list.onDidChange,
    setSource: (next) => {
      if (next?.account !== list.source()?.account) unread = NOTHING_UNREAD;
      list.setSource(next);
    },
    refresh: list.refresh,
    count,
    loadMore: async () => void (await list.loadMore()),
    setRead: (id, isRead) => {
      const difference = find(id)?.read === isRead ? 0 : isRead ? -1 : 1;
      change((shown) => shown.map((mail) => (mail.id === id ? { ...mail, read: isRead } : mail)), counted(difference));
    },
    setAllRead: () => change((shown) => shown.map((mail) => ({ ...mail, read: true })), NOTHING_UNREAD),
    remove: (id) => change((shown) => shown.filter((mail) => mail.id !== id), counted(find(id)?.read === false ? -1 : 0)),
  };
}
