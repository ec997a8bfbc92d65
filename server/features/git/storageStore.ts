import type { Store } from '../../store/open.ts';

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

/** Returns the names of the storages that containers are on. */
export function namesInUse(store: Store): string[] {
  return store
    .all<{ storage: string }>(
      `SELECT DISTINCT repository_storage AS storage FROM projects UNION SELECT DISTINCT storage FROM single_repositories
       UNION SELECT DISTINCT repository_storage FROM namespaces WHERE kind = 'group'
       UNION SELECT destination_storage FROM repository_storage_moves WHERE due_at IS NOT NULL
       UNION SELECT source_storage FROM repository_storage_moves WHERE due_at IS NOT NULL ORDER BY 1`,
    )
    .map(({ storage }) => storage);
}
