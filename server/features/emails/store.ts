import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';

export interface EmailRow {
  readonly id: number;
  readonly user_id: number;
  readonly email: string;
  readonly confirmed_at: number | null;
  /** Time of the latest confirmation mail. Null if none was sent. */
  readonly confirmation_sent_at: number | null;
  readonly created_at: number;
}

export function insertEmail(store: Store, email: Omit<EmailRow, 'id'>): number {
  return store.run(
    `INSERT INTO emails (user_id, email, confirmed_at, confirmation_sent_at, created_at)
     VALUES ($user_id, $email, $confirmed_at, $confirmation_sent_at, $created_at)`,
    { ...email },
  ).lastId;
}

export function emailById(store: Store, id: number): EmailRow | undefined {
  return store.get<EmailRow>('SELECT * FROM emails WHERE id = $id', { id });
}

export function emailOf(store: Store, userId: number, email: string): EmailRow | undefined {
  return store.get<EmailRow>('SELECT * FROM emails WHERE email = $email AND user_id = $userId', { userId, email });
}

export function countEmails(store: Store, userId: number, cap: number): number {
  return countRows(store, 'FROM emails WHERE user_id = $userId', { userId }, cap);
}

/** Returns the additional addresses of a user, oldest first. */
export function listEmails(store: Store, userId: number, limit: number, offset: number): EmailRow[] {
  return store.all<EmailRow>('SELECT * FROM emails WHERE user_id = $userId ORDER BY id LIMIT $limit OFFSET $offset', {
    userId,
    limit,
    offset,
  });
}

export function writeConfirmed(store: Store, id: number, now: number): void {
  store.run('UPDATE emails SET confirmed_at = $now WHERE id = $id', { id, now });
}

export function writeConfirmationSent(store: Store, id: number, now: number): void {
  store.run('UPDATE emails SET confirmation_sent_at = $now WHERE id = $id', { id, now });
}

export function deleteEmail(store: Store, id: number): void {
  store.run('DELETE FROM emails WHERE id = $id', { id });
}
