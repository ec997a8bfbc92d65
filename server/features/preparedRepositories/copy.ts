import type { GitCore, RepositoryLocation } from '../../repositories/repositories.ts';
import path from 'node:path';
import { protectFirstBranch } from '../protectedRefs/protectedRefs.ts';
import type { Core } from '../../core/core.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import {
  allRefs,
  hasBranches,
  headBranchOf,
  insertRepository,
  openRepository,
  readmeOf,
  type RefRow,
  writeReadme,
  writeRef,
} from '../git/git.ts';
import { readmeAmong } from '../../repositories/names.ts';
import { rootFiles } from '../../repositories/objects.ts';
import { packingSettings, WRITE_TIME } from '../../repositories/program.ts';
import { pickStorage } from '../../repositories/storages.ts';

/** The objects of a repository in a separate folder that belongs to no project yet. */
export interface RepositoryCopy {
  readonly location: RepositoryLocation;
  readonly refs: readonly RefRow[];
  readonly readme: string | undefined;
}

/** Returns true if the repository of the project has the branch. */
export function hasBranch(core: Core, projectId: number, branch: string): boolean {
  return allRefs(core.store, projectId).some(({ kind, name }) => kind === 'branch' && name === branch);
}

/**
 * Copies the objects reachable from the branches and tags of a project, or from one branch. Returns undefined for an empty
 * repository. The caller gives the copy to a project or discards it. Throws `Unavailable` if git is missing and there is something to copy.
 */
export async function copyRepository(
  core: GitCore,
  project: Project,
  branch: string | undefined,
): Promise<RepositoryCopy | undefined> {
  const { repositories, store } = core;
  // The current refs are safe to use: their objects exist and are never removed.
  const refs = allRefs(store, project.id).filter(
    ({ kind, name }) => branch === undefined || (kind === 'branch' && name === branch),
  );
  if (refs.length === 0) return undefined;
  const repository = await openRepository(core, project);
  if (repository === undefined) return undefined;
  const location = { storage: pickStorage(core), folder: repositories.newName() };
  const defaultBranch = branch ?? project.default_branch;
  repositories.create(location, defaultBranch);
  try {
    const pack = path.join(repositories.folderOf(location), 'objects', 'pack', 'pack');
    await repository.git.run(repository.folder, ['pack-objects', '-q', '--revs', '--delta-base-offset', pack], {
      input: refs.map(({ target }) => `${target}\n`).join(''),
      timeLimit: WRITE_TIME,
      settings: packingSettings,
    });
    const head = refs.find(({ kind, name }) => kind === 'branch' && name === defaultBranch);
    const readme = head === undefined ? undefined : readmeAmong(await rootFiles(repository, head.commit_id));
    return { location, refs, readme };
  } catch (error) {
    repositories.discard(location);
    throw error;
  }
}

/**
 * Returns a copy whose objects were prepared earlier, with the current branches and tags of the project. Returns undefined if the
 * project has none.
 */
export function preparedCopy(
  { store }: Core,
  { id }: Pick<Project, 'id'>,
  { location }: Pick<RepositoryCopy, 'location'>,
): RepositoryCopy | undefined {
  const refs = allRefs(store, id);
  return refs.length === 0 ? undefined : { location, refs, readme: readmeOf(store, id) };
}

/** Assigns a copied repository to a new project. Runs in the transaction that creates the project. */
export function adoptCopy(core: Core, projectId: number, { location, refs, readme }: RepositoryCopy): void {
  const { store, clock } = core;
  insertRepository(store, projectId, location, clock.now());
  for (const ref of refs) writeRef(store, projectId, ref);
  if (hasBranches(store, projectId)) protectFirstBranch(core, projectId, headBranchOf(store, projectId));
  writeReadme(store, projectId, readme ?? null);
}

export function discardCopy({ repositories }: GitCore, { location }: RepositoryCopy): void {
  repositories.discard(location);
}
