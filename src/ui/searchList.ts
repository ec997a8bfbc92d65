import * as l10n from '@vscode/l10n';
import type { Event } from 'vscode';
import type { Page } from '../api/client.ts';
import { failureOfError } from '../api/failures.ts';
import { createEmitter } from '../support/emitter.ts';

/** A part of what is searched, such as what the account is a member of; the next part comes when it has ended. */
export interface SearchPart<T> {
  /** Stands above its items. */
  readonly heading: string;
  readonly first: (search: string, signal: AbortSignal) => Promise<Page<T>>;
}

export interface SearchListSettings<T> {
  readonly parts: readonly SearchPart<T>[];
  /** The page that a `Link` header named. */
  readonly follow: (link: string, signal: AbortSignal) => Promise<Page<T>>;
  /** Stand first while nothing is searched, without asking anybody. */
  readonly offered: readonly T[];
  /** The same for the same thing, wherever it comes from. */
  readonly keyOf: (item: T) => string;
  /** What a person may search in it. */
  readonly textOf: (item: T) => string;
  /** In words, that there is nothing at all. */
  readonly none: string;
  /** Runs something later; answers how to stop it. */
  readonly after: (milliseconds: number, run: () => void) => () => void;
}

export type SearchRow<T> =
  | { readonly kind: 'heading'; readonly text: string }
  | { readonly kind: 'item'; readonly item: T }
  /** Loads more, or tries again what failed. */
  | { readonly kind: 'more'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string };

/** A list of an instance that a person searches while it is open: page after page, and anew with each thing they type. */
export interface SearchList<T> {
  readonly rows: () => readonly SearchRow<T>[];
  readonly isBusy: () => boolean;
  readonly onDidChange: Event<void>;
  /** Loads the first page. */
  readonly start: () => void;
  /** What the person has typed. What is under way for another text is given up. */
  readonly search: (text: string) => void;
  readonly loadMore: () => void;
  /** Gives up what is under way. */
  readonly dispose: () => void;
}

/** Milliseconds that somebody who types has for the next letter. */
const PAUSE = 250;

/** New items after which a person is asked whether they want more. */
const ENOUGH = 10;

/** Pages that are read for them at most: those of a later part may hold nothing but what an earlier one had. */
const MAX_PAGES = 3;

interface Found<T> {
  readonly item: T;
  readonly heading: string | undefined;
}

/** Where the next page is: the first of a part, or behind a link. */
interface Cursor {
  readonly part: number;
  readonly link?: string;
}

const BEGINNING: Cursor = { part: 0 };

export function createSearchList<T>(settings: SearchListSettings<T>): SearchList<T> {
  const { parts, follow, keyOf, textOf, none, after } = settings;
  const changes = createEmitter<void>();
  const offered: readonly Found<T>[] = settings.offered.map((item) => ({ item, heading: undefined }));
  let text = '';
  let found: readonly Found<T>[] = offered;
  let next: Cursor | undefined;
  let failure: string | undefined;
  let running: AbortController | undefined;
  let stopWaiting: (() => void) | undefined;

  function begin(work: (signal: AbortSignal) => Promise<void>): void {
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

  /** The first page; what was found before stays until it is there, as far as it matches. */
  function beginning(): void {
    next = BEGINNING;
    begin((signal) => reading(signal, text === '' ? offered : []));
  }

  async function reading(signal: AbortSignal, before: readonly Found<T>[]): Promise<void> {
    let shown = before;
    for (let pages = 0; next !== undefined && pages < MAX_PAGES && shown.length - before.length < ENOUGH; pages += 1) {
      const { part, link } = next;
      const page = await (link === undefined ? parts[part]?.first(text, signal) : follow(link, signal));
      if (signal.aborted) return;
      const known = new Set(shown.map(({ item }) => keyOf(item)));
      const heading = parts[part]?.heading;
      const fresh = (page?.items ?? []).filter((item) => !known.has(keyOf(item)));
      shown = [...shown, ...fresh.map((item) => ({ item, heading }))];
      found = shown;
      next = page?.next !== undefined ? { part, link: page.next } : part + 1 < parts.length ? { part: part + 1 } : undefined;
      changes.fire();
    }
  }

  const isBusy = (): boolean => running !== undefined || stopWaiting !== undefined;

  function rows(): readonly SearchRow<T>[] {
    const items = found.flatMap(({ item, heading }, at): readonly SearchRow<T>[] => [
      ...(heading === undefined || heading === found[at - 1]?.heading ? [] : [{ kind: 'heading', text: heading } as const]),
      { kind: 'item', item },
    ]);
    if (failure !== undefined) return [...items, { kind: 'text', text: failure }, { kind: 'more', text: l10n.t('Try Again') }];
    if (isBusy() && (next === BEGINNING || items.length === 0)) return items;
    if (next !== undefined) return [...items, { kind: 'more', text: l10n.t('Load more') }];
    if (items.length > 0) return items;
    return [{ kind: 'text', text: text === '' ? none : l10n.t('No results for “{0}”', text) }];
  }

  return {
    rows,
    isBusy,
    onDidChange: changes.event,
    start: beginning,
    search: (typed) => {
      const wanted = typed.trim();
      if (wanted === text) return;
      text = wanted;
      stopWaiting?.();
      running?.abort();
      running = undefined;
      failure = undefined;
      next = BEGINNING;
      const message = wanted.toLowerCase();
      found = found.filter(({ item }) => textOf(item).toLowerCase().includes(message));
      stopWaiting = after(PAUSE, () => {
        stopWaiting = undefined;
        beginning();
      });
      changes.fire();
    },
    loadMore: () => {
      if (isBusy() || next === undefined) return;
      if (next === BEGINNING) beginning();
      else begin((signal) => reading(signal, found));
    },
    dispose: () => {
      stopWaiting?.();
      running?.abort();
    },
  };
}
