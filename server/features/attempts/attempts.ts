// Failed attempts to sign in, and the locks that they cause.

export { accountLockedUntil, accountLocks, accountSubject, unlockAccount } from './accountLock.ts';
export { formatLockEnd, lockedUntil, recordAttempt, retryAfter, withdrawAttempt } from './failedAttempts.ts';
