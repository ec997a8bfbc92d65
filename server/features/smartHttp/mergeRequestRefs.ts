import { copyCommit, isReadOnly, openRepository, type RepositoryDir } from '../git/git.ts';
import { commitsOf } from '../git/objects.ts';
import { knownHeads, rememberHeads, type ShownHeads, updateRefs } from '../git/open.ts';
import { mergeRequestHeads } from '../mergeRequests/mergeRequests.ts';
import type { Platform } from '../../platform.ts';
import type { Project } from '../projects/projects.ts';

/**
 * Opens the repository of a project and updates its refs `refs/merge-requests/:iid/head`, from which clients check out merge requests.
 * Returns undefined for an empty repository.
 */
export async function openWithMergeRequests(platform: Platform, project: Project): Promise<RepositoryDir | undefined> {
  const { repositories, store } = platform;
  const repository = await openRepository(platform, project);
  if (
    repository === undefined ||
    isReadOnly(store, project.id) ||
    (await missingRefs(platform, project, repository)).size === 0
  ) {
    return repository;
  }
  return repositories.exclusively(String(project.id), async () => {
    const current = await openRepository(platform, project);
    if (current !== undefined && !isReadOnly(store, project.id)) await showRefs(platform, project, current);
    return current;
  });
}

/** Returns the refs that differ from the merge requests; those without a commit are superfluous. */
async function missingRefs(
  platform: Platform,
  project: Project,
  repository: RepositoryDir,
): Promise<ReadonlyMap<number, string | undefined>> {
  const shown = await shownIn(platform, project, repository);
  const wanted = new Map(mergeRequestHeads(platform, project.id).map(({ iid, head }) => [iid, head]));
  const changed = new Map<number, string | undefined>([...wanted].filter(([iid, head]) => shown.get(iid) !== head));
  for (const iid of shown.keys()) if (!wanted.has(iid)) changed.set(iid, undefined);
  return changed;
}

/** Returns the refs of a folder, which are read once. */
async function shownIn(platform: Platform, project: Project, repository: RepositoryDir): Promise<ShownHeads> {
  const known = knownHeads(platform, project, repository);
  if (known !== undefined) return known;
  const { git, folder } = repository;
  const { stdout } = await git.run(folder, ['for-each-ref', '--format=%(objectname) %(refname)', 'refs/merge-requests/']);
  const lines = stdout.toString('latin1').matchAll(/^([0-9a-f]{40}) refs\/merge-requests\/(\d+)\/head$/gm);
  const heads = new Map([...lines].map(([, head = '', iid]) => [Number(iid), head]));
  rememberHeads(platform, project, repository, heads);
  return heads;
}

async function showRefs(platform: Platform, project: Project, repository: RepositoryDir): Promise<void> {
  const changed = await missingRefs(platform, project, repository);
  const heads = mergeRequestHeads(platform, project.id);
  const present = await commitsOf(
    repository,
    [...changed.values()].filter((head) => head !== undefined),
  );
  const moves: (readonly [string, string | undefined])[] = [];
  for (const { iid, head, sourceProjectId } of heads) {
    if (!changed.has(iid)) continue;
    const isAbsent = !present.has(head);
    if (isAbsent && sourceProjectId !== null && sourceProjectId !== project.id) {
      await copyCommit(platform, sourceProjectId, project, head);
    }
    if (!isAbsent || (await commitsOf(repository, [head])).has(head)) moves.push([`refs/merge-requests/${iid}/head`, head]);
  }
  for (const [iid, head] of changed) if (head === undefined) moves.push([`refs/merge-requests/${iid}/head`, undefined]);
  if (moves.length > 0) await updateRefs(repository, moves);
  rememberHeads(platform, project, repository, new Map(heads.map(({ iid, head }) => [iid, head])));
}
