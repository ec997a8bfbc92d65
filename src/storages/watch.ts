import type { Client } from '../api/client.ts';
import { movesOf } from './model.ts';
import { loadMoves, loadRemaining, type Remaining } from './requests.ts';

/** Progress of the moves of all projects of a storage. */
export interface MoveProgress {
  readonly done: number;
  readonly failed: number;
  readonly running: number;
}

export interface WatchSettings {
  readonly client: Client;
  readonly storage: string;
  /** Id of the newest move before the moves were scheduled; 0 if there was none. */
  readonly after: number;
  /** Number of projects that the storage had. */
  readonly expected: number;
  readonly onProgress: (progress: MoveProgress) => void;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Milliseconds between two requests. */
const INTERVAL = 1_500;

/**
 * Resolves once all moves have ended. The instance creates them in the background and skips projects that are moving already or have been
 * deleted, so the number of moves alone does not tell the end. Rejects with the reason of the signal if it is aborted.
 */
export async function watchMoves(settings: WatchSettings): Promise<MoveProgress> {
  const { client, storage, after, expected, onProgress, sleep, signal } = settings;
  for (;;) {
    const moves = movesOf(storage, await loadMoves(client, after, signal));
    const progress = { done: moves.done.length, failed: moves.failed.length, running: moves.running.length };
    onProgress(progress);
    const ended = progress.done + progress.failed;
    if (progress.running === 0) {
      if (ended >= expected) return progress;
      const { count } = await loadRemaining(client, storage, signal);
      if (count !== undefined && count <= progress.failed) return progress;
    }
    await sleep(INTERVAL, signal);
    signal.throwIfAborted();
  }
}

/** The projects and moves that remain before a storage is empty. */
export interface StorageCheck {
  readonly remaining: Remaining;
  readonly running: number;
  readonly failed: number;
}

/** Checks whether all projects have left a storage: none is listed there, and its recent moves have finished. */
export async function checkStorage(client: Client, storage: string): Promise<StorageCheck> {
  const [remaining, moves] = await Promise.all([loadRemaining(client, storage), loadMoves(client)]);
  const { running, failed } = movesOf(storage, moves);
  return { remaining, running: running.length, failed: failed.length };
}
