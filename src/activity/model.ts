import type { Event } from 'vscode';
import type { Page } from '../api/client.ts';
import { failureOfAny } from '../api/failures.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import { createCurrentSource } from '../support/currentSource.ts';
import { createEmitter } from '../support/emitter.ts';
import { type ListState, stateAfterFailure, uniqueById } from '../support/listState.ts';

/** Successful response in the form in which it is cached. */
export interface SuccessResponse {
  /** Time of the response, in milliseconds since the epoch. */
  readonly at: number;
  /** Newest first. */
  readonly events: readonly ActivityEvent[];
  /** Link to the page after the last event; undefined on the last page or if older events were omitted. */
  readonly next: string | undefined;
}

/** Cached response. The first events are available immediately, the others on demand. */
export interface CachedResponse extends SuccessResponse {
  /** Reads all events, including the first ones. Never rejects. */
  readonly all: () => Promise<readonly ActivityEvent[]>;
}

/** Source of a feed: one list of one account on one instance. */
export interface FeedSource {
  /** Unique key of the list. */
  readonly key: string;
  readonly first: (signal: AbortSignal) => Promise<Page<ActivityEvent>>;
  readonly follow: (link: string, signal: AbortSignal) => Promise<Page<ActivityEvent>>;
  /** Returns the latest successful response, shown until a newer one arrives. Never rejects. */
  readonly cached?: () => Promise<CachedResponse | undefined>;
  /** Receives every successful response. */
  readonly store?: (response: SuccessResponse) => void;
}

export type FeedState = ListState<{
  /** Newest first, without duplicates. */
  readonly events: readonly ActivityEvent[];
  /** Link to the page after the last one loaded. */
  readonly next: string | undefined;
  /** Time at which the events were loaded, in milliseconds since the epoch. */
  readonly at: number;
  /** True if the events come from the cache and no response has arrived since. */
  readonly isCached: boolean;
}>;

export interface Feed {
  readonly state: () => FeedState;
  readonly sourceKey: () => string | undefined;
  readonly onDidChange: Event<void>;
  /** Switches to another list without loading it. With the same key, the shown events stay. */
  readonly setSource: (source: FeedSource | undefined) => void;
  /** Loads the first page unless it is already loaded. */
  readonly ensureLoaded: () => Promise<void>;
  /** Reloads the first page. Further pages stay if the new one is contiguous with them. */
  readonly refresh: () => Promise<void>;
  readonly loadMore: () => Promise<void>;
  /** Shows the cached response if nothing is shown yet, without a request. Returns undefined if there is nothing to wait for. */
  readonly showCached: () => Promise<void> | undefined;
}

const nothing = async (): Promise<void> => undefined;

/**
 * Creates the model of an activity list. Concurrent calls share one request. `painted` is called before cached events are shown and awaited
 * before newer ones are requested, because preparing the request would delay showing the cached ones.
 */
