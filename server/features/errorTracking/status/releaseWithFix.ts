import type { GitCore } from '../../../repositories/repositories.ts';
import { isAncestor } from '../../git/git.ts';
import type { Project } from '../../projectAccess/projectAccess.ts';
import { commitsOfReleases } from '../releases/releaseCommits.ts';
import { ageOf, baselineOf } from '../releases/releaseOrder.ts';
import { releasesSince } from '../releases/releaseStore.ts';
import type { ErrorState } from './statusRules.ts';

/** Maximum number of releases that are looked up in the repository, the latest ones. */
const MAX_LOOKED_UP = 10;

/**
 * Returns the latest release that shows that a resolved error is fixed: it began to report after that, and is newer than the release in
 * which the error was resolved. The error itself would have been reopened by its events.
 */
export async function releaseWithFix(
  core: GitCore,
  project: Pick<Project, 'id' | 'default_branch'>,
  state: ErrorState,
): Promise<string | undefined> {
  if (!('releases' in state) || state.releases.length === 0) return undefined;
  const since = releasesSince(core.store, project.id, state.at).toReversed();
  const newer = since.find((release) => ageOf(release, state.releases) === 'newer');
  if (newer !== undefined) return newer;
  const named = since.filter((release) => ageOf(release, state.releases) === 'repository').slice(0, MAX_LOOKED_UP);
  if (named.length === 0) return undefined;
  const commits = await commitsOfReleases(core, project, [...named, ...state.releases]);
  for (const release of named) {
    const [commit, baseline] = [commits.get(release), commits.get(baselineOf(release, state.releases) ?? '')];
    if (commit === undefined || baseline === undefined || commit === baseline) continue;
    if (await isAncestor(core, project, baseline, commit)) return release;
  }
  return undefined;
}
