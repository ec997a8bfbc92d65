import type { User } from '../identity/identity.ts';
import type { Platform } from '../platform.ts';
import type { FoundProject, Project } from '../projects/projects.ts';
import { mergeTree, packOf, takePack } from './merging.ts';
import { moveRef, broughtBy, plainRef } from './moves.ts';
import { identText } from './names.ts';
import { type CommitObject, commitOf, mergeBase, readCommits } from './objects.ts';
import { openRepository, inTurn } from './open.ts';
import { allRefs, headBranchOf, refOf, type RefRow } from './store.ts';
import { writeMergeObject } from './writing.ts';

/** Brings a commit with all that it needs into the repository of another project, as that of a fork is brought by a merge request. */
export async function bringCommit(platform: Platform, fromId: number, to: Project, commit: string): Promise<void> {
  if (fromId === to.id) return;
  const branch = headBranchOf(platform.store, fromId);
  const [source, target] = await Promise.all([
    openRepository(platform, { id: fromId, default_branch: branch }),
    openRepository(platform, to),
  ]);
  if (source === undefined || target === undefined || (await commitOf(target, commit)) !== undefined) return;
  const heads = allRefs(platform.store, to.id).map((ref) => ref.commit_id);
  await takePack(target, await packOf(source, commit, heads));
}

export interface MergeInput {
  /** The branch that is merged into. */
  readonly branch: string;
  /** The commit that is merged; it lies in the repository of the branch. */
  readonly commit: string;
  readonly message: string;
  /** Makes one commit of all, with this message and author, and merges that; where it would be the same as the only one there is, that. */
  readonly squash?: { readonly message: string; readonly author: Pick<User, 'name' | 'username' | 'email'> } | undefined;
  /** What else happens in the transaction in which the branch moves; a throw keeps it where it is. */
  settle(merged: Merged): void;
}

export interface Merged {
  readonly mergeCommit: string;
  readonly squashCommit: string | null;
}

/**
 * Merges a commit into a branch with a commit of two parents. Undefined when they conflict or the branch is gone; whoever calls has
 * checked that the person may push there.
 */
export function mergeIntoBranch(
  platform: Platform,
  found: FoundProject,
  user: User,
  input: MergeInput,
): Promise<Merged | undefined> {
  return inTurn(platform, found, user, async ({ project }) => {
    const { branch, commit, squash } = input;
    const before = refOf(platform.store, project.id, 'branch', branch);
    const repository = await openRepository(platform, project);
    if (before === undefined || repository === undefined) return undefined;
    const tree = await mergeTree(repository, before.commit_id, commit);
    if (tree === undefined) return undefined;
    const seconds = Math.floor(platform.clock.now() / 1000);
    const writer = (person: Pick<User, 'name' | 'username' | 'email'>) => ({
      name: identText(person.name, person.username),
      email: identText(person.email, 'unknown'),
      seconds,
    });
    const [object] = await readCommits(repository, [commit]);
    const base = await mergeBase(repository, [before.commit_id, commit]);
    const squashCommit =
      squash === undefined || object === undefined || base === undefined || isAllOf(object, base, squash.message)
        ? null
        : await writeMergeObject(repository, {
            tree: object.tree,
            parents: [base],
            author: writer(squash.author),
            committer: writer(user),
            message: squash.message.toWellFormed(),
          });
    const mergeCommit = await writeMergeObject(repository, {
      tree,
      parents: [before.commit_id, squashCommit ?? commit],
      author: writer(user),
      committer: writer(user),
      message: input.message.toWellFormed(),
    });
    const after: RefRow = { ...plainRef('branch', branch, mergeCommit), committed_at: seconds * 1000 };
    const brought = await broughtBy(platform, repository, project, mergeCommit, before);
    const merged = { mergeCommit, squashCommit };
    await moveRef(platform, repository, project, user, {
      kind: 'branch',
      name: branch,
      before,
      after,
      ...brought,
      also: () => input.settle(merged),
    });
    return merged;
  });
}

/** Whether a commit is the only one since its parent, and says what is to be said of all. */
function isAllOf(commit: CommitObject, base: string, message: string): boolean {
  return commit.parents.length === 1 && commit.parents[0] === base && commit.message.trimEnd() === message.trimEnd();
}
