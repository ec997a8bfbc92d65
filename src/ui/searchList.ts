import * as l10n from '@vscode/l10n';
import type { Event } from 'vscode';
import type { Page } from '../api/client.ts';
import { failureOfError } from '../api/failures.ts';
import { createEmitter } from '../support/emitter.ts';

/** Part of a search, such as memberships. The next part starts after its last page. */
export interface SearchPart<T> {
  /** Heading above its items. */
  readonly heading: string;
  readonly first: (search: string, signal: AbortSignal) => Promise<Page<T>>;
}

export interface SearchListSettings<T> {
  readonly parts: readonly SearchPart<T>[];
  /** Loads the page of a `Link` header. */
  readonly follow: (link: string, signal: AbortSignal) => Promise<Page<T>>;
  /** Suggestions, shown first and without a request while the search text is empty. */
  readonly offered: readonly T[];
  /** Returns the unique key of an item, which is the same in all parts. */
  readonly keyOf: (item: T) => string;
  /** Returns the searchable text of an item. */
  readonly textOf: (item: T) => string;
  /** Text for an empty list without a search. */
  readonly emptyText: string;
  /** Schedules a call; returns a function that cancels it. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

export type SearchRow<T> =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'item'; readonly item: T }
  /** Loads more, or retries after a failure. */
  | { readonly kind: 'more'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

/** Searchable list of an instance, loaded page by page and again for each search text. */
export interface SearchList<T> {
  readonly rows: () => readonly SearchRow<T>[];
  readonly isBusy: () => boolean;
  readonly onDidChange: Event<void>;
  /** Loads the first page. */
  readonly start: () => void;
  /** Sets the search text and cancels requests for the previous one. */
  readonly search: (text: string) => void;
  readonly loadMore: () => void;
  /** Cancels all requests. */
  readonly dispose: () => void;
}

/** Delay after a keystroke before the search starts, in milliseconds. */
const TYPING_DELAY = 250;

/** Number of new items after which loading stops until the user asks for more. */
const MIN_NEW_ITEMS = 10;

/** Maximum number of pages per load: pages of a later part may contain only items of an earlier one. */
const MAX_PAGES = 3;

interface Result<T> {
  readonly item: T;
  readonly heading: string | undefined;
}

/** Position of the next page: the first page of a part, or a link. */
interface Cursor {
  readonly part: number;
  readonly link?: string;
}

const START: Cursor = { part: 0 };

export function createSearchList<T>(settings: SearchListSettings<T>): SearchList<T> {
  const { parts, follow, keyOf, textOf, emptyText, after } = settings;
  const changes = createEmitter<void>();
  const offered: readonly Result<T>[] = settings.offered.map((item) => ({ item, heading: undefined }));
  let text = '';
  let results: readonly Result<T>[] = offered;
  let next: Cursor | undefined;
  let failure: string | undefined;
  let running: AbortController | undefined;
  let cancelDelay: (() => void) | undefined;

  function run(work: (signal: AbortSignal) => Promise<void>): void {
    running?.abort();
    const current = new AbortController();
    running = current;
    failure = undefined;
    changes.fire();
    const end = (text?: string): void => {
      if (current.signal.aborted) return;
      running = undefined;
      failure = text;
      changes.fire();
    };
    work(current.signal).then(
      () => end(),
      (error: unknown) => {
        const known = failureOfError(error);
        if (known === undefined && !current.signal.aborted) throw error;
        end(known?.message);
      },
    );
  }

  /** Loads the first page. Earlier results that match stay until it arrives. */
  function loadFirstPage(): void {
    next = START;
    run((signal) => loadPages(signal, text === '' ? offered : []));
  }

  async function loadPages(signal: AbortSignal, before: readonly Result<T>[]): Promise<void> {
    let shown = before;
    for (let pages = 0; next !== undefined && pages < MAX_PAGES && shown.length - before.length < MIN_NEW_ITEMS; pages += 1) {
      const { part, link } = next;
      const page = await (link === undefined ? parts[part]?.first(text, signal) : follow(link, signal));
      if (signal.aborted) return;
      const known = new Set(shown.map(({ item }) => keyOf(item)));
      const heading = parts[part]?.heading;
      const fresh = (page?.items ?? []).filter((item) => !known.has(keyOf(item)));
      shown = [...shown, ...fresh.map((item) => ({ item, heading }))];
      results = shown;
      next = page?.next !== undefined ? { part, link: page.next } : part + 1 < parts.length ? { part: part + 1 } : undefined;
      changes.fire();
    }
  }

  const isBusy = (): boolean => running !== undefined || cancelDelay !== undefined;

  function rows(): readonly SearchRow<T>[] {
    const items = results.flatMap(({ item, heading }, at): readonly SearchRow<T>[] => [
      ...(heading === undefined || heading === results[at - 1]?.heading ? [] : [{ kind: 'heading', text: heading } as const]),
      { kind: 'item', item },
    ]);
    if (failure !== undefined) return [...items, { kind: 'text', text: failure }, { kind: 'more', text: l10n.t('Try Again') }];
    if (isBusy() && (next === START || items.length === 0)) return items;
    if (next !== undefined) return [...items, { kind: 'more', text: l10n.t('Load more') }];
    if (items.length > 0) return items;
    return [{ kind: 'text', text: text === '' ? emptyText : l10n.t('No results for “{0}”', text) }];
  }

  return {
    rows,
    isBusy,
    onDidChange: changes.event,
    start: loadFirstPage,
    search: (typed) => {
      const wanted = typed.trim();
      if (wanted === text) return;
      text = wanted;
      cancelDelay?.();
      running?.abort();
      running = undefined;
      failure = undefined;
      next = START;
      const needle = wanted.toLowerCase();
      results = results.filter(({ item }) => textOf(item).toLowerCase().includes(needle));
      cancelDelay = after(TYPING_DELAY, () => {
        cancelDelay = undefined;
        loadFirstPage();
      });
      changes.fire();
    },
    loadMore: () => {
      if (isBusy() || next === undefined) return;
      if (next === START) loadFirstPage();
      else run((signal) => loadPages(signal, results));
    },
    dispose: () => {
      cancelDelay?.();
      running?.abort();
    },
  };
}
