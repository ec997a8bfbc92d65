import { isLoopbackAddress } from '../../http/hostGuard.ts';
import type { Core } from '../../core/core.ts';
import { lockedUntil, recordAttempt } from '../attempts/attempts.ts';

/** Numbers of wrong user codes within ten minutes that lock code entry: per account, and per IP address. */
const MAX_WRONG_OF_ACCOUNT = 10;
const MAX_WRONG_OF_ADDRESS = 100;

interface CodeEntry {
  readonly userId: number;
  readonly address: string;
}

/**
 * Returns the subjects that wrong codes can lock, with their limits. All users on this machine share the loopback address, so one user could
 * lock out all others. Therefore only the limit of the account applies there, as well as for users of a proxy on this machine.
 */
function subjectsOf({ userId, address }: CodeEntry): readonly (readonly [subject: string, limit: number])[] {
  const account = [`account ${userId}`, MAX_WRONG_OF_ACCOUNT] as const;
  return isLoopbackAddress(address) ? [account] : [account, [`address ${address}`, MAX_WRONG_OF_ADDRESS]];
}

/** Returns the end of the lock of code entry, or undefined if it is not locked. */
export function codeEntryLockedUntil(core: Core, entry: CodeEntry): number | undefined {
  const locks = subjectsOf(entry).map(([subject, limit]) => lockedUntil(core, 'user code', subject, limit));
  const ends = locks.filter((end) => end !== undefined);
  return ends.length === 0 ? undefined : Math.max(...ends);
}

export function recordWrongCode(core: Core, entry: CodeEntry): void {
  for (const [subject] of subjectsOf(entry)) recordAttempt(core, 'user code', subject);
}
