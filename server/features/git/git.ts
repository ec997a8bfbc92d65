// Repositories of projects and their refs: opening them, one change at a time, and finding commits.

export {
  ensureRepository,
  forgetFolder,
  inTurn,
  knownHeads,
  located,
  openRepository,
  projectQueue,
  refPath,
  rememberHeads,
  type ShownHeads,
  updateRefs,
} from './open.ts';
export {
  branchHead,
  findCommit,
  findTag,
  hasCommit,
  isAncestor,
  lastCommitOf,
  namedCommits,
  refKindOf,
  resolveRef,
} from './refs.ts';
export { measureRepositories } from './sizes.ts';
export {
  allRefs,
  conflictingRef,
  countRefs,
  deleteRef,
  hasBranches,
  headBranchOf,
  insertRepository,
  isReadOnly,
  listRefs,
  longestRef,
  readmeOf,
  type RefFilter,
  type RefKind,
  refOf,
  type RefOrder,
  type RefRow,
  repositoryOf,
  writeReadme,
  writeRef,
} from './store.ts';
