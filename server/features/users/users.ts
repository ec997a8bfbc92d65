// Accounts: finding, creating, changing and deleting users.

export {
  checkPassword,
  createUser,
  deleteUser,
  emailHolder,
  ensureGhost,
  ensureRoot,
  findUser,
  findUserByIdOrName,
  findUserByLogin,
  findUserByName,
  hasPeopleBesidesRoot,
  isLastAdministrator,
  isUnclaimed,
  personalNamespaceId,
  recordSignIn,
  setPassword,
  storePassword,
  updateUser,
} from './accounts.ts';
export type { UserStateAction } from './changes.ts';
export { writePasswordHashes, writeUpdateTime } from './demoStore.ts';
export {
  enterprisePasswords,
  enterpriseRefusal,
  enterpriseUsers,
  passwordRefusingGroup,
  releaseEnterpriseUsers,
  setEnterpriseGroup,
  usesPassword,
} from './enterprise.ts';
export { countFollows, deleteFollow, followsOf, insertFollow, listFollows } from './follows.ts';
export {
  countMatchingUsers,
  listUsers,
  markActivity,
  personById,
  setUserState,
  type UserFilter,
  type UserOrder,
} from './store.ts';
