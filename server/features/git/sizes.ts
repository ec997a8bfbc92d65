import type { GitCore } from '../../repositories/repositories.ts';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { projectQueue } from './open.ts';
import { unmeasuredRepositories, writeSize } from './store.ts';

/** Measures those repositories of a namespace and its subgroups that have changed since they were last measured. */
export async function measureRepositories({ store, repositories }: GitCore, namespaceId: number): Promise<void> {
  for (const repository of unmeasuredRepositories(store, namespaceId)) {
    // Pushes wait, so that the size belongs to the refs.
    await repositories.exclusively(projectQueue(repository.project_id), async () => {
      writeSize(store, repository.project_id, await sizeOfFolder(repositories.folderOf(repository)));
    });
  }
}

/** Returns the size of all files of a folder, in bytes, without those that disappear meanwhile. */
export async function sizeOfFolder(folder: string): Promise<number> {
  let size = 0;
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) size += await sizeOfFolder(file);
    else if (entry.isFile()) size += (await stat(file).catch(() => undefined))?.size ?? 0;
  }
  return size;
}
