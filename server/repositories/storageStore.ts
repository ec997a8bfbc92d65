import type { Store } from '../store/open.ts';

/** Returns the weights of storages by name; none until they are set. */
export function storedWeights(store: Store): Map<string, number> {
  const rows = store.all<{ storage: string; weight: number }>('SELECT storage, weight FROM repository_storage_weights');
  return new Map(rows.map(({ storage, weight }) => [storage, weight]));
}

/** Replaces all weights of storages. */
export function writeWeights(store: Store, weights: ReadonlyMap<string, number>): void {
  store.transaction(() => {
    store.run('DELETE FROM repository_storage_weights');
    for (const [storage, weight] of weights)
      store.run('INSERT INTO repository_storage_weights (storage, weight) VALUES ($storage, $weight)', { storage, weight });
  });
}
