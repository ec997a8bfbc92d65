import type { Platform } from '../../platform.ts';
import { forgetAttempts, lockedUntil } from '../../web/attempts.ts';

/** Returns the key under which failed sign-in attempts of a user are counted, whether they used the username or the email address. */
export function accountSubject({ id }: { readonly id: number }): string {
  return `account ${id}`;
}

/** Returns the end of the lock that too many failed sign-in attempts caused; undefined if the account is not locked. */
export function accountLockedUntil(platform: Platform, user: { readonly id: number }): number | undefined {
  return lockedUntil(platform, 'password', accountSubject(user));
}

/** Clears the failed sign-in attempts of a user, which ends a lock. */
export function unlockAccount(platform: Platform, user: { readonly id: number }): void {
  forgetAttempts(platform, 'password', accountSubject(user));
}
