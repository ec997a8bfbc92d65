import type { GitCore } from '../../../repositories/repositories.ts';
import { namedCommits } from '../../git/git.ts';
import type { Project } from '../../projectAccess/projectAccess.ts';
import { commitCandidates } from './releaseOrder.ts';

/**
 * Returns the commits of a project's repository by release (docs/interface.md#release-health). Releases without a commit are left
 * out. Empty if git is not available.
 */
export async function commitsOfReleases(
  core: GitCore,
  project: Pick<Project, 'id' | 'default_branch'>,
  releases: readonly string[],
): Promise<Map<string, string>> {
  const candidates = new Map(releases.map((release) => [release, commitCandidates(release)]));
  const all = [...candidates.values()].flat();
  const refs = (isTag: boolean): string[] => all.filter(({ kind }) => (kind === 'tag') === isTag).map(({ ref }) => ref);
  const commits = await namedCommits(core, project, { ids: refs(false), tags: refs(true) });
  const found = new Map<string, string>();
  for (const [release, ofRelease] of candidates) {
    const commit = ofRelease
      .map(({ kind, ref }) => (kind === 'tag' ? commits.tags.get(ref) : commits.ids.get(ref)))
      .find((id) => id !== undefined);
    if (commit !== undefined) found.set(release, commit);
  }
  return found;
}
