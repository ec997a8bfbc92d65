import { findTag, openRepository, resolveRef } from '../git/git.ts';
import { WireFailure } from '../http/failures.ts';
import type { Platform } from '../platform.ts';
import type { Project } from '../projects/projects.ts';
import { commitCandidates } from './releases.ts';

/** The commit of a project that a release names (errors.md §7); undefined when it names none, or there is no git to ask. */
export async function commitOfRelease(
  platform: Platform,
  project: Pick<Project, 'id' | 'default_branch'>,
  release: string | null,
): Promise<string | undefined> {
  const candidates = release === null ? [] : commitCandidates(release);
  if (candidates.length === 0) return undefined;
  try {
    const place = await openRepository(platform, project);
    if (place === undefined) return undefined;
    for (const { kind, ref } of candidates) {
      const commit =
        kind === 'tag' ? findTag(platform, project.id, ref)?.commit_id : await resolveRef(platform, place, project, ref);
      if (commit !== undefined) return commit;
    }
  } catch (error) {
    // Without git nobody knows; an error of a program is read without its commit.
    if (!(error instanceof WireFailure)) throw error;
  }
  return undefined;
}
