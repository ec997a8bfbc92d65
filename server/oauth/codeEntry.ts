import { isLoopbackAddress } from '../http/hostGuard.ts';
import type { Platform } from '../platform.ts';
import { lockedUntil, recordAttempt } from '../web/attempts.ts';

/** Wrong user codes in ten minutes that lock code entry: for one account, and for all accounts of one address. */
const MAX_WRONG_OF_ACCOUNT = 10;
const MAX_WRONG_OF_ADDRESS = 100;

interface CodeEntry {
  readonly userId: number;
  readonly address: string;
}

/**
 * Whoever is locked out, with the limit of each. Everybody on this machine has the same loopback address, so that one person would lock
 * out all others; there, and behind a proxy on this machine, the limit of the account is the one that counts.
 */
function subjectsOf({ userId, address }: CodeEntry): readonly (readonly [subject: string, limit: number])[] {
  const account = [`account ${userId}`, MAX_WRONG_OF_ACCOUNT] as const;
  return isLoopbackAddress(address) ? [account] : [account, [`address ${address}`, MAX_WRONG_OF_ADDRESS]];
}

/** Until when code entry is locked; undefined when it is not. */
export function codeEntryLockedUntil(platform: Platform, entry: CodeEntry): number | undefined {
  const locks = subjectsOf(entry).map(([subject, limit]) => lockedUntil(platform, 'user code', subject, limit));
  const ends = locks.filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

export function recordWrongCode(platform: Platform, entry: CodeEntry): void {
  for (const [subject] of subjectsOf(entry)) recordAttempt(platform, 'user code', subject);
}
