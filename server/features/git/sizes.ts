import type { GitCore } from '../../repositories/repositories.ts';
import { sizeOfFolder } from '../../repositories/folderSize.ts';
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
