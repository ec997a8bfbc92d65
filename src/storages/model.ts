import type { Event } from 'vscode';
import { hasFailed, isRunning, type StorageMove } from '../contract/storageMoves.ts';
import { createEmitter } from '../support/emitter.ts';
import type { Storage } from './requests.ts';

/** Source of storages and moves: one account of an instance. */
export interface StorageSource {
  readonly key: string;
  readonly storages: () => Promise<readonly Storage[]>;
  /** Returns the newest moves, newest first. */
  readonly moves: () => Promise<readonly StorageMove[]>;
}

export type StorageListState =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'ready';
      readonly storages: readonly Storage[];
      readonly moves: readonly StorageMove[];
      /** Failure of the latest request. */
      readonly problem?: unknown;
    }
  | { readonly kind: 'failed'; readonly problem: unknown };

export interface StorageList {
  readonly state: () => StorageListState;
  readonly onDidChange: Event<void>;
  /** Sets the source, or none. Loaded data of another source is discarded. */
  readonly setSource: (source: StorageSource | undefined) => void;
  /** Loads storages and moves. Resolves to true on success. */
  readonly refresh: () => Promise<boolean>;
}

export function createStorageList(): StorageList {
  const changes = createEmitter<void>();
  let source: StorageSource | undefined;
  let state: StorageListState = { kind: 'idle' };
  let requests = 0;
  let latest = 0;

  function setState(next: StorageListState): void {
    state = next;
    changes.fire();
  }

  return {
    state: () => state,
    onDidChange: changes.event,
    setSource: (next) => {
      const isSame = next?.key === source?.key;
      source = next;
      if (!isSame) setState({ kind: 'idle' });
    },
    refresh: async () => {
      const from = source;
      if (from === undefined) return true;
      requests += 1;
      const request = requests;
      // An overtaken response is older than the shown one.
      const isLatest = (): boolean => from.key === source?.key && request > latest;
      try {
        const [storages, moves] = await Promise.all([from.storages(), from.moves()]);
        if (isLatest()) {
          latest = request;
          setState({ kind: 'ready', storages, moves });
        }
        return true;
      } catch (problem) {
        if (isLatest()) setState(state.kind === 'ready' ? { ...state, problem } : { kind: 'failed', problem });
        return false;
      }
    },
  };
}

/** Moves away from a storage, without those of owners that have a newer move. Newest first. */
export interface MovesOfStorage {
  readonly running: readonly StorageMove[];
  readonly failed: readonly StorageMove[];
  readonly done: readonly StorageMove[];
}

/** Returns the moves away from a storage. `moves` are all moves; those of an owner are listed newest first. */
export function movesOf(storage: string, moves: readonly StorageMove[]): MovesOfStorage {
  const seen = new Set<string>();
  const newest = moves.filter(({ owner }) => {
    const key = `${owner.kind}/${owner.id}`;
    return !seen.has(key) && seen.add(key).size > 0;
  });
  const away = newest.filter((move) => move.source_storage_name === storage);
  return {
    running: away.filter(isRunning),
    failed: away.filter(hasFailed),
    done: away.filter((move) => !isRunning(move) && !hasFailed(move)),
  };
}
