import type { Event } from 'vscode';
import type { Page } from '../api/client.ts';
import { type ApiFailure, failureOfAny } from '../api/failures.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import { createEmitter } from '../support/emitter.ts';

/** A good answer as it can be kept for later. */
export interface SuccessResponse {
  /** When it came, in milliseconds since the epoch. */
  readonly at: number;
  /** Newest first. */
  readonly events: readonly ActivityEvent[];
  /** Link to the page after the last event; absent on the last page, or when the end was cut off. */
  readonly next: string | undefined;
}

/** A kept answer, of which the first events come at once and the others when they are needed. */
export interface CachedResponse extends SuccessResponse {
  /** Reads every event, the first ones included. Never rejects. */
  readonly all: () => Promise<readonly ActivityEvent[]>;
}

/** Where the events of a feed come from: one list of one account on one instance. */
export interface FeedSource {
  /** Tells one source from another; the same key is the same list. */
  readonly key: string;
  readonly first: (signal: AbortSignal) => Promise<Page<ActivityEvent>>;
  readonly follow: (link: string, signal: AbortSignal) => Promise<Page<ActivityEvent>>;
  /** The last good answer, to be shown until a newer one comes. Never rejects. */
  readonly cached?: () => Promise<CachedResponse | undefined>;
  /** Told of every good answer. */
  readonly keep?: (response: SuccessResponse) => void;
}

export type FeedState =
  /** No source, or nobody has looked yet. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | {
      readonly kind: 'ready';
      /** Newest first, each once. */
      readonly events: readonly ActivityEvent[];
      /** Link to the page after the last one loaded. */
      readonly next: string | undefined;
      /** When the events came, in milliseconds since the epoch. */
      readonly at: number;
      /** They are of an earlier time, and no answer has come since. */
      readonly isCached: boolean;
      /** Why the last refresh or further page failed; the events are older then. */
      readonly problem: ApiFailure | undefined;
    };

export interface Feed {
  readonly state: () => FeedState;
  readonly sourceKey: () => string | undefined;
  readonly onDidChange: Event<void>;
  /** Another list from now on; nothing is loaded before somebody looks. The same key changes nothing that is shown. */
  readonly setSource: (source: FeedSource | undefined) => void;
  /** Loads the first page when nobody has yet. */
  readonly ensureLoaded: () => Promise<void>;
  /** Loads the first page again. Further pages stay when the new one reaches them. */
  readonly refresh: () => Promise<void>;
  readonly loadMore: () => Promise<void>;
  /** Shows the kept answer where nothing is shown yet, without asking the instance. Undefined when there is nothing to wait for. */
  readonly showCached: () => Promise<void> | undefined;
}

const nothing = async (): Promise<void> => undefined;

/**
 * One activity list. Every call is single: asked twice at once, it loads once. `painted` is called before kept events are shown, and awaited
 * before newer ones are requested, because preparing that would hold up the painting of the kept ones.
 */
export function createFeed(now: () => number, painted: () => Promise<void> = nothing): Feed {
  const changes = createEmitter<void>();
  let state: FeedState = { kind: 'idle' };
  let source: FeedSource | undefined;
  let abort = new AbortController();
  let running: { readonly of: 'first' | 'more'; readonly done: Promise<void> } | undefined;
  /** Reads the rest of a kept answer, once; settles when it is there, or at once when there is none. */
  let fill: () => Promise<void> = nothing;
  let readingCached: Promise<void> | undefined;
  let cachedPainted: Promise<void> | undefined;

  function setState(next: FeedState): void {
    state = next;
    changes.fire();
  }

  function run(of: 'first' | 'more', load: (from: FeedSource, signal: AbortSignal) => Promise<FeedState>): Promise<void> {
    if (running?.of === of) return running.done;
    const from = source;
    if (from === undefined) return Promise.resolve();
    const { signal } = abort;
    const done = load(from, signal)
      .catch((error: unknown): FeedState => {
        const failure = failureOfAny(error);
        // What is shown stays.
        return state.kind === 'ready' ? { ...state, problem: failure } : { kind: 'failed', failure };
      })
      .then((next) => {
        if (signal.aborted) return;
        running = undefined;
        setState(next);
        if (next.kind === 'ready' && next.problem === undefined) from.keep?.(next);
      });
    running = { of, done };
    return done;
  }

  function showCached(): Promise<void> | undefined {
    const read = source?.cached;
    if (read === undefined || (state.kind !== 'idle' && state.kind !== 'loading')) return undefined;
    if (readingCached !== undefined) return readingCached;
    const { signal } = abort;
    const reading = readCached(read, signal).finally(() => {
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

  /** Thousands of kept events are read after it, so that nothing holds up the painting of the first ones. */
  async function firstPage(from: FeedSource, signal: AbortSignal): Promise<Page<ActivityEvent>> {
    try {
      return await from.first(signal);
    } finally {
      await fill();
    }
  }

  function refresh(): Promise<void> {
    const isFirst = source !== undefined && state.kind !== 'ready';
    const done = run('first', async (from, signal) => {
      const reading = showCached();
      if (reading !== undefined) await reading;
      if (cachedPainted !== undefined) await cachedPainted;
      signal.throwIfAborted();
      const { items, next } = await firstPage(from, signal);
      return { kind: 'ready', ...joined(items, next, state), at: now(), isCached: false, problem: undefined };
    });
    if (isFirst && state.kind !== 'loading') setState({ kind: 'loading' });
    return done;
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
        const events = unique([...before.events, ...page.items]);
        return { kind: 'ready', events, next: page.next, at: before.at, isCached: before.isCached, problem: undefined };
      });
    },
  };
}

/**
 * The new first page in front of what is shown. When both meet, the further pages and the way on stay; when more happened in between
 * than one page holds, there would be a hole, so only the new page is kept.
 */
function joined(
  first: readonly ActivityEvent[],
  next: string | undefined,
  before: FeedState,
): Pick<FeedState & { kind: 'ready' }, 'events' | 'next'> {
  if (before.kind !== 'ready') return { events: unique(first), next };
  // A kept answer without a way on may have been cut.
  if (before.isCached && before.next === undefined) return { events: unique(first), next };
  const ids = new Set(first.map(({ id }) => id));
  const last = first.at(-1);
  const meeting = last === undefined ? -1 : before.events.findIndex(({ id }) => id === last.id);
  if (meeting === -1) return { events: unique(first), next };
  const older = before.events.slice(meeting + 1).filter(({ id }) => !ids.has(id));
  return older.length === 0 ? { events: unique(first), next } : { events: unique([...first, ...older]), next: before.next };
}

/** Pages by number shift when something new happens, so the same event can come twice. */
function unique(events: readonly ActivityEvent[]): readonly ActivityEvent[] {
  return [...new Map(events.map((event) => [event.id, event])).values()];
}
