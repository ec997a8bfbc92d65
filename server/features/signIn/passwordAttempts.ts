import type { Core } from '../../core/core.ts';
import {
  accountLockedUntil,
  accountSubject,
  lockedUntil,
  recordAttempt,
  unlockAccount,
  withdrawAttempt,
} from '../attempts/attempts.ts';
import type { User } from '../../core/caller.ts';
import { checkPassword, findUserByLogin } from '../users/users.ts';
import { type CodeOutcome, hasSecondFactor, spendCode } from '../secondFactors/secondFactors.ts';

/** The account is locked after too many failed attempts, so nothing was checked. */
interface Locked {
  readonly lockedUntil: number;
}

export type PasswordOutcome = { readonly user: User } | Locked | 'refused';

/**
 * Checks a password. Ten wrong passwords within ten minutes lock the account for ten minutes, whether they came with the username or the
 * email address. Unknown names are locked in the same way, so that the response does not reveal whether an account exists.
 */
export async function tryPassword(core: Core, login: string, password: string): Promise<PasswordOutcome> {
  const account = findUserByLogin(core, login);
  const subject = account === undefined ? `name ${login.toLowerCase()}` : accountSubject(account);
  const locked = lockedUntil(core, 'password', subject);
  if (locked !== undefined) return { lockedUntil: locked };
  // The attempt counts before the slow check, so that concurrent attempts cannot exceed the limit.
  const attempt = recordAttempt(core, 'password', subject);
  const user = await checkPassword(core, login, password);
  if (user === undefined) {
    if (account !== undefined) publishLock(core, account);
    return 'refused';
  }
  // Sending the correct password again must not reset the count of wrong codes.
  if (hasSecondFactor(core, user)) withdrawAttempt(core, attempt);
  else unlockAccount(core, user);
  return { user };
}

/** Checks a second-factor code of a user whose password was correct. Wrong codes count like wrong passwords. */
export async function tryCode(core: Core, user: User, code: string): Promise<CodeOutcome | Locked> {
  const locked = accountLockedUntil(core, user);
  if (locked !== undefined) return { lockedUntil: locked };
  recordAttempt(core, 'password', accountSubject(user));
  const outcome = await spendCode(core, user, code);
  if (outcome === 'accepted') unlockAccount(core, user);
  else publishLock(core, user);
  return outcome;
}

function publishLock(core: Core, user: User): void {
  if (accountLockedUntil(core, user) !== undefined) core.changes.publish({ kind: 'accountLocked', userId: user.id });
}

/** Publishes a failed sign-in; `user` is undefined if the name is unknown. */
export function recordFailedSignIn({ changes }: Core, user: User | undefined, by: 'password' | 'code'): void {
  changes.publish({ kind: 'signInFailed', userId: user?.id ?? null, by });
}
