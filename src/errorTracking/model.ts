import type { Event } from 'vscode';
import { ApiFailure } from '../api/failures.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import { type ListState, uniqueById } from '../support/listState.ts';
import { createPagedList } from '../support/pagedList.ts';
import { createErrorFrames, type ErrorFrames } from './frames.ts';
import type { ErrorAbilities, ErrorPage, ErrorQuery, ErrorSource, FacetKind } from './source.ts';

/** List of errors of an account. */
export interface ErrorListSource {
  /** Identifies the list. */
  readonly key: string;
  readonly query: ErrorQuery;
  readonly source: () => ErrorSource;
}

/** Errors that a list has loaded. */
interface LoadedErrors {
  /** In the order of the list, without duplicates. */
  readonly errors: readonly TrackedError[];
  readonly next: string | undefined;
  readonly isDisabled: boolean;
  /** True if the instance has no error tracking at all. */
  readonly isMissing?: true;
  readonly abilities: ErrorAbilities;
  /** Time at which the errors were loaded, in milliseconds since the epoch. */
  readonly at: number;
}

export type ErrorListState = ListState<LoadedErrors>;

export interface ErrorList {
  readonly state: () => ErrorListState;
  readonly sourceKey: () => string | undefined;
  readonly onDidChange: Event<void>;
  /** Sets the source. If its key is different, the list is cleared. Nothing is loaded before `refresh`. */
  readonly setSource: (source: ErrorListSource | undefined) => void;
  /** Loads the shown errors again, including further pages. */
  readonly refresh: () => Promise<void>;
  /** Like `refresh`, but starts after a load that is running, which may have what was there before a change. */
  readonly refreshAfterChange: () => Promise<void>;
  readonly loadMore: () => Promise<void>;
  /** Returns the stack of an error; undefined before `open` is called for it. */
  readonly frames: ErrorFrames['get'];
  readonly open: ErrorFrames['open'];
  /** Returns the environments or releases of the first errors of the list, without duplicates. Never rejects. */
  readonly facet: (kind: FacetKind) => Promise<readonly string[]>;
}

/** Maximum number of pages to reload. Further pages are loaded by `loadMore`. */
const MAX_PAGES = 5;
/** Maximum number of errors that are asked for their environments or releases; each takes a request. */
const MAX_FACET_ERRORS = 8;

export function createErrorList(now: () => number): ErrorList {
  let pages = 1;
  const list = createPagedList<ErrorListSource, LoadedErrors>({
    first: async (from, signal) => {
      const wanted = Math.min(pages, MAX_PAGES);
      let page = await from.source().list(from.query, signal, wanted);
      const loaded: [ErrorPage, ...ErrorPage[]] = [page];
      while (pagesIn(loaded) < wanted && page.next !== undefined) {
        page = await from.source().follow(from.query, page.next, signal);
        loaded.push(page);
      }
      return () => {
        pages = pagesIn(loaded);
        return errorsIn(loaded, now());
      };
    },
    more: async (from, signal, { next: link }) => {
      const page = await from.source().follow(from.query, link ?? '', signal);
      return (shown) => {
        pages += pagesIn([page]);
        return { ...shown, errors: uniqueById([...shown.errors, ...page.items]), next: page.next };
      };
    },
    loaded: () => frames.refresh(),
  });
  const { state } = list;
  const errors = (): readonly TrackedError[] => {
    const shown = state();
    return shown.kind === 'ready' ? shown.errors : [];
  };

  const frames = createErrorFrames({
    load: (id) => list.request(async (from, signal) => from.source().frames(id, signal)),
    countOf: (id) => errors().find((error) => error.id === id)?.count,
    changed: list.changed,
  });

  return {
    state,
    sourceKey: list.sourceKey,
    onDidChange: list.onDidChange,
    setSource: (next) => {
      if (next?.key !== list.sourceKey()) {
        pages = 1;
        frames.clear();
      }
      list.setSource(next);
    },
    refresh: async () => void (await list.refresh()),
    refreshAfterChange: async () => void (await list.refreshAfterChange()),
    loadMore: async () => void (await list.loadMore()),
    frames: frames.get,
    open: frames.open,
    facet: async (kind) => {
      const results = await Promise.all(
        errors()
          .slice(0, MAX_FACET_ERRORS)
          .map(({ id }) => list.request(async (from, signal) => from.source().facet(id, kind, signal))),
      );
      return [...new Set(results.flatMap((result) => (result === undefined || result instanceof ApiFailure ? [] : result)))];
    },
  };
}

function pagesIn(pages: readonly ErrorPage[]): number {
  return pages.reduce((sum, { pages: count = 1 }) => sum + count, 0);
}

/** Returns the errors of pages, of which there is at least one. */
function errorsIn(pages: readonly [ErrorPage, ...ErrorPage[]], at: number): LoadedErrors {
  const { items: _, pages: _count, ...last } = pages.at(-1) ?? pages[0];
  return { ...last, errors: uniqueById(pages.flatMap(({ items }) => items)), at };
}
