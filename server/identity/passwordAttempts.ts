import type { Platform } from '../platform.ts';
import { lockedUntil, recordAttempt, withdrawAttempt } from '../web/attempts.ts';
import { accountLockedUntil, accountSubject, unlockAccount } from './accountLock.ts';
import { checkPassword, findUserByLogin, type User } from './identity.ts';
import { type CodeOutcome, hasSecondFactor, spendCode } from './secondFactor.ts';

/** Nothing was checked, because too many were wrong before. */
interface Locked {
  readonly lockedUntil: number;
}

export type PasswordOutcome = { readonly user: User } | Locked | 'refused';

/**
 * Checks a password wherever one is sent. Ten wrong ones in ten minutes lock the account for ten minutes, whether it was named by
 * username or e-mail; a name that nobody has is locked like one that somebody has, so that nothing tells them apart.
 */
export async function tryPassword(platform: Platform, login: string, password: string): Promise<PasswordOutcome> {
  const named = findUserByLogin(platform, login);
  const subject = named === undefined ? `name ${login.toLowerCase()}` : accountSubject(named);
  const locked = lockedUntil(platform, 'password', subject);
  if (locked !== undefined) return { lockedUntil: locked };
  // Counted before it is known to be wrong: the check takes time, and many at once must not slip through together.
  const attempt = recordAttempt(platform, 'password', subject);
  const user = await checkPassword(platform, login, password);
  if (user === undefined) {
    if (named !== undefined) tellOfLock(platform, named);
    return 'refused';
  }
  // Whoever has only the password must not have the wrong codes forgotten by sending it again.
  if (hasSecondFactor(platform, user)) withdrawAttempt(platform, attempt);
  else unlockAccount(platform, user);
  return { user };
}

/** Checks a code of the second factor of somebody whose password was right. Wrong ones count like wrong passwords. */
export async function tryCode(platform: Platform, user: User, code: string): Promise<CodeOutcome | Locked> {
  const locked = accountLockedUntil(platform, user);
  if (locked !== undefined) return { lockedUntil: locked };
  recordAttempt(platform, 'password', accountSubject(user));
  const outcome = await spendCode(platform, user, code);
  if (outcome === 'accepted') unlockAccount(platform, user);
  else tellOfLock(platform, user);
  return outcome;
}

function tellOfLock(platform: Platform, user: User): void {
  if (accountLockedUntil(platform, user) !== undefined) platform.changes.publish({ kind: 'accountLocked', userId: user.id });
}

/** Tells of a sign-in that was refused; of whom, where the name is somebody's. */
export function recordFailedSignIn({ changes }: Platform, user: User | undefined, by: 'password' | 'code'): void {
  changes.publish({ kind: 'signInFailed', userId: user?.id ?? null, by });
}
