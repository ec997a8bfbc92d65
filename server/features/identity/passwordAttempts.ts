import type { Platform } from '../../platform.ts';
import { lockedUntil, recordAttempt, withdrawAttempt } from '../../web/attempts.ts';
import { accountLockedUntil, accountSubject, unlockAccount } from './accountLock.ts';
import { checkPassword, findUserByLogin, type User } from './identity.ts';
import { type CodeOutcome, hasSecondFactor, spendCode } from './secondFactor.ts';

/** The account is locked after too many failed attempts, so nothing was checked. */
interface Locked {
  readonly lockedUntil: number;
}

export type PasswordOutcome = { readonly user: User } | Locked | 'refused';

/**
 * Checks a password. Ten wrong passwords within ten minutes lock the account for ten minutes, whether they came with the username or the
 * email address. Unknown names are locked in the same way, so that the response does not reveal whether an account exists.
 */
export async function tryPassword(platform: Platform, login: string, password: string): Promise<PasswordOutcome> {
  const account = findUserByLogin(platform, login);
  const subject = account === undefined ? `name ${login.toLowerCase()}` : accountSubject(account);
  const locked = lockedUntil(platform, 'password', subject);
  if (locked !== undefined) return { lockedUntil: locked };
  // The attempt counts before the slow check, so that concurrent attempts cannot exceed the limit.
  const attempt = recordAttempt(platform, 'password', subject);
  const user = await checkPassword(platform, login, password);
  if (user === undefined) {
    if (account !== undefined) publishLock(platform, account);
    return 'refused';
  }
  // Sending the correct password again must not reset the count of wrong codes.
  if (hasSecondFactor(platform, user)) withdrawAttempt(platform, attempt);
  else unlockAccount(platform, user);
  return { user };
}

/** Checks a second-factor code of a user whose password was correct. Wrong codes count like wrong passwords. */
export async function tryCode(platform: Platform, user: User, code: string): Promise<CodeOutcome | Locked> {
  const locked = accountLockedUntil(platform, user);
  if (locked !== undefined) return { lockedUntil: locked };
  recordAttempt(platform, 'password', accountSubject(user));
  const outcome = await spendCode(platform, user, code);
  if (outcome === 'accepted') unlockAccount(platform, user);
  else publishLock(platform, user);
  return outcome;
}

function publishLock(platform: Platform, user: User): void {
  if (accountLockedUntil(platform, user) !== undefined) platform.changes.publish({ kind: 'accountLocked', userId: user.id });
}

/** Publishes a failed sign-in; `user` is undefined if the name is unknown. */
export function recordFailedSignIn({ changes }: Platform, user: User | undefined, by: 'password' | 'code'): void {
  changes.publish({ kind: 'signInFailed', userId: user?.id ?? null, by });
}
