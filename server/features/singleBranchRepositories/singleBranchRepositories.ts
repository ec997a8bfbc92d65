// Repositories with one branch that belong to no project, such as those of snippets.

export {
  type Draft,
  headOfSingle,
  isNewest,
  isReadOnlySingle,
  moveSingle,
  openForFetch,
  readSingle,
  SINGLE_BRANCH,
  singleQueue,
  writeSingle,
} from './singleBranchRepository.ts';
export { insertSingle, singleRepository, writeHead, writeReadOnlyOfSingle, writeStorageOfSingle } from './store.ts';
