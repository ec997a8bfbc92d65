import { notFound } from '../http/failures.ts';
import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import { findProject, type FoundProject, type Project } from '../projects/projects.ts';
import { isRefName } from './names.ts';
import type { RepositoryDir } from './objects.ts';
import { allRefs, folders, insertRepository, type RefKind, type RefRow, repositoryOf } from './store.ts';

/** Folders whose refs are those of the database, or are being made so. */
const settled = new WeakMap<Platform['repositories'], Map<string, Promise<void>>>();

/** The repository of a project; undefined when nothing was written to it yet. Throws 503 where there is no git. */
export async function openRepository(
  platform: Platform,
  project: Pick<Project, 'id' | 'default_branch'>,
): Promise<RepositoryDir | undefined> {
  const { repositories, store } = platform;
  await repositories.git.demand();
  let known = settled.get(repositories);
  if (known === undefined) {
    known = new Map();
    settled.set(repositories, known);
    // A snapshot may know projects that are deleted by now.
    if (platform.snapshots?.list().length === 0) repositories.sweep(new Set(folders(store)));
  }
  const row = repositoryOf(store, project.id);
  if (row === undefined) return undefined;
  const repository: RepositoryDir = { git: repositories.git, folder: repositories.folderOf(row.folder) };
  let settling = known.get(row.folder);
  if (settling === undefined) {
    // Whoever asks meanwhile waits for the same: git lets only one at a time write a ref.
    settling = (async () => {
      repositories.create(row.folder, headOf(project.default_branch));
      await showRefs(repository, allRefs(store, project.id), project.default_branch);
    })();
    known.set(row.folder, settling);
    settling.catch(() => known.delete(row.folder));
  }
  await settling;
  return repository;
}

/** Lets the folder of a project follow the database anew when it is next opened. */
export function forgetFolder({ repositories, store }: Platform, project: Pick<Project, 'id'>): void {
  settled.get(repositories)?.delete(repositoryOf(store, project.id)?.folder ?? '');
}

/** The repository of a project, made when it is not there. Only inside of `inTurn`. */
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

/** Runs a change of a repository after those that were asked for before, with the project as it is then. */
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

/** What HEAD of a folder points to. Without a repository any text may be the default branch of a project. */
function headOf(defaultBranch: string): string {
  return isRefName(defaultBranch) ? defaultBranch : 'main';
}

/** Makes the refs of a folder those of the database, and its HEAD the default branch. */
async function showRefs({ git, folder }: RepositoryDir, refs: readonly RefRow[], defaultBranch: string): Promise<void> {
  const { stdout } = await git.run(folder, ['for-each-ref', '--format=%(objectname) %(refname)']);
  const shown = new Map<string, string>();
  for (const line of stdout.toString('utf8').split('\n')) {
    if (line !== '') shown.set(line.slice(41), line.slice(0, 40));
  }
  const wanted = new Map(refs.map((ref) => [refPath(ref.kind, ref.name), ref.target]));
  const gone = [...shown.keys()].filter((name) => !wanted.has(name));
  const moved = [...wanted].filter(([name, target]) => shown.get(name) !== target);
  // What goes may be in the way of what comes.
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
