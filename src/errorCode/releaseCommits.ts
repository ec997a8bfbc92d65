import type { RunGit } from '../workspace/runGit.ts';
import { releaseNames } from './releaseNames.ts';

/** Release of an event. */
export interface EventRelease {
  readonly version: string;
  /** Commit that the instance names for it; undefined if it names none. */
  readonly commit: string | undefined;
}

/** `unknownRelease`: nothing says which commit the release is. `missingCommit`: the repository does not have the commit. */
export type CommitOfRelease =
  | { readonly kind: 'found'; readonly commit: string }
  | { readonly kind: 'unknownRelease' | 'missingCommit' };

export interface ReleaseCommitSettings {
  readonly git: RunGit;
  /** Returns the commit of the release of the project with this tag; undefined if there is none. Rejects if the request fails. */
  readonly commitOfTag: (tag: string, signal: AbortSignal) => Promise<string | undefined>;
}

/** Returns the commit of a release in the repository of a folder. Rejects if git or a request fails. */
export async function commitOfRelease(
  { git, commitOfTag }: ReleaseCommitSettings,
  folder: string,
  { version, commit }: EventRelease,
  signal: AbortSignal,
): Promise<CommitOfRelease> {
  const { hashes, tags } = releaseNames(version);
  const objects = [...(commit === undefined ? [] : [commit]), ...hashes, ...tags.map((tag) => `refs/tags/${tag}`)];
  const local = await firstCommit(git, folder, objects, signal);
  if (local !== undefined) return { kind: 'found', commit: local };
  if (commit !== undefined) return { kind: 'missingCommit' };
  for (const tag of tags) {
    const named = await commitOfTag(tag, signal);
    if (named === undefined) continue;
    const found = await firstCommit(git, folder, [named], signal);
    return found === undefined ? { kind: 'missingCommit' } : { kind: 'found', commit: found };
  }
  return { kind: 'unknownRelease' };
}

/** Returns the hash of the first object that is a commit or a tag of one. */
async function firstCommit(
  git: RunGit,
  folder: string,
  objects: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const safe = objects.filter((name) => /^(?:[0-9a-f]{7,64}|refs\/tags\/[^\s]+)$/i.test(name));
  if (safe.length === 0) return undefined;
  const input = safe.map((name) => `${name}^{commit}\n`).join('');
  const output = await git(folder, ['cat-file', '--batch-check=%(objectname) %(objecttype)'], { input, signal });
  // One line an object, such as `… missing` or `… ambiguous` without a commit.
  return /^([0-9a-f]{40,64}) commit$/m.exec(output)?.[1];
}
