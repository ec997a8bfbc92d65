import type { Event } from 'vscode';
import { type ApiFailure, failureOfAny } from '../api/failures.ts';
import { createCurrentSource, type CurrentSource } from './currentSource.ts';
import { createEmitter } from './emitter.ts';
import { type ListState, stateAfterFailure } from './listState.ts';

/** Loaded part of a list. */
interface Paged {
  /** Link to the page after the last one loaded; undefined on the last page. */
  readonly next: string | undefined;
}

export interface PagedListSettings<Source, Loaded extends Paged> {
  /** Requests the list from its start. The result is called with what is shown then, with which it can be merged. */
  readonly first: (from: Source, signal: AbortSignal) => Promise<(shown: Loaded | undefined) => Loaded>;
  /** Requests the page after what is loaded. The result is called with what is shown then. */
  readonly more: (from: Source, signal: AbortSignal, loaded: Loaded) => Promise<(shown: Loaded) => Loaded>;
  /** Called after each load that succeeded. */
  readonly loaded?: (from: Source, loaded: Loaded) => void;
}

/**
 * List that is loaded page by page from a source that can be replaced. Loads change the list one after the other: each begins with what
 * the one before has left, so that no page is missing between two of them. A load that is waiting or running is shared.
 */
export interface PagedList<Source, Loaded> {
  readonly state: () => ListState<Loaded>;
  readonly source: () => Source | undefined;
  readonly sourceKey: () => string | undefined;
  readonly onDidChange: Event<void>;
  /** Fires `onDidChange` for something that belongs to the list. */
  readonly changed: () => void;
  /** Runs a request that changes nothing in the list, such as one about an element. */
  readonly request: CurrentSource<Source>['request'];
  /** Signal of the current source, which is aborted when another one replaces it. */
  readonly signal: () => AbortSignal;
  /** Replaces the source. If its key is different, the list is cleared and true is returned. Nothing is loaded. */
  readonly setSource: (next: Source | undefined) => boolean;
  /** Loads the list from its start. Resolves to the failure, if any. */
  readonly refresh: () => Promise<ApiFailure | undefined>;
  /** Same, but not with a load that has begun already, which may have what was there before a change. */
  readonly refreshAfterChange: () => Promise<ApiFailure | undefined>;
  /** Loads the next page, if there is one. */
  readonly loadMore: () => Promise<ApiFailure | undefined>;
  /** Shows something that was not requested, such as a cached response. */
  readonly show: (loaded: Loaded) => void;
  /** Shows a change that the instance has made. What was requested before is discarded and requested again. */
  readonly change: (change: (shown: Loaded) => Loaded) => void;
}

interface Load {
  readonly kind: 'first' | 'more';
  hasBegun: boolean;
  readonly done: Promise<ApiFailure | undefined>;
}

export function createPagedList<Source extends { readonly key: string }, Loaded extends Paged>({
  first,
  more,
  loaded,
}: PagedListSettings<Source, Loaded>): PagedList<Source, Loaded> {
  const changes = createEmitter<void>();
  const source = createCurrentSource<Source>();
  let state: ListState<Loaded> = { kind: 'idle' };
  let loads: readonly Load[] = [];
  let changesMade = 0;

  function setState(next: ListState<Loaded>): void {
    state = next;
    changes.fire();
  }

  const shown = (): Loaded | undefined => (state.kind === 'ready' ? state : undefined);

  async function requestFirst(from: Source, signal: AbortSignal): Promise<() => Loaded> {
    const merge = await first(from, signal);
    return () => merge(shown());
  }

  async function requestMore(from: Source, signal: AbortSignal): Promise<() => Loaded | undefined> {
    const last = shown();
    if (last?.next === undefined) return () => undefined;
    const merge = await more(from, signal, last);
    return () => merge(shown() ?? last);
  }

  /** Returns undefined if there is nothing to load. */
  async function request(kind: Load['kind'], from: Source, signal: AbortSignal): Promise<Loaded | undefined> {
    for (;;) {
      const before = changesMade;
      const result = await (kind === 'first' ? requestFirst(from, signal) : requestMore(from, signal));
      signal.throwIfAborted();
      if (before === changesMade) return result();
    }
  }

  async function run(kind: Load['kind'], from: Source, signal: AbortSignal): Promise<ApiFailure | undefined> {
    try {
      const result = await request(kind, from, signal);
      if (signal.aborted || result === undefined) return undefined;
      setState({ ...result, kind: 'ready', problem: undefined });
      loaded?.(from, result);
      return undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      const failure = failureOfAny(error);
      setState(stateAfterFailure(state, failure));
      return failure;
    }
  }

  function add(kind: Load['kind'], isShared: (load: Load) => boolean): Promise<ApiFailure | undefined> {
    const known = loads.find((load) => load.kind === kind && isShared(load));
    if (known !== undefined) return known.done;
    const from = source.get();
    if (from === undefined) return Promise.resolve(undefined);
    const signal = source.signal();
    const before = loads.at(-1)?.done;
    const begin = (): Promise<ApiFailure | undefined> => {
      load.hasBegun = true;
      return signal.aborted ? Promise.resolve(undefined) : run(kind, from, signal);
    };
    const { promise: done, resolve, reject } = Promise.withResolvers<ApiFailure | undefined>();
    const load: Load = { kind, hasBegun: false, done };
    loads = [...loads, load];
    (before === undefined ? begin() : before.then(begin))
      .finally(() => {
        loads = loads.filter((one) => one !== load);
      })
      .then(resolve, reject);
    return done;
  }

  function refresh(isShared: (load: Load) => boolean): Promise<ApiFailure | undefined> {
    const done = add('first', isShared);
    if (source.get() !== undefined && (state.kind === 'idle' || state.kind === 'failed')) setState({ kind: 'loading' });
    return done;
  }

  return {
    state: () => state,
    source: source.get,
    sourceKey: source.key,
    onDidChange: changes.event,
    changed: changes.fire,
    request: source.request,
    signal: source.signal,
    setSource: (next) => {
      if (!source.replace(next)) return false;
      loads = [];
      setState({ kind: 'idle' });
      return true;
    },
    refresh: () => refresh(() => true),
    refreshAfterChange: () => refresh(({ hasBegun }) => !hasBegun),
    loadMore: () => add('more', () => true),
    show: (next) => setState({ ...next, kind: 'ready', problem: undefined }),
    change: (change) => {
      changesMade += 1;
      if (state.kind === 'ready') state = { ...state, ...change(state) };
      changes.fire();
    },
  };
}
