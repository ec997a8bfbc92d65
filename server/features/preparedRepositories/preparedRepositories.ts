// Repositories that are prepared before their project exists: histories of seeds, and copies for forks.

export { adoptCopy, copyRepository, discardCopy, hasBranch, preparedCopy, type RepositoryCopy } from './copy.ts';
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
  pushBranches,
  pushPrepared,
  refHead,
} from './prepareHistory.ts';
