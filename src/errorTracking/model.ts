import type { Event } from 'vscode';
import { ApiFailure, failureOfAny } from '../api/failures.ts';
import type { TrackedError } from '../contract/trackedErrors.ts';
import { createCurrentSource } from '../support/currentSource.ts';
import { createEmitter } from '../support/emitter.ts';
import { type ListState, stateAfterFailure, uniqueById } from '../support/listState.ts';
import { createErrorFrames, type ErrorFrames } from './frames.ts';
import type { ErrorAbilities, ErrorPage, ErrorQuery, ErrorSource, FacetKind } from './source.ts';

/** List of errors of an account. */
export interface ErrorListSource {
  /** Identifies the list. */
  readonly key: string;
  readonly query: ErrorQuery;
  readonly source: () => ErrorSource;
}

export type ErrorListState = ListState<{
  /** In the order of the list, without duplicates. */
  readonly errors: readonly TrackedError[];
  readonly next: string | undefined;
  readonly isDisabled: boolean;
  readonly abilities: ErrorAbilities;
  /** Time at which the errors were loaded, in milliseconds since the epoch. */
  readonly at: number;
}>;

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
  const changes = createEmitter<void>();
  let state: ErrorListState = { kind: 'idle' };
  const source = createCurrentSource<ErrorListSource>();
  let running: { readonly scope: 'all' | 'more'; readonly done: Promise<void> } | undefined;
  let pages = 1;
  const frames = createErrorFrames({
    load: (id) => source.request(async (from, signal) => from.source().frames(id, signal)),
    countOf: (id) => (state.kind === 'ready' ? state.errors.find((error) => error.id === id)?.count : undefined),
    changed: changes.fire,
  });

  function setState(next: ErrorListState): void {
    state = next;
    changes.fire();
  }

  function run(
    scope: 'all' | 'more',
    load: (from: ErrorListSource, signal: AbortSignal) => Promise<ErrorListState>,
  ): Promise<void> {
    if (running?.scope === scope) return running.done;
    const from = source.get();
    if (from === undefined) return Promise.resolve();
    const signal = source.signal();
    // A refresh and a further page change the same list, so one waits for the other.
    const before = running?.done ?? Promise.resolve();
    const done = before
      .then(() => load(from, signal))
      .catch((error: unknown): ErrorListState => stateAfterFailure(state, failureOfAny(error)))
      .then((next) => {
        if (running?.done === done) running = undefined;
        if (signal.aborted) return;
        setState(next);
        frames.refresh();
      });
    running = { scope, done };
    return done;
  }

  async function refresh(): Promise<void> {
    const done = run('all', async (from, signal) => {
      let page = await from.source().list(from.query, signal);
      const loaded = [page];
      while (loaded.length < Math.min(pages, MAX_PAGES) && page.next !== undefined) {
        page = await from.source().follow(from.query, page.next, signal);
        loaded.push(page);
      }
      pages = loaded.length;
      return ready(loaded, now());
    });
    if (source.get() !== undefined && (state.kind === 'idle' || state.kind === 'failed')) setState({ kind: 'loading' });
    await done;
  }

  return {
    state: () => state,
    sourceKey: source.key,
    onDidChange: changes.event,
    setSource: (next) => {
      if (!source.replace(next)) return;
      running = undefined;
      pages = 1;
      frames.clear();
      setState({ kind: 'idle' });
    },
    refresh,
    refreshAfterChange: async () => {
      await running?.done;
      await refresh();
    },
    loadMore: () =>
      run('more', async (from, signal) => {
        if (state.kind !== 'ready' || state.next === undefined) return state;
        const page = await from.source().follow(from.query, state.next, signal);
        pages += 1;
        return { ...state, errors: uniqueById([...state.errors, ...page.items]), next: page.next, problem: undefined };
      }),
    frames: frames.get,
    open: frames.open,
    facet: async (kind) => {
      const errors = state.kind === 'ready' ? state.errors.slice(0, MAX_FACET_ERRORS) : [];
      const results = await Promise.all(
        errors.map(({ id }) => source.request((from, signal) => from.source().facet(id, kind, signal))),
      );
      return [...new Set(results.flatMap((result) => (result === undefined || result instanceof ApiFailure ? [] : result)))];
    },
  };
}

function ready(pages: readonly ErrorPage[], at: number): ErrorListState {
  const last = pages.at(-1);
  if (last === undefined) return { kind: 'idle' };
  const { next, isDisabled, abilities } = last;
  return {
    kind: 'ready',
    errors: uniqueById(pages.flatMap(({ items }) => items)),
    next,
    isDisabled,
    abilities,
    at,
    problem: undefined,
  };
}