export function createFeed(now: () => number, painted: () => Promise<void> = nothing): Feed {
  const changes = createEmitter<void>();
  let state: FeedState = { kind: 'idle' };
  const source = createCurrentSource<FeedSource>();
  let running: { readonly of: 'first' | 'more'; readonly done: Promise<void> } | undefined;
  /** Reads the rest of the cached response once; resolves immediately if there is none. */
  let fill: () => Promise<void> = nothing;
  let readingCached: Promise<void> | undefined;
  let cachedPainted: Promise<void> | undefined;

  function setState(next: FeedState): void {
    state = next;
    changes.fire();
  }

  function run(of: 'first' | 'more', load: (from: FeedSource, signal: AbortSignal) => Promise<FeedState>): Promise<void> {
    if (running?.of === of) return running.done;
    const from = source.get();
    if (from === undefined) return Promise.resolve();
    const signal = source.signal();
    const done = load(from, signal)
      .catch((error: unknown): FeedState => stateAfterFailure(state, failureOfAny(error)))
      .then((next) => {
        if (signal.aborted) return;
        running = undefined;
        setState(next);
        if (next.kind === 'ready' && next.problem === undefined) from.store?.(next);
      });
    running = { of, done };
    return done;
  }

  function showCached(): Promise<void> | undefined {
    const read = source.get()?.cached;
    if (read === undefined || (state.kind !== 'idle' && state.kind !== 'loading')) return undefined;
    if (readingCached !== undefined) return readingCached;
    const reading = readCached(read, source.signal()).finally(() => {
      if (readingCached === reading) readingCached = undefined;
    });
    readingCached = reading;
    return reading;
  }

  async function readCached(read: NonNullable<FeedSource['cached']>, signal: AbortSignal): Promise<void> {
    const cached = await read();
    if (cached === undefined || signal.aborted || state.kind === 'ready') return;
    const { events, next, at } = cached;
    cachedPainted = events.length > 0 ? painted() : undefined;
    setState({ kind: 'ready', events, next, at, isCached: true, problem: undefined });
    let filling: Promise<void> | undefined;
    fill = () => {
      filling ??= cached.all().then((all) => {
        if (!signal.aborted && state.kind === 'ready' && state.isCached && all.length > state.events.length)
          setState({ ...state, events: all });
      });
      return filling;
    };
  }

  /** Loads the first page, then the rest of the cached events: reading thousands of them earlier would delay the first rows. */
  async function firstPage(from: FeedSource, signal: AbortSignal): Promise<Page<ActivityEvent>> {
    try {
      return await from.first(signal);
    } finally {
      await fill();
    }
  }

  function refresh(): Promise<void> {
    const isFirst = source.get() !== undefined && state.kind !== 'ready';
    const done = run('first', async (from, signal) => {
      const reading = showCached();
      if (reading !== undefined) await reading;
      if (cachedPainted !== undefined) await cachedPainted;
      signal.throwIfAborted();
      const { items, next } = await firstPage(from, signal);
      return { kind: 'ready', ...mergeFirstPage(items, next, state), at: now(), isCached: false, problem: undefined };
    });
    if (isFirst && state.kind !== 'loading') setState({ kind: 'loading' });
    return done;
  }

  return {
    state: () => state,
    sourceKey: source.key,
    onDidChange: changes.event,
    setSource: (next) => {
      if (!source.replace(next)) return;
      running = undefined;
      fill = nothing;
      readingCached = undefined;
      cachedPainted = undefined;
      setState({ kind: 'idle' });
    },
    ensureLoaded: async () => {
      if (state.kind === 'idle' || (state.kind === 'ready' && state.isCached)) await refresh();
    },
    refresh,
    showCached,
    loadMore: async () => {
      const known = state.kind === 'ready' ? state.events.length : 0;
      await fill();
      if (state.kind !== 'ready' || state.next === undefined || state.events.length > known) return;
      const { next: link } = state;
      await run('more', async (from, signal) => {
        const page = await from.follow(link, signal);
        const before = state.kind === 'ready' ? state : { events: [], at: now(), isCached: false };
        const events = uniqueById([...before.events, ...page.items]);
        return { kind: 'ready', events, next: page.next, at: before.at, isCached: before.isCached, problem: undefined };
      });
    },
  };
}

/**
 * Merges the new first page with the shown events. If they are contiguous, the older events and their next link stay; otherwise there would
 * be a gap, so only the new page is used.
 */
function mergeFirstPage(
  first: readonly ActivityEvent[],
  next: string | undefined,
  before: FeedState,
): Pick<FeedState & { kind: 'ready' }, 'events' | 'next'> {
  if (before.kind !== 'ready') return { events: uniqueById(first), next };
  // A cached response without a next link may be truncated.
  if (before.isCached && before.next === undefined) return { events: uniqueById(first), next };
  const ids = new Set(first.map(({ id }) => id));
  const last = first.at(-1);
  const meeting = last === undefined ? -1 : before.events.findIndex(({ id }) => id === last.id);
  if (meeting === -1) return { events: uniqueById(first), next };
  const older = before.events.slice(meeting + 1).filter(({ id }) => !ids.has(id));
  return older.length === 0
    ? { events: uniqueById(first), next }
    : { events: uniqueById([...first, ...older]), next: before.next };
}
