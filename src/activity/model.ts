import type { Event } from 'vscode';
import type { Page } from '../api/client.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import { type ListState, uniqueById } from '../support/listState.ts';
import { createPagedList } from '../support/pagedList.ts';

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

/** Events that a feed has loaded. */
interface LoadedFeed {
  /** Newest first, without duplicates. */
  readonly events: readonly ActivityEvent[];
  /** Link to the page after the last one loaded. */
  readonly next: string | undefined;
  /** Time at which the events were loaded, in milliseconds since the epoch. */
  readonly at: number;
  /** True if the events come from the cache and no response has arrived since. */
  readonly isCached: boolean;
}

export type FeedState = ListState<LoadedFeed>;

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
  /** Reads the rest of the cached response once; resolves immediately if there is none. */
  let fill: () => Promise<void> = nothing;
  let readingCached: Promise<void> | undefined;
  let cachedPainted: Promise<void> | undefined;
  const list = createPagedList<FeedSource, LoadedFeed>({
    first: async (from, signal) => {
      const reading = showCached();
      if (reading !== undefined) await reading;
      if (cachedPainted !== undefined) await cachedPainted;
      signal.throwIfAborted();
      const { items, next } = await firstPage(from, signal);
      return (shown) => ({ ...mergeFirstPage(items, next, shown), at: now(), isCached: false });
    },
    more: async (from, signal, { next: link }) => {
      const { items, next } = await from.follow(link ?? '', signal);
      return (shown) => ({ ...shown, events: uniqueById([...shown.events, ...items]), next });
    },
    loaded: (from, loaded) => from.store?.(loaded),
  });
  const { state } = list;

  function showCached(): Promise<void> | undefined {
    const read = list.source()?.cached;
    const { kind } = state();
    if (read === undefined || (kind !== 'idle' && kind !== 'loading')) return undefined;
    if (readingCached !== undefined) return readingCached;
    const reading = readCached(read, list.signal()).finally(() => {
      if (readingCached === reading) readingCached = undefined;
    });
    readingCached = reading;
    return reading;
  }

  async function readCached(read: NonNullable<FeedSource['cached']>, signal: AbortSignal): Promise<void> {
    const cached = await read();
    if (cached === undefined || signal.aborted || state().kind === 'ready') return;
    const { events, next, at } = cached;
    cachedPainted = events.length > 0 ? painted() : undefined;
    list.show({ events, next, at, isCached: true });
    let filling: Promise<void> | undefined;
    fill = () => {
      filling ??= cached.all().then((all) => {
        const shown = state();
        if (!signal.aborted && shown.kind === 'ready' && shown.isCached && all.length > shown.events.length)
          list.show({ ...shown, events: all });
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

  async function refresh(): Promise<void> {
    await list.refresh();
  }

  return {
    state,
    sourceKey: list.sourceKey,
    onDidChange: list.onDidChange,
    setSource: (next) => {
      if (next?.key !== list.sourceKey()) {
        fill = nothing;
        readingCached = undefined;
        cachedPainted = undefined;
      }
      list.setSource(next);
    },
    ensureLoaded: async () => {
      const now = state();
      if (now.kind === 'idle' || (now.kind === 'ready' && now.isCached)) await refresh();
    },
    refresh,
    showCached,
    loadMore: async () => {
      const known = eventsIn(state());
      await fill();
      // The rest of the cached response is more.
      if (eventsIn(state()) <= known) await list.loadMore();
    },
  };
}

function eventsIn(state: FeedState): number {
  return state.kind === 'ready' ? state.events.length : 0;
}

/**
 * Merges the new first page with the shown events. If they are contiguous, the older events and their next link stay; otherwise there would
 * be a gap, so only the new page is used.
 */
function mergeFirstPage(
  first: readonly ActivityEvent[],
  next: string | undefined,
  before: LoadedFeed | undefined,
): Pick<LoadedFeed, 'events' | 'next'> {
  if (before === undefined) return { events: uniqueById(first), next };
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
