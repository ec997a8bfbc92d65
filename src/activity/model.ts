import type { Event } from 'vscode';
import type { Page } from '../api/client.ts';
import { ApiFailure, failureOfError } from '../api/failures.ts';
import type { ActivityEvent } from '../contract/activity.ts';
import { createEmitter } from '../support/emitter.ts';
import { wordsOf } from '../support/log.ts';

/** Where the events of a feed come from: one list of one account on one instance. */
export interface FeedSource {
  /** Tells one source from another; the same key is the same list. */
  readonly key: string;
  readonly first: (signal: AbortSignal) => Promise<Page<ActivityEvent>>;
  readonly follow: (link: string, signal: AbortSignal) => Promise<Page<ActivityEvent>>;
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
  /** When the shown events were loaded, by the clock given to the feed. */
  readonly loadedAt: () => number | undefined;
}

/** One activity list. Every call is single: asked twice at once, it loads once. */
export function createFeed(now: () => number): Feed {
  const changes = createEmitter<void>();
  let state: FeedState = { kind: 'idle' };
  let source: FeedSource | undefined;
  let loadedAt: number | undefined;
  let abort = new AbortController();
  let running: { readonly of: 'first' | 'more'; readonly done: Promise<void> } | undefined;

  function become(next: FeedState): void {
    state = next;
    changes.fire();
  }

  function run(of: 'first' | 'more', load: (from: FeedSource, signal: AbortSignal) => Promise<FeedState>): Promise<void> {
    if (running?.of === of) return running.done;
    if (source === undefined) return Promise.resolve();
    const { signal } = abort;
    const done = load(source, signal)
      .catch((error: unknown): FeedState => {
        const failure = failureOfError(error) ?? new ApiFailure('unintelligible', wordsOf(error), { cause: error });
        // What is shown stays.
        return state.kind === 'ready' ? { ...state, problem: failure } : { kind: 'failed', failure };
      })
      .then((next) => {
        if (signal.aborted) return;
        running = undefined;
        if (of === 'first' && next.kind === 'ready' && next.problem === undefined) loadedAt = now();
        become(next);
      });
    running = { of, done };
    return done;
  }

  function refresh(): Promise<void> {
    const done = run('first', async (from, signal) => {
      const { items, next } = await from.first(signal);
      return { kind: 'ready', ...joined(items, next, state), problem: undefined };
    });
    if (source !== undefined && (state.kind === 'idle' || state.kind === 'failed')) become({ kind: 'loading' });
    return done;
  }

  return {
    state: () => state,
    sourceKey: () => source?.key,
    onDidChange: changes.event,
    loadedAt: () => loadedAt,
    setSource: (next) => {
      const isSame = next !== undefined && next.key === source?.key;
      source = next;
      if (isSame) return;
      abort.abort();
      abort = new AbortController();
      running = undefined;
      loadedAt = undefined;
      become({ kind: 'idle' });
    },
    ensureLoaded: async () => {
      if (state.kind === 'idle') await refresh();
    },
    refresh,
    loadMore: async () => {
      if (state.kind !== 'ready' || state.next === undefined) return;
      const { next: link } = state;
      await run('more', async (from, signal) => {
        const page = await from.follow(link, signal);
        const shown = state.kind === 'ready' ? state.events : [];
        return { kind: 'ready', events: unique([...shown, ...page.items]), next: page.next, problem: undefined };
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
