import type { Event } from 'vscode';
import { createEmitter } from './emitter.ts';

/** State of a list that is loaded as a whole. `Other` are states of a successful request without a list. */
export type ReloadedState<Loaded, Other extends { readonly kind: string } = never> =
  /** No source, or nothing was loaded yet. */
  | { readonly kind: 'idle' }
  | (Loaded & {
      readonly kind: 'ready';
      /** Failure of the latest request; what is loaded is then older. */
      readonly problem?: unknown;
    })
  | Other
  | { readonly kind: 'failed'; readonly problem: unknown };

/** A list that is loaded as a whole, again and again, from a source that can be replaced. */
export interface ReloadedList<Source, State> {
  readonly state: () => State;
  readonly source: () => Source | undefined;
  readonly onDidChange: Event<void>;
  /** Returns the time of the latest success, in milliseconds since the epoch. */
  readonly loadedAt: () => number;
  /** Sets the source, or none. What was loaded from a source with another key is discarded. */
  readonly setSource: (source: Source | undefined) => void;
  /** Loads the list. Resolves to true on success. */
  readonly refresh: () => Promise<boolean>;
}

export interface ReloadedListSettings<Source, State> {
  /** Requests the list. Resolves to its new state. */
  readonly load: (source: Source) => Promise<State>;
  /** Returns what a request depends on besides the source. A response is discarded if it has changed meanwhile. */
  readonly subject?: () => unknown;
}

export function createReloadedList<
  Source extends { readonly key: string },
  Loaded,
  Other extends { readonly kind: string } = never,
>({
  load,
  subject,
}: ReloadedListSettings<Source, ReloadedState<Loaded, Other>>): ReloadedList<Source, ReloadedState<Loaded, Other>> {
  const changes = createEmitter<void>();
  let source: Source | undefined;
  let state: ReloadedState<Loaded, Other> = { kind: 'idle' };
  let requests = 0;
  let latest = 0;
  let loadedAt = 0;

  function setState(next: ReloadedState<Loaded, Other>): void {
    state = next;
    changes.fire();
  }

  async function refresh(): Promise<boolean> {
    const from = source;
    if (from === undefined) return true;
    requests += 1;
    const [request, about] = [requests, subject?.()];
    // An overtaken response is older than the shown one.
    const isLatest = (): boolean => from.key === source?.key && request > latest && about === subject?.();
    try {
      const next = await load(from);
      if (isLatest()) {
        latest = request;
        loadedAt = Date.now();
        setState(next);
      }
      return true;
    } catch (problem) {
      if (isLatest()) setState(state.kind === 'ready' ? { ...state, problem } : { kind: 'failed', problem });
      return false;
    }
  }

  return {
    state: () => state,
    source: () => source,
    onDidChange: changes.event,
    loadedAt: () => loadedAt,
    setSource: (next) => {
      const isSame = next?.key === source?.key;
      source = next;
      if (!isSame) setState({ kind: 'idle' });
    },
    refresh,
  };
}
