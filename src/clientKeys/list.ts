import type { Event } from 'vscode';
import { type ApiFailure, failureOfAny } from '../api/failures.ts';
import type { ClientKey } from '../contract/clientKeys.ts';
import { createEmitter } from '../support/emitter.ts';

/** The keys of one project as one account sees them. */
export interface ClientKeySource {
  /** Tells one list from another; the same key is the same list. */
  readonly key: string;
  /** Rejects with an `ApiFailure`. */
  readonly read: (signal: AbortSignal) => Promise<readonly ClientKey[]>;
}

export type ClientKeysState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly failure: ApiFailure }
  | { readonly kind: 'ready'; readonly keys: readonly ClientKey[] };

/** The client keys of a project, which are asked for only when somebody opens them. */
export interface ClientKeyList {
  /** Undefined before somebody has opened them. */
  readonly state: () => ClientKeysState | undefined;
  readonly onDidChange: Event<void>;
  /** Another list from now on; the same key changes nothing that is shown. */
  readonly setSource: (source: ClientKeySource | undefined) => void;
  /** Somebody looks: the keys are loaded unless they are there. */
  readonly open: () => void;
  /** Loads keys that somebody has opened again. Never rejects. */
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
    const from = source;
    if (from === undefined) return;
    // Of two answers, the one that was asked for later knows more.
    abort.abort();
    abort = new AbortController();
    const { signal } = abort;
    // Keys that are shown stay until there are newer ones.
    if (state?.kind !== 'ready') setState({ kind: 'loading' });
    const next = await Promise.resolve()
      .then(() => from.read(signal))
      .then((keys): ClientKeysState => ({ kind: 'ready', keys }))
      .catch((error: unknown): ClientKeysState => ({ kind: 'failed', failure: failureOfAny(error) }));
    if (!signal.aborted) setState(next);
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
