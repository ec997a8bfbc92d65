import { randomInt } from 'node:crypto';
import { DEFAULT_STORAGE, type GitCore } from './repositories.ts';
import { storedWeights, writeWeights } from './storageStore.ts';

/** Largest weight of a storage, which is also the one of the default storage until weights are set. */
export const MAX_WEIGHT = 100;

type Storages = Pick<GitCore, 'store' | 'repositories'>;

/** Returns the weights of the storages by name. Until weights are set, only the default storage has one. */
export function storageWeights({ store, repositories }: Storages): Readonly<Record<string, number>> {
  const stored = storedWeights(store);
  const weights = stored.size === 0 ? new Map([[DEFAULT_STORAGE, MAX_WEIGHT]]) : stored;
  return Object.fromEntries(repositories.storages.map((name) => [name, weights.get(name) ?? 0]));
}

/** Replaces the weights of all storages. A storage that is not named gets the weight 0. */
export function setStorageWeights({ store, repositories }: Storages, weights: ReadonlyMap<string, number>): void {
  writeWeights(store, new Map(repositories.storages.map((name) => [name, weights.get(name) ?? 0])));
}

/** Chooses the storage of a new repository by the weights. Without any weight it is the default storage. */
export function pickStorage(core: Storages): string {
  if (core.repositories.storages.length === 1) return DEFAULT_STORAGE;
  const weights = Object.entries(storageWeights(core));
  const total = weights.reduce((sum, [, weight]) => sum + weight, 0);
  if (total === 0) return DEFAULT_STORAGE;
  let rest = randomInt(total);
  for (const [name, weight] of weights) {
    if (rest < weight) return name;
    rest -= weight;
  }
  return DEFAULT_STORAGE;
}
