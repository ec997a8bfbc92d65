import { notFound, repositoryReadOnly } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import { findUser } from '../users/users.ts';
import { findProject, type FoundProject, type Project } from '../projectAccess/projectAccess.ts';
import { writeProjectStorage } from '../projects/projects.ts';
import { removeQuarantines } from '../../repositories/quarantines.ts';
import { isRefName } from '../../repositories/names.ts';
import type { RepositoryDir } from '../../repositories/objects.ts';
import { WRITE_TIME } from '../../repositories/program.ts';
import type { GitCore, Repositories, RepositoryLocation } from '../../repositories/repositories.ts';
import { allRefs, insertRepository, isReadOnly, locations, type RefKind, type RefRow, repositoryOf, storageOf } from './store.ts';

/** Folders whose refs match the database, or are being updated to. */
const updatesByRepositories = new WeakMap<Repositories, Map<string, Promise<void>>>();

/** Opens the repository of a project. Returns undefined for an empty repository. Throws `Unavailable` without git. */
export async function openRepository(
  core: GitCore,
  project: Pick<Project, 'id' | 'default_branch'>,
): Promise<RepositoryDir | undefined> {
  const { repositories, store } = core;
  await repositories.git.demand();
  let known = updatesByRepositories.get(repositories);
  if (known === undefined) {
    known = new Map();
    updatesByRepositories.set(repositories, known);
    // Snapshots may contain projects that have been deleted since.
    repositories.sweep(locations(store), core.snapshots?.list().length === 0);
  }
  let row = repositoryOf(store, project.id);
  if (row === undefined) return undefined;
  if (!known.has(row.folder)) {
    row = located(core, row, (storage) => writeProjectStorage(store, project.id, storage));
  }
  const repository: RepositoryDir = { git: repositories.git, folder: repositories.folderOf(row) };
  let folderUpdate = known.get(row.folder);
  if (folderUpdate === undefined) {
    // Concurrent callers wait for the same update, because git lets only one process write a ref.
    folderUpdate = (async () => {
      repositories.create(row, headOf(project.default_branch));
      await removeQuarantines(repository);
      await showRefs(repository, allRefs(store, project.id), project.default_branch);
    })();
    known.set(row.folder, folderUpdate);
    folderUpdate.catch(() => known.delete(row.folder));
  }
  await folderUpdate;
  return repository;
}

/**
 * Returns the location of a repository after it has been corrected with `write`, if the folder is on another storage. This is so after a
 * snapshot from before a move was restored, because snapshots do not contain repositories.
 */
export function located<T extends RepositoryLocation>(
  { repositories, log }: GitCore,
  location: T,
  write: (storage: string) => void,
): T {
  const found = repositories.find(location);
  if (found === undefined || found.storage === location.storage) return location;
  write(found.storage);
  log.warn(`the repository ${location.folder} is on the storage ${found.storage}, not on ${location.storage}`);
  return { ...location, storage: found.storage };
}

/** Makes the next opening of the project's folder update its refs from the database. */
export function forgetFolder({ repositories, store }: GitCore, project: Pick<Project, 'id'>): void {
  updatesByRepositories.get(repositories)?.delete(repositoryOf(store, project.id)?.folder ?? '');
  shownByRepositories.get(repositories)?.delete(project.id);
}

/** Commits of the refs of merge requests by the numbers of the merge requests. */
export type ShownHeads = ReadonlyMap<number, string>;

/** Refs of merge requests by the IDs of projects, each with the folder that has them. */
const shownByRepositories = new WeakMap<Repositories, Map<number, { readonly folder: string; readonly heads: ShownHeads }>>();

/** Returns the refs of merge requests that are known to be in a folder; undefined if they have to be read. */
export function knownHeads(
  { repositories }: GitCore,
  project: Pick<Project, 'id'>,
  { folder }: RepositoryDir,
): ShownHeads | undefined {
  const known = shownByRepositories.get(repositories)?.get(project.id);
  return known?.folder === folder ? known.heads : undefined;
}

