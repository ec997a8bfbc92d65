import type { Feature } from '../../http/feature.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import type { CommitNoteable } from './commitPages.ts';
import type { CommitPipelines } from './commitRoutes.ts';
import { repositoryPages } from './pages.ts';
import { repositoryRoutes } from './routes.ts';
import type { ReleasesByTag } from './tagRoutes.ts';

export { isProtected, isProtectedTag, mayMergeInto, mayPush, mayPushTo, pushRefusal } from './access.ts';
export { archiveFormats } from './archive.ts';
export { searchBlobs, searchCommits } from './blobSearch.ts';
export { archiveAddress } from './archivePage.ts';
export type { PushedCommit, PushedRef } from './changes.ts';
export { adoptCopy, copyRepository, discardCopy, hasBranch, preparedCopy, type RepositoryCopy } from './copy.ts';
export { diffMarkup, SHOWN_FILES } from './diffMarkup.ts';
export { copyCommit, type Merged, mergeIntoBranch } from './mergeIntoBranch.ts';
export {
  ensureRepository,
  inTurn,
  knownHeads,
  openRepository,
  refPath,
  rememberHeads,
  type ShownHeads,
  updateRefs,
} from './open.ts';
export { repositoryCards } from './pages.ts';
export {
  adoptHistory,
  adoptSingle,
  discardHistory,
  type PlannedCommit,
  type PlannedPush,
  type PlannedTag,
  type PreparedHistory,
  type PreparedPush,
  prepareHistory,
  pushPrepared,
  refHead,
} from './prepareHistory.ts';
export { presentDiff } from './present.ts';
export { presentCommit } from './presentCommit.ts';
export { projectRepository } from './projectRepository.ts';
export { addedCommits, createTag, moveRefs, type RefMove, removeRef } from './refUpdates.ts';
export { branchHead, findCommit, findTag, hasCommit, lastCommitOf, namedCommits, refKindOf, resolveRef } from './refs.ts';
export { forgetMoved, prepareMove, type RepositoryOwner, runningChanges, verifyCopy } from './relocation.ts';
export { commit, diff, foundBlob } from './responses.ts';
export { pageResponse, pushRoute, type PushRequest, readRoute, type ReadRequest } from './route.ts';
export {
  type Draft,
  headOfSingle,
  isNewest,
  isReadOnlySingle,
  moveSingle,
  openForFetch,
  readSingle,
  SINGLE_BRANCH,
  writeSingle,
} from './singleBranchRepository.ts';
export { measureRepositories } from './sizes.ts';
export {
  allRefs,
  conflictingRef,
  isReadOnly,
  type RefKind,
  refOf,
  type RefRow,
  writeReadOnlyOfSingle,
  writeStorageOfSingle,
} from './store.ts';
export { linesOf } from './treePages.ts';

/** Functions of other features that add pipelines, releases and comments to commits and tags. */
export interface RepositoryContext {
  readonly pipelines: CommitPipelines;
  readonly releasesByTag: ReleasesByTag;
  readonly commitNoteable: CommitNoteable;
}

/** Repositories of projects: their endpoints, and their pages, which are matched after the pages of other features. */
export function git(context: RepositoryContext): Feature<GitCore> {
  return {
    routes: (core) => repositoryRoutes(core, context.pipelines, context.releasesByTag),
    pages: (core) => repositoryPages(core, context.commitNoteable),
  };
}
