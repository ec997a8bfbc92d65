import type { Event } from 'vscode';
import { type ApiFailure, failureOfAny } from '../api/failures.ts';
import type { ErrorStatus, TrackedError, TrackedFrame } from '../contract/trackedErrors.ts';
import { createEmitter } from '../support/emitter.ts';
import type { ErrorAbilities, ErrorPage, ErrorQuery, ErrorSource } from './source.ts';

/** List of errors of an account. */
export interface ErrorListSource {
  /** Identifies the list. */
  readonly key: string;
  readonly query: ErrorQuery;
  readonly source: () => ErrorSource;
}

export type ErrorListState =
  /** No source, or not loaded yet. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | {
      readonly kind: 'ready';
      /** In the order of the list, without duplicates. */
      readonly errors: readonly TrackedError[];
      readonly next: string | undefined;
      readonly isDisabled: boolean;
      readonly abilities: ErrorAbilities;
      /** Time at which the errors were loaded, in milliseconds since the epoch. */
      readonly at: number;
      /** Failure of the last refresh or further page. The errors are from an earlier load. */
      readonly problem: ApiFailure | undefined;
    };

/** Stack of an error that has been expanded. */
export type FramesState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | { readonly kind: 'ready'; readonly frames: readonly TrackedFrame[] };

export interface ErrorList {
  readonly state: () => ErrorListState;
  readonly sourceKey: () => string | undefined;
  readonly onDidChange: Event<void>;
  /** Sets the source. If its key is different, the list is cleared. Nothing is loaded before `refresh`. */
  readonly setSource: (source: ErrorListSource | undefined) => void;
  /** Loads the shown errors again, including further pages. */
  readonly refresh: () => Promise<void>;
  readonly loadMore: () => Promise<void>;
  /** Returns undefined before `open` is called for the error. */
  readonly frames: (id: string) => FramesState | undefined;
  /** Loads the stack of an error. From then on, it is reloaded with the list if there is a newer event. */
  readonly open: (id: string) => void;
  /** Changes the status of an error and loads the list again. Rejects with an `ApiFailure`. */
  readonly changeStatus: (id: string, status: ErrorStatus) => Promise<void>;
}

/** Maximum number of pages to reload. Further pages are loaded by `loadMore`. */
const MAX_PAGES = 5;

export function createErrorList(now: () => number): ErrorList {
  const changes = createEmitter<void>();
  let state: ErrorListState = { kind: 'idle' };
  let source: ErrorListSource | undefined;
  let abort = new AbortController();
  let running: { readonly scope: 'all' | 'more'; readonly done: Promise<void> } | undefined;
  let pages = 1;
  /** Expanded errors by ID. A changed event count means that there is a newer stack. */
  const opened = new Map<string, { readonly count: number | undefined; readonly frames: FramesState }>();

  function setState(next: ErrorListState): void {
    state = next;
    changes.fire();
  }

  function run(
    scope: 'all' | 'more',
    load: (from: ErrorListSource, signal: AbortSignal) => Promise<ErrorListState>,
  ): Promise<void> {
    if (running?.scope === scope) return running.done;
    const from = source;
    if (from === undefined) return Promise.resolve();
    const { signal } = abort;
    // A refresh and a further page change the same list, so one waits for the other.
    const before = running?.done ?? Promise.resolve();
    const done = before
      .then(() => load(from, signal))
      .catch((error: unknown): ErrorListState => {
        const failure = failureOfAny(error);
        // Keep the errors that are shown.
        return state.kind === 'ready' ? { ...state, problem: failure } : { kind: 'failed', failure };
      })
      .then((next) => {
        if (running?.done === done) running = undefined;
        if (signal.aborted) return;
        setState(next);
        refreshFrames();
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
    if (source !== undefined && (state.kind === 'idle' || state.kind === 'failed')) setState({ kind: 'loading' });
    await done;
  }

  function loadFrames(id: string): void {
    const from = source;
    if (from === undefined) return;
    const { signal } = abort;
    const count = countOf(id);
    const previous = opened.get(id)?.frames;
    // Keep showing the old frames while loading.
    opened.set(id, { count, frames: previous?.kind === 'ready' ? previous : { kind: 'loading' } });
    changes.fire();
    void Promise.resolve()
      .then(() => from.source().frames(id, signal))
      .then((frames): FramesState => ({ kind: 'ready', frames }))
      .catch(
        (error: unknown): FramesState =>
          previous?.kind === 'ready' ? previous : { kind: 'failed', failure: failureOfAny(error) },
      )
      .then((frames) => {
        if (signal.aborted) return;
        opened.set(id, { count, frames });
        changes.fire();
      });
  }

  function refreshFrames(): void {
    for (const [id, { count, frames }] of [...opened]) {
      const current = countOf(id);
      if (current === undefined) opened.delete(id);
      else if (current !== count || frames.kind === 'failed') loadFrames(id);
    }
  }

  function countOf(id: string): number | undefined {
    return state.kind === 'ready' ? state.errors.find((error) => error.id === id)?.count : undefined;
  }

  return {
    state: () => state,
    sourceKey: () => source?.key,
    onDidChange: changes.event,
    setSource: (next) => {
      const isSame = next !== undefined && next.key === source?.key;
      source = next;
      if (isSame) return;
      abort.abort();
      abort = new AbortController();
      running = undefined;
      pages = 1;
      opened.clear();
      setState({ kind: 'idle' });
    },
    refresh,
    loadMore: () =>
      run('more', async (from, signal) => {
        if (state.kind !== 'ready' || state.next === undefined) return state;
        const page = await from.source().follow(from.query, state.next, signal);
        pages += 1;
        return { ...state, errors: unique([...state.errors, ...page.items]), next: page.next, problem: undefined };
      }),
    frames: (id) => opened.get(id)?.frames,
    open: (id) => {
      if (!opened.has(id)) loadFrames(id);
    },
    changeStatus: async (id, status) => {
      const from = source;
      if (from === undefined) return;
      await from.source().changeStatus(id, status);
      // A load that started before the change may have the old status.
      await running?.done;
      if (from.key === source?.key) await refresh();
    },
  };
}

function ready(pages: readonly ErrorPage[], at: number): ErrorListState {
  const last = pages.at(-1);
  if (last === undefined) return { kind: 'idle' };
  const { next, isDisabled, abilities } = last;
  return {
    kind: 'ready',
    errors: unique(pages.flatMap(({ items }) => items)),
    next,
    isDisabled,
    abilities,
    at,
    problem: undefined,
  };
}

/** Removes duplicates: an error that occurs again moves to the front and can appear on two pages. */
function unique(errors: readonly TrackedError[]): readonly TrackedError[] {
  return [...new Map(errors.map((error) => [error.id, error])).values()];
}
