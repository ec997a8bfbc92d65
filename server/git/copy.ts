import path from 'node:path';
import type { Platform } from '../platform.ts';
import type { Project } from '../projects/projects.ts';
import { openRepository } from './git.ts';
import { readmeAmong } from './names.ts';
import { rootFiles } from './objects.ts';
import { allRefs, insertRepository, type RefRow, writeReadme, writeRef } from './store.ts';

/** The objects of a repository in a folder of their own, which no project has yet. */
export interface RepositoryCopy {
  readonly folder: string;
  readonly refs: readonly RefRow[];
  readonly readme: string | undefined;
}

/** Whether the repository of a project has this branch. */
export function hasBranch(platform: Platform, projectId: number, branch: string): boolean {
  return allRefs(platform.store, projectId).some(({ kind, name }) => kind === 'branch' && name === branch);
}

/**
 * Copies what the branches and tags of a project reach, or one branch alone. Undefined when nothing was written to it yet. Whoever calls
 * gives the copy to a project or discards it. Throws 503 where there is no git and something to copy.
 */
export async function copyRepository(
  platform: Platform,
  project: Project,
  branch: string | undefined,
): Promise<RepositoryCopy | undefined> {
  const { repositories, store } = platform;
  // As they are now: what they point to is there, and nothing takes it away.
  const refs = allRefs(store, project.id).filter(
    ({ kind, name }) => branch === undefined || (kind === 'branch' && name === branch),
  );
  if (refs.length === 0) return undefined;
  const repository = await openRepository(platform, project);
  if (repository === undefined) return undefined;
  const folder = repositories.newName();
  const defaultBranch = branch ?? project.default_branch;
  repositories.create(folder, defaultBranch);
  try {
    const pack = path.join(repositories.folderOf(folder), 'objects', 'pack', 'pack');
    await repository.git.run(repository.folder, ['pack-objects', '-q', '--revs', '--delta-base-offset', pack], {
      input: refs.map(({ target }) => `${target}\n`).join(''),
    });
    const head = refs.find(({ kind, name }) => kind === 'branch' && name === defaultBranch);
    const readme = head === undefined ? undefined : readmeAmong(await rootFiles(repository, head.commit_id));
    return { folder, refs, readme };
  } catch (error) {
    repositories.discard(folder);
    throw error;
  }
}

/** A copy whose objects were written ahead: it has the branches and tags that a project has by now. Undefined while that has none. */
export function preparedCopy(
  { store }: Platform,
  { id, readme_path: readme }: Pick<Project, 'id' | 'readme_path'>,
  { folder }: Pick<RepositoryCopy, 'folder'>,
): RepositoryCopy | undefined {
  const refs = allRefs(store, id);
  return refs.length === 0 ? undefined : { folder, refs, readme: readme ?? undefined };
}

/** Makes a copy the repository of a new project, in the transaction that makes the project. */
export function adoptCopy({ store, clock }: Platform, projectId: number, { folder, refs, readme }: RepositoryCopy): void {
  insertRepository(store, projectId, folder, clock.now());
  for (const ref of refs) writeRef(store, projectId, ref);
  writeReadme(store, projectId, readme ?? null);
}

export function discardCopy({ repositories }: Platform, { folder }: RepositoryCopy): void {
  repositories.discard(folder);
}
