import type { Feature } from '../../http/feature.ts';
import type { Route } from '../../http/route.ts';
import type { GitCore } from '../../repositories/repositories.ts';
import type { CommitNoteable } from './commitPages.ts';
import type { CommitPipelines } from './commitRoutes.ts';
import { repositoryPages } from './pages.ts';
import { repositoryRoutes } from './routes.ts';
import type { ReleasesByTag } from './tagRoutes.ts';

/** What features that use this one know about commits and tags. */
export interface RepositoryContext {
  readonly pipelines: CommitPipelines;
  readonly releasesByTag: ReleasesByTag;
  readonly commitNoteable: CommitNoteable;
}

/** Repositories of projects: their endpoints, and their pages, which are matched after the pages of other features. */
export function git(context: RepositoryContext): Feature<GitCore> & { readonly pages: (core: GitCore) => Route[] } {
  return {
    routes: (core) => repositoryRoutes(core, context.pipelines, context.releasesByTag),
    pages: (core) => repositoryPages(core, context.commitNoteable),
  };
}

export { isProtected, isProtectedTag, mayMergeInto, mayPush, mayPushTo, pushRefusal, type RefChange } from './access.ts';
export type { PushedCommit, PushedRef } from './changes.ts';
export { commit as commitResponse, diff as diffResponse } from './responses.ts';
export { presentDiff } from './present.ts';
export { presentCommit } from './presentCommit.ts';
export { openRepository } from './open.ts';
export { resolveRef, findCommit, namedCommits, refKindOf, findTag, branchHead, hasCommit, lastCommitOf } from './refs.ts';
export { addedCommits, createBranch, createTag, moveRefs, type RefMove, removeRef } from './refUpdates.ts';
export { allRefs, conflictingRef, isReadOnly, type RefKind, type RefRow, refOf } from './store.ts';
export { createCommit } from './commits.ts';
export { copyCommit, type Merged, mergeIntoBranch } from './mergeIntoBranch.ts';
export { projectRepository } from './projectRepository.ts';
