import type { GitCore } from '../../repositories/repositories.ts';
import type { User } from '../../core/caller.ts';
import type { FoundProject, Project } from '../projectAccess/projectAccess.ts';
import { mergeTree, packOf, storePack } from '../../repositories/merging.ts';
import { moveRef, addedCommits, plainRef } from './refUpdates.ts';
import { identText } from '../../repositories/names.ts';
import { MAX_MESSAGE_BYTES } from '../../repositories/shortFields.ts';
import { type CommitObject, commitOf, mergeBase, readCommits } from '../../repositories/objects.ts';
import { allRefs, headBranchOf, inTurn, openRepository, refOf, type RefRow } from '../git/git.ts';
import { writeMergeObject } from '../../repositories/writing.ts';

/** Copies a commit and its objects into the repository of another project, for merge requests from forks. */
export async function copyCommit(core: GitCore, fromId: number, to: Project, commit: string): Promise<void> {
  if (fromId === to.id) return;
  const branch = headBranchOf(core.store, fromId);
  const [source, target] = await Promise.all([
    openRepository(core, { id: fromId, default_branch: branch }),
    openRepository(core, to),
  ]);
  if (source === undefined || target === undefined || (await commitOf(target, commit)) !== undefined) return;
  const heads = allRefs(core.store, to.id).map((ref) => ref.commit_id);
  await storePack(target, await packOf(source, commit, heads));
}

export interface MergeInput {
  /** Target branch. */
  readonly branch: string;
  /** Commit to merge, present in the repository of the target branch. */
  readonly commit: string;
  readonly message: string;
  /**
   * Squashes all commits into one with this message and author before the merge. A single commit that already equals the squashed
   * one is used unchanged.
   */
  readonly squash?: { readonly message: string; readonly author: Pick<User, 'name' | 'username' | 'email'> } | undefined;
  /** Runs in the transaction that moves the branch; the branch stays if it throws. */
  inTransaction(merged: Merged): void;
}

export interface Merged {
  readonly mergeCommit: string;
  readonly squashCommit: string | null;
}

/**
 * Merges a commit into a branch with a merge commit. Returns undefined on conflicts or if the branch does not exist. The caller
 * has checked the permission to push.
 */
export function mergeIntoBranch(core: GitCore, found: FoundProject, user: User, input: MergeInput): Promise<Merged | undefined> {
  return inTurn(core, found, user, async ({ project }) => {
    const { branch, commit, squash } = input;
    const before = refOf(core.store, project.id, 'branch', branch);
    const repository = await openRepository(core, project);
    if (before === undefined || repository === undefined) return undefined;
    const tree = await mergeTree(repository, before.commit_id, commit);
    if (tree === undefined) return undefined;
    const seconds = Math.floor(core.clock.now() / 1000);
    const writer = (person: Pick<User, 'name' | 'username' | 'email'>) => ({
      name: identText(person.name, person.username),
      email: identText(person.email, 'unknown'),
      seconds,
    });
    const [object] = await readCommits(repository, [commit], MAX_MESSAGE_BYTES);
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
    const brought = await addedCommits(core, repository, project, mergeCommit, before);
    const merged = { mergeCommit, squashCommit };
    await moveRef(core, repository, project, user, {
      kind: 'branch',
      name: branch,
      before,
      after,
      ...brought,
      also: () => input.inTransaction(merged),
    });
    return merged;
  });
}

/** Returns true if the commit is the only one since its base and already has the squash message. */
function isAllOf(commit: CommitObject, base: string, message: string): boolean {
  return commit.parents.length === 1 && commit.parents[0] === base && commit.message.trimEnd() === message.trimEnd();
}
