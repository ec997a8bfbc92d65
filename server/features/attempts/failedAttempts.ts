import { MINUTE } from '../../core/clock.ts';
import type { Core } from '../../core/core.ts';
import { hashSecret } from '../../core/secrets.ts';

/** Number of failures within the window that lock a subject. The lock lasts as long as the window, from the last failure on. */
const LIMIT = 10;
const WINDOW = 10 * MINUTE;

/** Kind of attempt: a password, or a user code of the device grant. */
export type AttemptKind = 'password' | 'user code';

/** Returns true if nothing can be locked, because nothing has failed within the window. */
export function isNothingLocked({ store, clock }: Core): boolean {
  const now = clock.now();
  return store.get('SELECT 1 FROM attempts WHERE at > $since AND at <= $now LIMIT 1', { since: now - WINDOW, now }) === undefined;
}

/** Returns the end of the lock of a subject, or undefined if it is not locked. Callers must not record attempts of a locked subject. */
export function lockedUntil(core: Core, kind: AttemptKind, subject: string, limit = LIMIT): number | undefined {
  const now = core.clock.now();
  const latest = core.store.all<{ at: number }>(
    'SELECT at FROM attempts WHERE kind = $kind AND subject = $subject AND at <= $now ORDER BY at DESC LIMIT $limit',
    { kind, subject: hashSecret(subject), now, limit },
  );
  const newest = latest[0];
  const oldest = latest[limit - 1];
  if (newest === undefined || oldest === undefined || newest.at - oldest.at >= WINDOW) return undefined;
  return newest.at + WINDOW > now ? newest.at + WINDOW : undefined;
}

/** Records a failure and returns its ID. Subjects are stored as hashes, because users type passwords into the wrong field. */
export function recordAttempt(core: Core, kind: AttemptKind, subject: string): number {
  const { lastId } = core.store.run('INSERT INTO attempts (kind, subject, at) VALUES ($kind, $subject, $now)', {
    kind,
    subject: hashSecret(subject),
    now: core.clock.now(),
  });
  return lastId;
}

/** Removes a failure that was recorded by mistake. */
export function withdrawAttempt(core: Core, id: number): void {
  core.store.run('DELETE FROM attempts WHERE id = $id', { id });
}

/** Removes the failures of a subject after a success. */
export function forgetAttempts(core: Core, kind: AttemptKind, subject: string): void {
  core.store.run('DELETE FROM attempts WHERE kind = $kind AND subject = $subject', { kind, subject: hashSecret(subject) });
}

/** Returns the `Retry-After` of a lock, in whole seconds. */
export function retryAfter(until: number, now: number): string {
  return String(Math.max(Math.ceil((until - now) / 1000), 1));
}

/** Formats the end of a lock: `in 3 minutes`. */
export function formatLockEnd(until: number, now: number): string {
  const minutes = Math.max(Math.ceil((until - now) / MINUTE), 1);
  return `in ${minutes} minute${minutes === 1 ? '' : 's'}`;
}
