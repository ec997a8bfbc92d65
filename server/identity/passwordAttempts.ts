import type { Platform } from '../platform.ts';
import { forgetAttempts, lockedUntil, noteAttempt } from '../web/attempts.ts';
import { checkPassword, findUserByLogin, type User } from './identity.ts';

export type PasswordOutcome =
  | { readonly user: User }
  /** Nothing was checked, because too many were wrong before. */
  | { readonly lockedUntil: number }
  | 'refused';

/**
 * Checks a password wherever one is sent. Ten wrong ones in ten minutes lock the account for ten minutes, whether it was named by
 * username or e-mail; a name that nobody has is locked like one that somebody has, so that nothing tells them apart.
 */
export async function tryPassword(platform: Platform, login: string, password: string): Promise<PasswordOutcome> {
  const named = findUserByLogin(platform, login);
  const subject = named === undefined ? `name ${login.toLowerCase()}` : `account ${named.id}`;
  const locked = lockedUntil(platform, 'password', subject);
  if (locked !== undefined) return { lockedUntil: locked };
  // Counted before it is known to be wrong: the check takes time, and many at once must not slip through together.
  noteAttempt(platform, 'password', subject);
  const user = await checkPassword(platform, login, password);
  if (user === undefined) return 'refused';
  forgetAttempts(platform, 'password', subject);
  return { user };
}
