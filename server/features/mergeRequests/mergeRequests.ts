import type { GitCore } from '../../repositories/repositories.ts';
import type { Feature } from '../../http/feature.ts';
import { mergeRequestRoutes } from './routes.ts';
import { mergeRequestPages } from './pages.ts';
import { followRepositories } from './branchUpdates.ts';

export { approve } from './approvals.ts';
export type { ChangedMergeRequest, FormerMergeRequest } from './changes.ts';
export { commentableMergeRequest } from './commentable.ts';
export { mergeRequestFields, mergeRequestsGraphql } from './graphql.ts';
export { searchMergeRequests } from './lists.ts';
export {
  createMergeRequest,
  findMergeRequest,
  type MergeRequest,
  mergeRequestContributions,
  mergeRequestHeads,
  mustFindMergeRequest,
  peopleOn,
  updateMergeRequest,
} from './manageMergeRequests.ts';
export { mergeMessage, mergePrepared } from './merging.ts';
export { presentMergeRequests } from './present.ts';
export { listedMergeRequest } from './responses.ts';
export { openOfBranch } from './store.ts';

/** Merge requests, which follow the branches of repositories. */
export const mergeRequests: Feature<GitCore> = {
  routes: mergeRequestRoutes,
  pages: mergeRequestPages,
  subscribe: followRepositories,
};
