import { notFound } from '../http/failures.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { findProject, type FoundProject, type Project } from '../projects/projects.ts';
import { isRefName } from './names.ts';
import type { RepositoryDir } from './objects.ts';
import { allRefs, folders, insertRepository, type RefKind, type RefRow, repositoryOf } from './store.ts';

/** Folders whose refs match the database, or are being updated to. */
const updatesByRepositories = new WeakMap<Platform['repositories'], Map<string, Promise<void>>>();

/** Opens the repository of a project. Returns undefined for an empty repository. Throws 503 without git. */
export async function openRepository(
  platform: Platform,
  project: Pick<Project, 'id' | 'default_branch'>,
): Promise<RepositoryDir | undefined> {
  const { repositories, store } = platform;
  await repositories.git.demand();
  let known = updatesByRepositories.get(repositories);
  if (known === undefined) {
    known = new Map();
    updatesByRepositories.set(repositories, known);
    // Snapshots may contain projects that have been deleted since.
    if (platform.snapshots?.list().length === 0) repositories.sweep(new Set(folders(store)));
  }
  const row = repositoryOf(store, project.id);
  if (row === undefined) return undefined;
  const repository: RepositoryDir = { git: repositories.git, folder: repositories.folderOf(row.folder) };
  let folderUpdate = known.get(row.folder);
  if (folderUpdate === undefined) {
    // Concurrent callers wait for the same update, because git lets only one process write a ref.
    folderUpdate = (async () => {
      repositories.create(row.folder, headOf(project.default_branch));
      await showRefs(repository, allRefs(store, project.id), project.default_branch);
    })();
    known.set(row.folder, folderUpdate);
    folderUpdate.catch(() => known.delete(row.folder));
  }
  await folderUpdate;
  return repository;
}

/** Makes the next opening of the project's folder update its refs from the database. */
export function forgetFolder({ repositories, store }: Platform, project: Pick<Project, 'id'>): void {
  updatesByRepositories.get(repositories)?.delete(repositoryOf(store, project.id)?.folder ?? '');
}

/** Opens the repository of a project and creates it if necessary. Call only inside `inTurn`. */
export async function ensureRepository(platform: Platform, project: Project): Promise<RepositoryDir> {
  const { repositories, store, clock } = platform;
  const repository = await openRepository(platform, project);
  if (repository !== undefined) return repository;
  const folder = repositories.newName();
  repositories.create(folder, headOf(project.default_branch));
  insertRepository(store, project.id, folder, clock.now());
  const made = await openRepository(platform, project);
  if (made === undefined) throw notFound('Project');
  return made;
}

/** Runs a change of a repository after all earlier ones, with the current state of the project. */
export function inTurn<T>(
  platform: Platform,
  { project }: FoundProject,
  user: User,
  work: (found: FoundProject) => Promise<T>,
): Promise<T> {
  return platform.repositories.exclusively(String(project.id), () => {
    const found = findProject(platform, project.id, { user });
    if (found === undefined) throw notFound('Project');
    return work(found);
  });
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
  const gone = [...shown.keys()].filter((name) => !wanted.has(name));
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
  await git.run(folder, ['update-ref', '--stdin', '-z'], { input });
}

export function refPath(kind: RefKind, name: string): string {
  return `refs/${kind === 'branch' ? 'heads' : 'tags'}/${name}`;
}
