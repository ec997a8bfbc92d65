import type { Platform } from '../platform.ts';
import { forgetAttempts, lockedUntil } from '../web/attempts.ts';

/** Under which wrong passwords and codes of a person are counted, by whatever name they were called. */
export function accountSubject({ id }: { readonly id: number }): string {
  return `account ${id}`;
}

/** Until when too many wrong passwords and codes keep a person from signing in; undefined when nothing does. */
export function accountLockedUntil(platform: Platform, user: { readonly id: number }): number | undefined {
  return lockedUntil(platform, 'password', accountSubject(user));
}

/** Forgets what was wrong, and with that ends a lock. */
export function unlockAccount(platform: Platform, user: { readonly id: number }): void {
  forgetAttempts(platform, 'password', accountSubject(user));
}