/** Stores the refs of merge requests of a folder until `forgetFolder`. */
export function rememberHeads(
  { repositories }: GitCore,
  project: Pick<Project, 'id'>,
  { folder }: RepositoryDir,
  heads: ShownHeads,
): void {
  const known = shownByRepositories.get(repositories) ?? new Map<number, { folder: string; heads: ShownHeads }>();
  shownByRepositories.set(repositories, known.set(project.id, { folder, heads }));
}

/** Opens the repository of a project and creates it if necessary. Call only inside `inTurn`. */
export async function ensureRepository(core: GitCore, project: Project): Promise<RepositoryDir> {
  const { repositories, store, clock } = core;
  const repository = await openRepository(core, project);
  if (repository !== undefined) return repository;
  const location = { storage: storageOf(store, project.id), folder: repositories.newName() };
  repositories.create(location, headOf(project.default_branch));
  insertRepository(store, project.id, location, clock.now());
  const made = await openRepository(core, project);
  if (made === undefined) throw notFound('Project');
  return made;
}

/**
 * Runs a change of a repository after all earlier ones, with the current state of the project and the access that the user has then. Throws
 * `Forbidden` while the repository is moved to another storage.
 */
export function inTurn<T>(
  core: GitCore,
  { project }: FoundProject,
  user: User,
  work: (found: FoundProject) => Promise<T>,
): Promise<T> {
  if (isReadOnly(core.store, project.id)) return Promise.reject(repositoryReadOnly());
  return core.repositories.exclusively(projectQueue(project.id), () => {
    const current = findUser(core, user.id);
    if (current === undefined) throw notFound('User', 'the user was deleted while the request waited');
    const found = findProject(core, project.id, { user: current });
    if (found === undefined) throw notFound('Project');
    if (isReadOnly(core.store, project.id)) throw repositoryReadOnly();
    return work(found);
  });
}

/** Returns the name of the queue of changes of a project's repository. */
export function projectQueue(projectId: number): string {
  return String(projectId);
}

/** Returns the target of HEAD. Without a repository, any text can be the default branch of a project. */
function headOf(defaultBranch: string): string {
  return isRefName(defaultBranch) ? defaultBranch : 'main';
}

/** Updates the refs of a folder to those of the database, and HEAD to the default branch. */
async function showRefs({ git, folder }: RepositoryDir, refs: readonly RefRow[], defaultBranch: string): Promise<void> {
  const { stdout } = await git.run(folder, ['for-each-ref', '--format=%(objectname) %(refname)']);
  const shown = new Map<string, string>();
  for (const line of stdout.toString('utf8').split('\n')) {
    if (line !== '') shown.set(line.slice(41), line.slice(0, 40));
  }
  const wanted = new Map(refs.map((ref) => [refPath(ref.kind, ref.name), ref.target]));
  // Refs of merge requests are updated when they are fetched.
  const gone = [...shown.keys()].filter((name) => !wanted.has(name) && !name.startsWith('refs/merge-requests/'));
  const moved = [...wanted].filter(([name, target]) => shown.get(name) !== target);
  // Deletions run first, because a removed ref can be in the way of a new one.
  if (gone.length > 0)
    await updateRefs(
      { git, folder },
      gone.map((name) => [name, undefined]),
    );
  if (moved.length > 0) await updateRefs({ git, folder }, moved);
  await git.run(folder, ['symbolic-ref', '--', 'HEAD', `refs/heads/${headOf(defaultBranch)}`]);
}

export async function updateRefs(
  { git, folder }: RepositoryDir,
  moves: readonly (readonly [name: string, target: string | undefined])[],
): Promise<void> {
  const input = moves
    .map(([name, target]) => (target === undefined ? `delete ${name}\0\0` : `update ${name}\0${target}\0\0`))
    .join('');
  await git.run(folder, ['update-ref', '--stdin', '-z'], { input, timeLimit: WRITE_TIME });
}

const REF_FOLDERS: Readonly<Record<RefKind, string>> = { branch: 'heads', tag: 'tags', note: 'notes' };

export function refPath(kind: RefKind, name: string): string {
  return `refs/${REF_FOLDERS[kind]}/${name}`;
}
