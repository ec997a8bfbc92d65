import type { Event } from 'vscode';
import { type ApiFailure, failureOfAny } from '../api/failures.ts';
import { createEmitter } from '../support/emitter.ts';
import type { ListedKey } from './model.ts';

/** Client keys of a project, as seen by an account. */
export interface ClientKeySource {
  /** Identifies the list. */
  readonly key: string;
  /** Rejects with an `ApiFailure`. */
  readonly read: (signal: AbortSignal) => Promise<readonly ListedKey[]>;
}

export type ClientKeysState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | { readonly kind: 'ready'; readonly keys: readonly ListedKey[] };

/** Client keys of a project. They are not loaded before the user expands their row. */
export interface ClientKeyList {
  /** Returns undefined before the first call of `open`. */
  readonly state: () => ClientKeysState | undefined;
  readonly onDidChange: Event<void>;
  /** Sets the source. If its key is different, the list is cleared. */
  readonly setSource: (source: ClientKeySource | undefined) => void;
  /** Loads the keys unless they have been loaded. */
  readonly open: () => void;
  /** Loads the keys again if they have been opened. Never rejects. */
  readonly refresh: () => Promise<void>;
}

export function createClientKeyList(): ClientKeyList {
  const changes = createEmitter<void>();
  let source: ClientKeySource | undefined;
  let state: ClientKeysState | undefined;
  let abort = new AbortController();

  function setState(next: ClientKeysState | undefined): void {
    state = next;
    changes.fire();
  }

  async function load(): Promise<void> {
    const loading = source;
    if (loading === undefined) return;
    // The later of two requests has the newer response.
    abort.abort();
    abort = new AbortController();
    const { signal } = abort;
    // Keep showing the old keys while loading.
    if (state?.kind !== 'ready') setState({ kind: 'loading' });
    const next = await Promise.resolve()
      .then(() => loading.read(signal))
      .then((keys): ClientKeysState => ({ kind: 'ready', keys }))
      .catch((error: unknown): ClientKeysState => ({ kind: 'failed', failure: failureOfAny(error) }));
    // The keys that an ended session has loaded stay. The text above the rows says that it has ended.
    const stays = state?.kind === 'ready' && next.kind === 'failed' && next.failure.kind === 'signedOut';
    if (!signal.aborted && !stays) setState(next);
  }

  return {
    state: () => state,
    onDidChange: changes.event,
    setSource: (next) => {
      const isSame = next?.key === source?.key;
      source = next;
      if (isSame) return;
      abort.abort();
      setState(undefined);
    },
    open: () => {
      if (state === undefined) void load();
    },
    refresh: async () => {
      if (state !== undefined) await load();
    },
  };
}
