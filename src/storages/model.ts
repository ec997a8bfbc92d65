import { hasFailed, isRunning, type StorageMove } from '../contract/storageMoves.ts';
import { createReloadedList, type ReloadedList, type ReloadedState } from '../support/reloadedList.ts';
import type { Storage } from './requests.ts';

/** Source of storages and moves: one account of an instance. */
export interface StorageSource {
  readonly key: string;
  readonly storages: () => Promise<readonly Storage[]>;
  /** Returns the newest moves, newest first. */
  readonly moves: () => Promise<readonly StorageMove[]>;
}

export type StorageListState = ReloadedState<{
  readonly storages: readonly Storage[];
  readonly moves: readonly StorageMove[];
}>;

export type StorageList = ReloadedList<StorageSource, StorageListState>;

/** Creates the list of storages with their moves. */
export function createStorageList(): StorageList {
  return createReloadedList({
    load: async (source: StorageSource): Promise<StorageListState> => {
      const [storages, moves] = await Promise.all([source.storages(), source.moves()]);
      return { kind: 'ready', storages, moves };
    },
  });
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
