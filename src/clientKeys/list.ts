import type { Event } from 'vscode';
import { type ApiFailure, failureOfAny } from '../api/failures.ts';
import type { ClientKeyUse } from '../contract/clientKeyUse.ts';
import { createEmitter } from '../support/emitter.ts';
import type { ListedKey } from './model.ts';

/** Client keys of a project, as seen by an account. */
export interface ClientKeySource {
  /** Identifies the list. */
  readonly key: string;
  /** Rejects with an `ApiFailure`. */
  readonly read: (signal: AbortSignal) => Promise<readonly ListedKey[]>;
  /** Resolves to undefined if the key does not exist. Rejects with an `ApiFailure`. */
  readonly readUse: (keyId: number, signal: AbortSignal) => Promise<ClientKeyUse | undefined>;
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
  /** Sets whether the rows of the keys are visible. What became outdated meanwhile is loaded. */
  readonly watch: (isShown: boolean) => void;
  /** Marks a key as outdated, or all of them. It is loaded once it is visible. Never rejects. */
  readonly expire: (keyId?: number) => Promise<void>;
}

export function createClientKeyList(): ClientKeyList {
  const changes = createEmitter<void>();
  let source: ClientKeySource | undefined;
  let state: ClientKeysState | undefined;
  let abort = new AbortController();
  let isWatched = false;
  /** IDs of outdated keys; undefined stands for all keys. */
  let outdated = new Set<number | undefined>();
  let isLoadingOutdated = false;

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
    outdated = new Set();
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

  async function loadUse(from: ClientKeySource, keyId: number): Promise<void> {
    const { signal } = abort;
    const use = await Promise.resolve()
      .then(() => from.readUse(keyId, signal))
      .catch(() => 'failed' as const);
    if (signal.aborted || state?.kind !== 'ready') return;
    // The key was deleted.
    if (use === undefined) await load();
    else if (use !== 'failed')
      setState({ kind: 'ready', keys: state.keys.map((key) => (key.id === keyId ? { ...key, use } : key)) });
  }

  /** Returns what loads an outdated key, or undefined if there is none or the rows are hidden. */
  function nextOutdated(): (() => Promise<void>) | undefined {
    const from = source;
    if (!isWatched || from === undefined || state === undefined || outdated.size === 0) return undefined;
    const [keyId] = outdated;
    outdated.delete(keyId);
    const isKnown = state.kind === 'ready' && state.keys.some(({ id }) => id === keyId);
    return keyId === undefined || !isKnown ? load : () => loadUse(from, keyId);
  }

  /** Loads what is outdated, one request after another. */
  async function loadOutdated(): Promise<void> {
    if (isLoadingOutdated) return;
    isLoadingOutdated = true;
    for (let next = nextOutdated(); next !== undefined; next = nextOutdated()) await next();
    isLoadingOutdated = false;
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
    watch: (isShown) => {
      isWatched = isShown;
      void loadOutdated();
    },
    expire: (keyId) => {
      if (state !== undefined) outdated.add(keyId);
      return loadOutdated();
    },
  };
}
