import type { Core } from '../../core/core.ts';
import { forgetAttempts, isNothingLocked, lockedUntil } from './failedAttempts.ts';

/** Returns the key under which failed sign-in attempts of a user are counted, whether they used the username or the email address. */
export function accountSubject({ id }: { readonly id: number }): string {
  return `account ${id}`;
}

/** Returns a function that says if accounts are locked. For responses with several accounts, of which usually none is locked. */
export function accountLocks(core: Core): (user: { readonly id: number }) => boolean {
  let isNothing: boolean | undefined;
  return (user) => !(isNothing ??= isNothingLocked(core)) && accountLockedUntil(core, user) !== undefined;
}

/** Returns the end of the lock that too many failed sign-in attempts caused; undefined if the account is not locked. */
export function accountLockedUntil(core: Core, user: { readonly id: number }): number | undefined {
  return lockedUntil(core, 'password', accountSubject(user));
}

/** Clears the failed sign-in attempts of a user, which ends a lock. */
export function unlockAccount(core: Core, user: { readonly id: number }): void {
  forgetAttempts(core, 'password', accountSubject(user));
}
