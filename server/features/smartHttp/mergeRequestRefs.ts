import type { GitCore } from '../../repositories/repositories.ts';
import { copyCommit } from '../pushes/pushes.ts';
import { isReadOnly, knownHeads, openRepository, rememberHeads, type ShownHeads, updateRefs } from '../git/git.ts';
import { commitsOf, type RepositoryDir } from '../../repositories/objects.ts';
import { mergeRequestHeads } from '../mergeRequests/mergeRequests.ts';
import type { Project } from '../projectAccess/projectAccess.ts';

/**
 * Opens the repository of a project and updates its refs `refs/merge-requests/:iid/head`, from which clients check out merge requests.
 * Returns undefined for an empty repository.
 */
export async function openWithMergeRequests(core: GitCore, project: Project): Promise<RepositoryDir | undefined> {
  const { repositories, store } = core;
  const repository = await openRepository(core, project);
  if (repository === undefined || isReadOnly(store, project.id) || (await missingRefs(core, project, repository)).size === 0) {
    return repository;
  }
  return repositories.exclusively(String(project.id), async () => {
    const current = await openRepository(core, project);
    if (current !== undefined && !isReadOnly(store, project.id)) await showRefs(core, project, current);
    return current;
  });
}

/** Returns the refs that differ from the merge requests; those without a commit are superfluous. */
async function missingRefs(
  core: GitCore,
  project: Project,
  repository: RepositoryDir,
): Promise<ReadonlyMap<number, string | undefined>> {
  const shown = await shownIn(core, project, repository);
  const wanted = new Map(mergeRequestHeads(core, project.id).map(({ iid, head }) => [iid, head]));
  const changed = new Map<number, string | undefined>([...wanted].filter(([iid, head]) => shown.get(iid) !== head));
  for (const iid of shown.keys()) if (!wanted.has(iid)) changed.set(iid, undefined);
  return changed;
}

/** Returns the refs of a folder, which are read once. */
async function shownIn(core: GitCore, project: Project, repository: RepositoryDir): Promise<ShownHeads> {
  const known = knownHeads(core, project, repository);
  if (known !== undefined) return known;
  const { git, folder } = repository;
  const { stdout } = await git.run(folder, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/merge-requests/']);
  const lines = stdout.toString('latin1').matchAll(/^([0-9a-f]{40}) refs\/merge-requests\/(\d+)\/head$/gm);
  const heads = new Map([...lines].map(([, head = '', iid]) => [Number(iid), head]));
  rememberHeads(core, project, repository, heads);
  return heads;
}

async function showRefs(core: GitCore, project: Project, repository: RepositoryDir): Promise<void> {
  const changed = await missingRefs(core, project, repository);
  const heads = mergeRequestHeads(core, project.id);
  const present = await commitsOf(
    repository,
    [...changed.values()].filter((head) => head !== undefined),
  );
  const moves: (readonly [string, string | undefined])[] = [];
  for (const { iid, head, sourceProjectId } of heads) {
    if (!changed.has(iid)) continue;
    const isAbsent = !present.has(head);
    if (isAbsent && sourceProjectId !== null && sourceProjectId !== project.id) {
      await copyCommit(core, sourceProjectId, project, head);
    }
    if (!isAbsent || (await commitsOf(repository, [head])).has(head)) moves.push([`refs/merge-requests/${iid}/head`, head]);
  }
  for (const [iid, head] of changed) if (head === undefined) moves.push([`refs/merge-requests/${iid}/head`, undefined]);
  if (moves.length > 0) await updateRefs(repository, moves);
  rememberHeads(core, project, repository, new Map(heads.map(({ iid, head }) => [iid, head])));
}
