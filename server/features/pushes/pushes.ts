// Changes of branches and tags: who may push, commits, merges, and what is published about them.

export {
  developerAccess,
  isProtected,
  isProtectedTag,
  mayMergeInto,
  mayPush,
  mayPushTo,
  pushRefusal,
  type RefChange,
} from './access.ts';
export type { PushedCommit, PushedRef } from './changes.ts';
export { createCommit } from './commits.ts';
export { copyCommit, type Merged, mergeIntoBranch } from './mergeIntoBranch.ts';
export { projectRepository } from './projectRepository.ts';
export { addedCommits, createBranch, createTag, moveRefs, type RefMove, removeRef } from './refUpdates.ts';
