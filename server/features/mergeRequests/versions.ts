import type { GitCore } from '../../repositories/repositories.ts';
import { copyCommit } from '../pushes/pushes.ts';
import { hasCommit, openRepository } from '../git/git.ts';
import {
  type CommitObject,
  countCommits,
  type FileChange,
  listCommits,
  mergeBase,
  type RepositoryDir,
  readChanges,
  readPatch,
} from '../../repositories/objects.ts';
import { hasConflicts } from '../../repositories/merging.ts';
import type { FoundProject, Project } from '../projectAccess/projectAccess.ts';
import { type MergeRequest, mustFindMergeRequest } from './manageMergeRequests.ts';
import type { MergeMetadata } from './rules.ts';
import { storeIfPossible } from '../../store/storageFailure.ts';
import { type VersionRow, writeConflicts, writeVersion } from './store.ts';

/** Maximum number of commits and files shown per merge request. */
const MAX_COMMITS = 1000;
const MAX_COUNTED = 10_000;

/** A version whose comparison was computed. */
export type KnownVersion = VersionRow & {
  readonly base_sha: string;
  readonly commits_count: number;
  readonly changes_count: number;
};

/** Returns the repository of the target, with the commits copied from a fork. */
async function repositoryOf(
  core: GitCore,
  target: Project,
  mergeRequest: MergeRequest,
  head: string,
): Promise<RepositoryDir | undefined> {
  const { source_project_id: sourceId } = mergeRequest;
  if (sourceId !== null && sourceId !== target.id) {
    // A merge request shows the commits of its fork to everyone who can see it, regardless of their access to the fork.
    await copyCommit(core, sourceId, target, head);
  }
  return openRepository(core, target);
}

/** Computes the comparison of a version once. Returns undefined if the repository no longer exists. */
export async function knownVersion(
  core: GitCore,
  { project }: Pick<FoundProject, 'project'>,
  mergeRequest: MergeRequest,
  version: VersionRow,
): Promise<{ readonly repository: RepositoryDir; readonly version: KnownVersion } | undefined> {
  const repository = await repositoryOf(core, project, mergeRequest, version.head_sha);
  if (repository === undefined) return undefined;
  // Commits that were not copied before a fork was deleted are lost.
  if (mergeRequest.source_project_id === null && !(await hasCommit(repository, version.head_sha))) return undefined;
  const { base_sha: known, commits_count: commits, changes_count: changes } = version;
  if (known !== null && commits !== null && changes !== null) {
    return { repository, version: { ...version, base_sha: known, commits_count: commits, changes_count: changes } };
  }
  const base = (await mergeBase(repository, [version.start_sha, version.head_sha])) ?? version.start_sha;
  const history = { from: [version.head_sha], without: [version.start_sha] };
  const found = {
    base,
    commits: await countCommits(repository, history, MAX_COUNTED),
    changes: (await readChanges(repository, base, version.head_sha)).length,
  };
  storeIfPossible(() => writeVersion(core.store, version.id, found));
  return { repository, version: { ...version, base_sha: base, commits_count: found.commits, changes_count: found.changes } };
}

/** Returns the current version of the merge request. */
export function shownVersion(mergeRequest: MergeRequest): VersionRow {
  const { version_id: id, head_sha, start_sha, base_sha, commits_count, changes_count, created_at } = mergeRequest;
  return { id, head_sha, start_sha, base_sha, commits_count, changes_count, created_at };
}

/** Returns the commits of a version, newest first. */
export function commitsOf(repository: RepositoryDir, version: KnownVersion): Promise<CommitObject[]> {
  return listCommits(repository, { from: [version.head_sha], without: [version.start_sha] }, MAX_COMMITS, 0);
}

export async function changesOf(repository: RepositoryDir, version: KnownVersion): Promise<FileChange[]> {
  return readChanges(repository, version.base_sha, version.head_sha);
}

/** Returns the complete changes as a patch that git can apply. */
export function patchOf(repository: RepositoryDir, version: KnownVersion): Promise<Buffer> {
  return readPatch(repository, version.base_sha, version.head_sha);
}

/** Returns the inputs of the mergeability without running git. */
export function mergeMetadata(mergeRequest: MergeRequest): MergeMetadata {
  const { source_head: source, target_head: target, commits_count: commits } = mergeRequest;
  const isOpen = mergeRequest.state === 'opened';
  const isGone = isOpen && (source === null || target === null);
  const isChecked = mergeRequest.checked_head === mergeRequest.head_sha && (!isOpen || mergeRequest.checked_target === target);
  return {
    isOpen,
    isDraft: mergeRequest.draft === 1,
    hasCommits: isGone ? false : commits === null ? undefined : commits > 0,
    conflicts: isChecked && mergeRequest.conflicts !== null ? mergeRequest.conflicts === 1 : undefined,
  };
}

/** Returns the merge request with all details from git, updated if necessary. */
export async function examined(
  core: GitCore,
  found: Pick<FoundProject, 'project'>,
  mergeRequest: MergeRequest,
): Promise<MergeRequest> {
  const known = await knownVersion(core, found, mergeRequest, shownVersion(mergeRequest));
  const { target_head: target, head_sha: head, source_head: source, state } = mergeRequest;
  const { conflicts } = mergeMetadata(mergeRequest);
  if (known !== undefined && conflicts === undefined && state === 'opened' && target !== null && source !== null) {
    const checked = { head, target, conflicts: await hasConflicts(known.repository, target, head) };
    if (!storeIfPossible(() => writeConflicts(core.store, mergeRequest.id, checked))) {
      const { base_sha, commits_count, changes_count } = known.version;
      const version = { base_sha, commits_count, changes_count };
      const conflictsAsStored = checked.conflicts ? 1 : 0;
      return { ...mergeRequest, ...version, checked_head: head, checked_target: target, conflicts: conflictsAsStored };
    }
  }
  return mustFindMergeRequest(core, mergeRequest.id);
}
