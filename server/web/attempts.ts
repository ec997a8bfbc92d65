import { MINUTE } from '../clock.ts';
import type { Platform } from '../platform.ts';
import { hashSecret } from '../secrets.ts';

/** This many failures within the window lock their subject for as long again, counted from the last one. */
const LIMIT = 10;
const WINDOW = 10 * MINUTE;

/** What is tried: a password, or a user code of the device grant. */
export type AttemptKind = 'password' | 'user code';

/** Until when a subject is locked out; undefined when it is not. While it is, callers must not note further attempts. */
export function lockedUntil(platform: Platform, kind: AttemptKind, subject: string, limit = LIMIT): number | undefined {
  const now = platform.clock.now();
  const latest = platform.store.all<{ at: number }>(
    'SELECT at FROM attempts WHERE kind = $kind AND subject = $subject AND at <= $now ORDER BY at DESC LIMIT $limit',
    { kind, subject: hashSecret(subject), now, limit },
  );
  const newest = latest[0];
  const oldest = latest[limit - 1];
  if (newest === undefined || oldest === undefined || newest.at - oldest.at >= WINDOW) return undefined;
  return newest.at + WINDOW > now ? newest.at + WINDOW : undefined;
}

/** Counts one failure and answers its number. Subjects are stored hashed: people type passwords into the wrong field. */
export function recordAttempt(platform: Platform, kind: AttemptKind, subject: string): number {
  const { lastId } = platform.store.run('INSERT INTO attempts (kind, subject, at) VALUES ($kind, $subject, $now)', {
    kind,
    subject: hashSecret(subject),
    now: platform.clock.now(),
  });
  return lastId;
}

/** Takes back one failure that was none. */
export function withdrawAttempt(platform: Platform, id: number): void {
  platform.store.run('DELETE FROM attempts WHERE id = $id', { id });
}

/** Forgets the failures of a subject that has succeeded. */
export function forgetAttempts(platform: Platform, kind: AttemptKind, subject: string): void {
  platform.store.run('DELETE FROM attempts WHERE kind = $kind AND subject = $subject', { kind, subject: hashSecret(subject) });
}

/** `Retry-After` of a lock, in whole seconds. */
export function retryAfter(until: number, now: number): string {
  return String(Math.max(Math.ceil((until - now) / 1000), 1));
}

/** A lock's end in words: `in 3 minutes`. */
export function formatLockEnd(until: number, now: number): string {
  const minutes = Math.max(Math.ceil((until - now) / MINUTE), 1);
  return `in ${minutes} minute${minutes === 1 ? '' : 's'}`;
}
