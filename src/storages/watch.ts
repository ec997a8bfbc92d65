import type { Client } from '../api/client.ts';
import type { OwnerKind } from '../contract/storageMoves.ts';
import { movesOf } from './model.ts';
import { countOwners, firstProjects, type LocalStorages, loadMoves, newestMoves, type OwnerCounts } from './requests.ts';

/** Progress of the moves of everything on a storage. */
export interface MoveProgress {
  /** Numbers of owners whose repository has moved, by kind. */
  readonly done: ReadonlyMap<OwnerKind, number>;
  readonly failed: number;
  readonly running: number;
}

export interface WatchSettings {
  readonly client: Client;
  readonly local: LocalStorages;
  readonly storage: string;
  /** Ids of the newest moves before the moves were scheduled, by kind; 0 if there was none. */
  readonly after: ReadonlyMap<OwnerKind, number>;
  /** Numbers of owners on the storage before the moves, by scheduled kind. */
  readonly expected: OwnerCounts;
  readonly onProgress: (progress: MoveProgress) => void;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Milliseconds between two requests. */
const INTERVAL = 1_500;

/** Number of looks without a running or new move after which moves have ended that cannot be counted in another way. */
const QUIET_LOOKS = 4;

/**
 * Resolves once all moves have ended. The instance creates them in the background and skips owners that are moving already or have been
 * deleted, so the number of moves alone does not tell the end. Rejects with the reason of the signal if it is aborted.
 */
export async function watchMoves(settings: WatchSettings): Promise<MoveProgress> {
  const { client, local, storage, onProgress, sleep, signal } = settings;
  let quiet = 0;
  let seen = 0;
  for (;;) {
    const { lists, progress, ended } = await readMoves(settings);
    onProgress(progress);
    if (progress.running === 0) {
      quiet = ended === seen ? quiet + 1 : 0;
      seen = ended;
      const open = lists.filter(({ count, done, failed }) => count === undefined || done + failed < count);
      const kinds = open.map(({ kind }) => kind);
      const left = kinds.length === 0 ? undefined : await countOwners(client, local, storage, kinds, signal);
      const haveEnded = open.every(({ kind, failed }) => {
        const remaining = left?.get(kind);
        return remaining === undefined ? quiet >= QUIET_LOOKS : remaining <= failed;
      });
      if (haveEnded) {
        if (left === undefined) return progress;
        // Moves may have been created and ended between the request of the moves and that of the owners.
        const latest = await readMoves(settings);
        onProgress(latest.progress);
        return latest.progress;
      }
    }
    await sleep(INTERVAL, signal);
    signal.throwIfAborted();
  }
}

/** Returns the moves so far: by kind, in all, and the number of those that have ended. */
async function readMoves({ client, storage, after, expected, signal }: WatchSettings) {
  const lists = await Promise.all(
    [...expected].map(async ([kind, count]) => {
      const moves = movesOf(storage, await loadMoves(client, kind, after.get(kind) ?? 0, signal));
      return { kind, count, done: moves.done.length, failed: moves.failed.length, running: moves.running.length };
    }),
  );
  const sum = (member: 'done' | 'failed' | 'running'): number => lists.reduce((total, list) => total + list[member], 0);
  const progress: MoveProgress = {
    done: new Map(lists.map(({ kind, done }) => [kind, done])),
    failed: sum('failed'),
    running: sum('running'),
  };
  return { lists, progress, ended: progress.failed + sum('done') };
}

/** Contents of a storage that remain before it is empty. */
export interface StorageCheck {
  readonly remaining: OwnerCounts;
  /** Paths of some of the remaining projects. */
  readonly projects: readonly string[];
  readonly running: number;
  readonly failed: number;
}

/** Checks whether everything has left a storage: nothing is listed there, and its recent moves have finished. */
export async function checkStorage(client: Client, local: LocalStorages, storage: string): Promise<StorageCheck> {
  const kinds = [...(await newestMoves(client)).keys()];
  const [remaining, projects, ...lists] = await Promise.all([
    countOwners(client, local, storage, kinds),
    firstProjects(client, storage),
    ...kinds.map((kind) => loadMoves(client, kind)),
  ]);
  const { running, failed } = movesOf(storage, lists.flat());
  return { remaining, projects, running: running.length, failed: failed.length };
}
