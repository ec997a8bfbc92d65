import type { Event } from 'vscode';
import type { Page } from '../api/client.ts';
import { type ApiFailure, failureOfAny } from '../api/failures.ts';
import type { MailBasic } from '../contract/mail.ts';
import { createEmitter } from '../support/emitter.ts';
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

export type MailboxState =
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | {
      readonly kind: 'ready';
      /** Newest first, without duplicates. */
      readonly mails: readonly MailBasic[];
      /** Link to the page after the last one loaded. */
      readonly next: string | undefined;
      /** Failure of the latest request; the mails are then older. */
      readonly problem: ApiFailure | undefined;
    };

/** Mails of an account and the number of unread ones. Their number is known without the list, which is loaded only when it is shown. */
export interface Mailbox {
  readonly state: () => MailboxState;
  readonly unread: () => UnreadCount;
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
  let source: MailSource | undefined;
  let state: MailboxState = { kind: 'idle' };
  let unread = NOTHING_UNREAD;
  let abort = new AbortController();
  /** Number of changes made here. A response that was requested before a change may not contain it. */
  let changesMade = 0;
  let isLoadingMore = false;

  function setState(next: MailboxState): void {
    state = next;
    changes.fire();
  }

  function failed(failure: ApiFailure): void {
    setState(state.kind === 'ready' ? { ...state, problem: failure } : { kind: 'failed', failure });
  }

  /** Runs requests of the current source. A result that arrives after a switch to another source is discarded. */
  async function run<T>(
    work: (from: MailSource, signal: AbortSignal) => Promise<T>,
    apply: (result: T) => void,
    onFailure: (failure: ApiFailure) => void,
  ): Promise<ApiFailure | undefined> {
    const from = source;
    if (from === undefined) return undefined;
    const { signal } = abort;
    try {
      const result = await work(from, signal);
      if (!signal.aborted) apply(result);
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      const failure = failureOfAny(error);
      onFailure(failure);
      return failure;
    }
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
    if (source !== undefined && state.kind !== 'ready' && state.kind !== 'loading') setState({ kind: 'loading' });
    const before = changesMade;
    return run(
      async (from, signal) => Promise.all([loadShown(from, signal), from.unread(signal)]),
      ([{ items, next }, counted]) => {
        if (before !== changesMade) {
          void refresh();
          return;
        }
        unread = counted;
        setState({ kind: 'ready', mails: unique(items), next, problem: undefined });
      },
      failed,
    );
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
    sourceKey: () => source?.key,
    onDidChange: changes.event,
    setSource: (next) => {
      const isSame = next !== undefined && next.key === source?.key;
      const isSameAccount = next !== undefined && next.account === source?.account;
      source = next;
      if (isSame) return;
      abort.abort();
      abort = new AbortController();
      isLoadingMore = false;
      if (!isSameAccount) unread = NOTHING_UNREAD;
      setState({ kind: 'idle' });
    },
    refresh,
    count: async () => {
      const before = changesMade;
      return run(
        async (from, signal) => from.unread(signal),
        (result) => {
          if (before !== changesMade) return;
          unread = result;
          changes.fire();
        },
        () => undefined,
      );
    },
    loadMore: async () => {
      if (state.kind !== 'ready' || state.next === undefined || isLoadingMore) return;
      const { next: link } = state;
      isLoadingMore = true;
      await run(
        async (from, signal) => from.follow(link, signal),
        ({ items, next }) => {
          const before = state.kind === 'ready' ? state.mails : [];
          setState({ kind: 'ready', mails: unique([...before, ...items]), next, problem: undefined });
        },
        failed,
      );
      isLoadingMore = false;
    },
    setRead: (id, isRead) => {
      const difference = find(id)?.read === isRead ? 0 : isRead ? -1 : 1;
      change((shown) => shown.map((mail) => (mail.id === id ? { ...mail, read: isRead } : mail)), counted(difference));
    },
    setAllRead: () => change((shown) => shown.map((mail) => ({ ...mail, read: true })), NOTHING_UNREAD),
    remove: (id) => change((shown) => shown.filter((mail) => mail.id !== id), counted(find(id)?.read === false ? -1 : 0)),
  };
}

/** Removes duplicates: numbered pages shift when mails arrive, so a mail can appear twice. */
function unique(mails: readonly MailBasic[]): readonly MailBasic[] {
  return [...new Map(mails.map((mail) => [mail.id, mail])).values()];
}
