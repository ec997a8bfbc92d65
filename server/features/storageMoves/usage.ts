import type { GitCore } from '../../repositories/repositories.ts';
import { MINUTE } from '../../core/clock.ts';
import { DEFAULT_STORAGE } from '../../repositories/repositories.ts';
import { sizeOfFolder } from '../../repositories/folderSize.ts';
import { storageWeights } from '../../repositories/storages.ts';
import type { Core } from '../../core/core.ts';
import { countContainers, countStates, type MoveState } from './store.ts';

export interface StorageUsage {
  readonly name: string;
  readonly default: boolean;
  readonly weight: number;
  readonly projects: number;
  readonly snippets: number;
  readonly groups: number;
  /** Size of all files. */
  readonly bytes: number;
  /** Number of moves away from the storage by state. */
  readonly moves: Readonly<Record<MoveState, number>>;
}

/** The size of a storage, the system time when it was computed, and the number of moves that had ended by then. */
interface CachedSize {
  readonly at: number;
  readonly ended: number;
  readonly bytes: Promise<number>;
}

/** Sizes of storages, which take long to compute. */
const sizes = new WeakMap<Core, Map<string, CachedSize>>();

/** Returns what each storage contains. */
export function storageUsage(core: GitCore): Promise<StorageUsage[]> {
  const { store, repositories } = core;
  const weights = storageWeights(core);
  const states = countStates(store);
  const ended = states.reduce((sum, { state, n }) => sum + (endStates.has(state) ? n : 0), 0);
  return Promise.all(
    repositories.storages.map(async (name): Promise<StorageUsage> => {
      const countOf = (state: MoveState): number => states.find((one) => one.storage === name && one.state === state)?.n ?? 0;
      return {
        name,
        default: name === DEFAULT_STORAGE,
        weight: weights[name] ?? 0,
        projects: countContainers(store, 'project', name),
        snippets: countContainers(store, 'snippet', name),
        groups: countContainers(store, 'group', name),
        moves: {
          initial: countOf('initial'),
          scheduled: countOf('scheduled'),
          started: countOf('started'),
          replicated: countOf('replicated'),
          finished: countOf('finished'),
          failed: countOf('failed'),
          'cleanup failed': countOf('cleanup failed'),
        },
        bytes: await sizeOfStorage(core, name, ended),
      };
    }),
  );
}

/** States in which a move no longer changes what is on a storage. */
const endStates: ReadonlySet<MoveState> = new Set(['finished', 'failed', 'cleanup failed']);

/** Returns the size of a storage, which is computed at most once a minute, and again when a move has ended. */
function sizeOfStorage(core: GitCore, name: string, ended: number): Promise<number> {
  const known = sizes.get(core) ?? new Map<string, CachedSize>();
  sizes.set(core, known);
  const now = core.clock.systemNow();
  const cached = known.get(name);
  if (cached !== undefined && cached.ended === ended && now - cached.at < MINUTE) return cached.bytes;
  const bytes = sizeOfFolder(core.repositories.rootOf(name));
  known.set(name, { at: now, ended, bytes });
  return bytes;
}
