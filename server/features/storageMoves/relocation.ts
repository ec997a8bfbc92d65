import type { LiveCore } from '../../core/live.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import type { Core } from '../../core/core.ts';
import { allRefs, forgetFolder, headBranchOf, openRepository, projectQueue, refPath } from '../git/git.ts';
import type { RepositoryLocation } from '../../repositories/repositories.ts';
import { SINGLE_BRANCH, singleQueue, singleRepository } from '../singleBranchRepositories/singleBranchRepositories.ts';

// Functions for moves of repositories to other storages. The database owns the refs.

/** Owner of a repository: a project, or nothing for a standalone repository. */
export type RepositoryOwner = { readonly projectId: number } | { readonly singleId: number };

/** Returns a promise of the end of all running changes of a repository, or undefined if there are none. */
export function runningChanges({ repositories }: GitCore, owner: RepositoryOwner): Promise<unknown> | undefined {
  return repositories.busy('projectId' in owner ? projectQueue(owner.projectId) : singleQueue(owner.singleId));
}

/** Makes the refs of a folder match the database. Leftover folders are removed before, so that they are not mistaken for copies. */
export async function prepareMove(core: GitCore, owner: RepositoryOwner, location: RepositoryLocation): Promise<void> {
  const { store, repositories } = core;
  if ('projectId' in owner) {
    const project = { id: owner.projectId };
    forgetFolder(core, project);
    await openRepository(core, { ...project, default_branch: headBranchOf(store, project.id) });
    return;
  }
  await openRepository(core, { id: 0, default_branch: SINGLE_BRANCH });
  repositories.create(location, SINGLE_BRANCH);
  for (const [name, target] of refsOf(core, owner)) {
    await repositories.git.run(repositories.folderOf(location), ['update-ref', name, target]);
  }
}

/** Makes the next use of the repository start from its folder on disk. */
export function forgetMoved(core: GitCore, owner: RepositoryOwner): void {
  if ('projectId' in owner) forgetFolder(core, { id: owner.projectId });
}

/** @throws Error if the refs of a copy are not those of the database, or if an object that they reach is missing. */
export async function verifyCopy(core: GitCore & LiveCore, owner: RepositoryOwner, folder: string): Promise<void> {
  const { git } = core.repositories;
  const wanted = refsOf(core, owner);
  const { stdout } = await git.run(folder, [
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    'refs/heads',
    'refs/tags',
    'refs/notes',
  ]);
  const lines = stdout
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
  const copied = new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]));
  const isSame = copied.size === wanted.size && [...wanted].every(([name, target]) => copied.get(name) === target);
  if (!isSame) throw new Error('the refs of the copy differ from those of the repository');
  if (wanted.size === 0) return;
  // A large repository can take longer than a command is allowed to.
  const ending = new AbortController();
  const unfollow = core.live.follow({ next: () => undefined, end: () => ending.abort() });
  try {
    const check = await git.start(folder, ['rev-list', '--objects', '--quiet', '--stdin'], { signal: ending.signal });
    check.stdout.resume();
    check.stdin.end([...wanted.values()].map((target) => `${target}\n`).join(''));
    const { code, problem } = await check.ended;
    if (code !== 0) throw new Error(`the copy is not complete: ${problem}`);
  } finally {
    unfollow();
  }
}

/** Returns the targets of all refs by name. */
function refsOf({ store }: Core, owner: RepositoryOwner): ReadonlyMap<string, string> {
  if ('projectId' in owner) {
    return new Map(allRefs(store, owner.projectId).map(({ kind, name, target }) => [refPath(kind, name), target]));
  }
  const head = singleRepository(store, owner.singleId)?.head ?? null;
  return new Map(head === null ? [] : [[refPath('branch', SINGLE_BRANCH), head]]);
}
