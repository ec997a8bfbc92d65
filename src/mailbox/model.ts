import type { Event } from 'vscode';
import type { Page } from '../api/client.ts';
import { ApiFailure } from '../api/failures.ts';
import type { MailBasic } from '../contract/mail.ts';
import { createCurrentSource } from '../support/currentSource.ts';
import { createEmitter } from '../support/emitter.ts';
import { type ListState, stateAfterFailure, uniqueById } from '../support/listState.ts';
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

export type MailboxState = ListState<{
  /** Newest first, without duplicates. */
  readonly mails: readonly MailBasic[];
  /** Link to the page after the last one loaded. */
  readonly next: string | undefined;
}>;

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

export function createMailbox(): Mailbox {
  const changes = createEmitter<void>();
  const source = createCurrentSource<MailSource>();
  let state: MailboxState = { kind: 'idle' };
  let unread = NOTHING_UNREAD;
  /** Number of changes made here. A response that was requested before a change may not contain it. */
  let changesMade = 0;
  let isLoadingMore = false;

  function setState(next: MailboxState): void {
    state = next;
    changes.fire();
  }

  /** Loads at least as many mails as are shown. */
  async function loadShown(from: MailSource, signal: AbortSignal): Promise<Page<MailBasic>> {
    const shown = state.kind === 'ready' ? state.mails.length : 0;
    let page = await from.first(signal);
    const items = [...page.items];
    for (let pages = 1; page.next !== undefined && items.length < shown && pages < MAX_PAGES; pages += 1) {
      page = await from.follow(page.next, signal);
      items.push(...page.items);
    }
    return { items, ...(page.next === undefined ? {} : { next: page.next }) };
  }

  async function refresh(): Promise<ApiFailure | undefined> {
    if (source.get() !== undefined && (state.kind === 'idle' || state.kind === 'failed')) setState({ kind: 'loading' });
    const before = changesMade;
    const result = await source.request(async (from, signal) => Promise.all([loadShown(from, signal), from.unread(signal)]));
    if (result === undefined) return undefined;
    if (result instanceof ApiFailure) {
      setState(stateAfterFailure(state, result));
      return result;
    }
    if (before !== changesMade) {
      void refresh();
      return undefined;
    }
    const [{ items, next }, counted] = result;
    unread = counted;
    setState({ kind: 'ready', mails: uniqueById(items), next, problem: undefined });
    return undefined;
  }

  async function count(): Promise<ApiFailure | undefined> {
    const before = changesMade;
    const result = await source.request(async (from, signal) => from.unread(signal));
    if (result instanceof ApiFailure) return result;
    if (result === undefined || before !== changesMade) return undefined;
    unread = result;
    changes.fire();
    return undefined;
  }

  async function loadMore(): Promise<void> {
    if (state.kind !== 'ready' || state.next === undefined || isLoadingMore) return;
    const { next: link } = state;
    isLoadingMore = true;
    const result = await source.request(async (from, signal) => from.follow(link, signal));
    isLoadingMore = false;
    if (result instanceof ApiFailure) setState(stateAfterFailure(state, result));
    else if (result !== undefined) {
      const before = state.kind === 'ready' ? state.mails : [];
      setState({ kind: 'ready', mails: uniqueById([...before, ...result.items]), next: result.next, problem: undefined });
    }
  }

  function change(mails: (shown: readonly MailBasic[]) => readonly MailBasic[], next: UnreadCount): void {
    changesMade += 1;
    unread = next;
    if (state.kind === 'ready') state = { ...state, mails: mails(state.mails) };
    changes.fire();
  }

  function counted(difference: number): UnreadCount {
    return { ...unread, count: Math.max(0, unread.count + difference) };
  }

  function find(id: number): MailBasic | undefined {
    return state.kind === 'ready' ? state.mails.find((mail) => mail.id === id) : undefined;
  }

  return {
    state: () => state,
    unread: () => unread,
    find,
    sourceKey: source.key,
    onDidChange: changes.event,
    setSource: (next) => {
      const isSameAccount = next !== undefined && next.account === source.get()?.account;
      if (!source.replace(next)) return;
      isLoadingMore = false;
      if (!isSameAccount) unread = NOTHING_UNREAD;
      setState({ kind: 'idle' });
    },
    refresh,
    count,
    loadMore,
    setRead: (id, isRead) => {
      const difference = find(id)?.read === isRead ? 0 : isRead ? -1 : 1;
      change((shown) => shown.map((mail) => (mail.id === id ? { ...mail, read: isRead } : mail)), counted(difference));
    },
    setAllRead: () => change((shown) => shown.map((mail) => ({ ...mail, read: true })), NOTHING_UNREAD),
    remove: (id) => change((shown) => shown.filter((mail) => mail.id !== id), counted(find(id)?.read === false ? -1 : 0)),
  };
}
