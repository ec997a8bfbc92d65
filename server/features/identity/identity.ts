import type { Feature } from '../../http/feature.ts';
import { accountPages } from './accountPages.ts';
import { identityRoutes } from './routes.ts';
import { scheduleSignInCleanUp } from './signIn/cleanUp.ts';
import { signInPages } from './signIn/pages.ts';
import { tokenPages } from './tokenPages.ts';
import { twoFactorPages } from './twoFactorPages.ts';

export {
  actAs,
  adoptAdminToken,
  authenticate,
  createUser,
  deleteUser,
  demandActive,
  emailHolder,
  ensureGhost,
  ensureRoot,
  findUser,
  findUserByIdOrName,
  findUserByLogin,
  findUserByName,
  hasPeopleBesidesRoot,
  isAdminToken,
  isBlocked,
  isLastAdministrator,
  isProfileShown,
  isUnclaimed,
  lockReason,
  ownerOfToken,
  passwordProblem,
  personalNamespaceId,
  sessionCaller,
  setPassword,
  updateUser,
} from './accounts.ts';
export { checkCurrentPassword, currentPasswordField, type ValidationErrors, validationStatus } from './currentPassword.ts';
export { writePasswordHashes, writeUpdateTime } from './demoStore.ts';
export {
  countEmails,
  deleteEmail,
  emailById,
  emailOf,
  type EmailRow,
  insertEmail,
  listEmails,
  writeConfirmationSent,
  writeConfirmed,
} from './emailStore.ts';
export {
  enterprisePasswords,
  enterpriseRefusal,
  enterpriseUsers,
  passwordRefusingGroup,
  releaseEnterpriseUsers,
} from './enterprise.ts';
export { insertFollow } from './follows.ts';
export { identityGraphql, presentPerson, type UserFields } from './graphql.ts';
export { isEmail, isReservedName, isUsername, lengthErrors, MAX_USER_TEXT } from './names.ts';
export { recordFailedSignIn, tryPassword } from './passwordAttempts.ts';
export { peopleOf } from './people.ts';
export { presentUserBasic, presentUserPrivate, presentUserProfile } from './present.ts';
export { userBasic, userBasicMembers, userPrivate, userProfile } from './responses.ts';
export { chosenScopes, scopeBadges, scopeBoxes, scopeList } from './scopes.ts';
export { hasSecondFactor, twoFactorFilter } from './secondFactor.ts';
export { formatLockEnd, lockedUntil, recordAttempt, retryAfter } from './signIn/attempts.ts';
export { entryContent, maySetUp } from './signIn/contents.ts';
export { mintSetUpLink, mintSignInLink, SET_UP_PAGE } from './signIn/links.ts';
export { openSession } from './signIn/session.ts';
export { searchUsers } from './userSearch.ts';
export { isActivePersonalToken, isPersonalToken, issuePersonalToken, tokenErrors } from './tokens.ts';

/** Accounts, their credentials and tokens, and the pages to sign in and change them. */
export const identity: Feature = {
  routes: identityRoutes,
  pages: (core) => [...signInPages(core), ...accountPages(core), ...tokenPages(core), ...twoFactorPages(core)],
  start: scheduleSignInCleanUp,
};
