import type { RepositoryLocation } from '../../repositories/repositories.ts';
import type { Store } from '../../store/open.ts';

/** A standalone repository, which belongs to no project. */
export interface SingleRow extends RepositoryLocation {
  /** Newest commit of the branch; null before the first commit. */
  readonly head: string | null;
  /** 1 while the repository is moved to another storage. */
  readonly read_only: 0 | 1;
}

export function singleRepository(store: Store, id: number): SingleRow | undefined {
  return store.get<SingleRow>('SELECT storage, folder, head, read_only FROM single_repositories WHERE id = $id', { id });
}

export function insertSingle(store: Store, { storage, folder }: RepositoryLocation): number {
  return store.run('INSERT INTO single_repositories (storage, folder) VALUES ($storage, $folder)', { storage, folder }).lastId;
}

export function writeReadOnlyOfSingle(store: Store, id: number, readOnly: boolean): void {
  store.run('UPDATE single_repositories SET read_only = $readOnly WHERE id = $id', { id, readOnly: readOnly ? 1 : 0 });
}

export function writeStorageOfSingle(store: Store, id: number, storage: string): void {
  store.run('UPDATE single_repositories SET storage = $storage WHERE id = $id', { id, storage });
}

export function writeHead(store: Store, id: number, head: string): void {
  store.run('UPDATE single_repositories SET head = $head WHERE id = $id', { id, head });
}

export function deleteSingle(store: Store, id: number): void {
  store.run('DELETE FROM single_repositories WHERE id = $id', { id });
}
