import type { GitCore } from '../../repositories/repositories.ts';
import { refusedChange } from '../../core/errors.ts';
import type { User } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import type { FoundProject, Project } from '../projectAccess/projectAccess.ts';
import { type Action, applyActions, pathsOf } from '../../repositories/actions.ts';
import { moveRef, addedCommits, checkNewRef, plainRef } from './refUpdates.ts';
import { identText, isShortObjectId, pathProblem, titleOf } from '../../repositories/names.ts';
import { commitOf, entriesAt, type RepositoryDir } from '../../repositories/objects.ts';
import { ensureRepository, hasBranches, inTurn, lastCommitOf, refOf, type RefRow } from '../git/git.ts';
import { refuseSecrets } from '../secretPushProtection/secretPushProtection.ts';
import { writeCommitObject } from '../../repositories/writing.ts';

export interface CommitInput {
  readonly branch: string;
  readonly message: string;
  readonly actions: readonly Action[];
  /** Branch that a new branch starts from. */
  readonly startBranch?: string | undefined;
  readonly startSha?: string | undefined;
  /** If true, an existing branch is reset to the start commit. */
  readonly force?: boolean | undefined;
  readonly authorName?: string | undefined;
  readonly authorEmail?: string | undefined;
}

/**
 * Commits file changes to a branch, all or none, and creates the branch if it does not exist. Returns the id of the commit.
 * Throws `Refused` for changes that the tree does not allow. The caller has checked the permission to push.
 */
export function createCommit(core: GitCore, found: FoundProject, user: User, input: CommitInput): Promise<string> {
  return inTurn(core, found, user, async ({ project }) => {
    const { store } = core;
    const { branch } = input;
    const head = refOf(store, project.id, 'branch', branch);
    if (head === undefined) checkNewRef(core, project, 'branch', branch);
    const repository = await ensureRepository(core, project);
    const base = await baseOf(core, repository, project, input, head);
    const entries = base === undefined ? new Map<never, never>() : await entriesAt(repository, base, pathsOf(input.actions));
    await checkLastCommits(repository, base, input.actions);
    const changed = applyActions(entries, input.actions);
    if ('refusal' in changed) throw refusedChange(changed.refusal);
    const now = Math.floor(core.clock.now() / 1000);
    const committer = { name: identText(user.name, user.username), email: identText(user.email, 'unknown'), seconds: now };
    const id = await writeCommitObject(repository, {
      parent: base,
      message: input.message.toWellFormed(),
      author: {
        name: identText(input.authorName ?? '', committer.name),
        email: identText(input.authorEmail ?? '', committer.email),
        seconds: now,
      },
      committer,
      changed,
    });
    await refuseSecrets(core, project.id, repository, id);
    const after: RefRow = { ...plainRef('branch', branch, id), committed_at: now * 1000 };
    const isNext = head !== undefined && base === head.commit_id;
    const brought = isNext
      ? { commitCount: 1, commitTitle: titleOf(input.message), newest: [{ id, title: titleOf(input.message) }], commits: [id] }
      : await addedCommits(core, repository, project, id, head);
    const keepsReadme = isNext && ![...changed.keys()].some((path) => /^readme[^/]*$/i.test(path));
    await moveRef(core, repository, project, user, {
      kind: 'branch',
      name: branch,
      before: head,
      after,
      keepsReadme,
      ...brought,
    });
    return id;
  });
}

/** Returns the parent of the new commit; undefined for the first commit of a repository. */
async function baseOf(
  core: Core,
  repository: RepositoryDir,
  project: Project,
  { branch, startBranch, startSha, force }: CommitInput,
  head: RefRow | undefined,
): Promise<string | undefined> {
  const isElsewhere = startSha !== undefined || (startBranch !== undefined && startBranch !== branch);
  if (isElsewhere && head !== undefined && force !== true) {
    throw refusedChange(`A branch called '${branch}' already exists. Switch to that branch in order to make changes`);
  }
  if (startSha !== undefined) {
    if (!isShortObjectId(startSha)) throw refusedChange(`Invalid start_sha '${startSha}'`);
    const base = await commitOf(repository, startSha);
    if (base === undefined) throw refusedChange(`Cannot find start_sha '${startSha}'`);
    return base;
  }
  const start = startBranch === undefined || startBranch === branch ? head : refOf(core.store, project.id, 'branch', startBranch);
  if (start === undefined && hasBranches(core.store, project.id)) {
    throw refusedChange('You can only create or edit files when you are on a branch', 'the start branch does not exist');
  }
  return start?.commit_id;
}

/** Throws `Refused` if a file was changed since the last commit known to its author. */
async function checkLastCommits(repository: RepositoryDir, base: string | undefined, actions: readonly Action[]): Promise<void> {
  for (const { action, path, previousPath, lastCommitId } of actions) {
    if (lastCommitId === undefined || action === 'create' || action === 'chmod') continue;
    const file = previousPath ?? path;
    if (pathProblem(file) !== undefined) continue;
    const last = base === undefined ? undefined : await lastCommitOf(repository, base, file);
    if (last !== lastCommitId) throw refusedChange(`The file has changed since you started editing it: ${file}`);
  }
}
