import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import { beginCondition, type SqlParams } from '../../store/sql.ts';

export function insertContent(
  store: Store,
  content: { readonly subject: string; readonly text: string; readonly data: string; readonly now: number },
): number {
  return store.run('INSERT INTO mail_contents (subject, text, data, created_at) VALUES ($subject, $text, $data, $now)', content)
    .lastId;
}

export function insertMail(
  store: Store,
  mail: {
    readonly contentId: number;
    readonly userId: number | null;
    readonly address: string;
    readonly reason: string | null;
    readonly messageId: string;
    readonly now: number;
  },
): number {
  return store.run(
    `INSERT INTO mails (content_id, user_id, address, reason, message_id, created_at)
     VALUES ($contentId, $userId, $address, $reason, $messageId, $now)`,
    { ...mail },
  ).lastId;
}

export interface MailRow {
  readonly id: number;
  readonly user_id: number | null;
  readonly address: string;
  readonly reason: string | null;
  readonly message_id: string;
  readonly created_at: number;
  readonly read_at: number | null;
  readonly subject: string;
  /** {@link MailContent} as JSON. */
  readonly data: string;
  /** Name of the notification event; null for other mails. */
  readonly event: string | null;
  readonly event_id: number | null;
  /** Delivery to the SMTP server; all null if there is none. */
  readonly attempts: number | null;
  readonly next_at: number | null;
  readonly sent_at: number | null;
  readonly failed_at: number | null;
  readonly error: string | null;
  /** Address of this server at the first attempt. */
  readonly origin: string | null;
}

export interface MailFilter {
  readonly userId?: number | undefined;
  /** Address of the recipient. */
  readonly to?: string | undefined;
  /** Part of the subject or text. */
  readonly search?: string | undefined;
  readonly event?: string | undefined;
  readonly unread?: boolean | undefined;
  /** Only mails with a greater ID. */
  readonly afterId?: number | undefined;
}

const TABLES = `mails m JOIN mail_contents c ON c.id = m.content_id
  LEFT JOIN notification_decisions_view d ON d.mail_id = m.id LEFT JOIN notification_events_view e ON e.id = d.event_id
  LEFT JOIN mail_deliveries s ON s.mail_id = m.id`;
const COLUMNS = `m.id, m.user_id, m.address, m.reason, m.message_id, m.created_at, m.read_at, c.subject, c.data, e.event,
  e.id AS event_id, s.attempts, s.next_at, s.sent_at, s.failed_at, s.error, s.origin`;

function conditions(filter: MailFilter): { readonly where: string; readonly params: SqlParams } {
  const { add, addSearch, also, whole } = beginCondition({});
  add('userId', 'm.user_id = $userId', filter.userId);
  add('to', 'm.address = $to COLLATE NOCASE', filter.to);
  add('afterId', 'm.id > $afterId', filter.afterId);
  add('event', 'e.event = $event', filter.event);
  addSearch('search', ['c.subject', 'c.text'], filter.search);
  if (filter.unread !== undefined) also(`m.read_at IS ${filter.unread ? '' : 'NOT '}NULL`);
  return whole();
}

export function countMails(store: Store, filter: MailFilter, cap: number): number {
  const { where, params } = conditions(filter);
  return countRows(store, `FROM ${TABLES} WHERE ${where}`, params, cap);
}

/** Returns mails with their contents, newest first. */
export function listMails(store: Store, filter: MailFilter, limit: number, offset: number): MailRow[] {
  const { where, params } = conditions(filter);
  return store.all<MailRow>(`SELECT ${COLUMNS} FROM ${TABLES} WHERE ${where} ORDER BY m.id DESC LIMIT $limit OFFSET $offset`, {
    ...params,
    limit,
    offset,
  });
}

export function mailById(store: Store, id: number): MailRow | undefined {
  return store.get<MailRow>(`SELECT ${COLUMNS} FROM ${TABLES} WHERE m.id = $id`, { id });
}

/** Returns the next mails after an ID, oldest first. */
export function mailsAfter(
  store: Store,
  id: number,
  limit: number,
): { readonly id: number; readonly user_id: number | null; readonly created_at: number }[] {
  return store.all('SELECT id, user_id, created_at FROM mails WHERE id > $id ORDER BY id LIMIT $limit', { id, limit });
}

export function lastMailId(store: Store): number {
  return store.get<{ id: number | null }>('SELECT max(id) AS id FROM mails')?.id ?? 0;
}

/** Returns the number of unread mails of a user, at most `cap`. */
export function countUnread(store: Store, userId: number, cap: number): number {
  return countRows(store, 'FROM mails WHERE user_id = $userId AND read_at IS NULL', { userId }, cap);
}

/** Marks a mail as read at a time, or as unread (null). */
export function writeRead(store: Store, id: number, readAt: number | null): void {
  store.run('UPDATE mails SET read_at = $readAt WHERE id = $id', { id, readAt });
}

/** Marks all unread mails of a user as read. Returns how many there were. */
export function writeAllRead(store: Store, userId: number, now: number): number {
  return store.run('UPDATE mails SET read_at = $now WHERE user_id = $userId AND read_at IS NULL', { userId, now }).changes;
}

/** Deletes a mail. A trigger deletes its content with the last mail that has it. */
export function deleteMail(store: Store, id: number): void {
  store.run('DELETE FROM mails WHERE id = $id', { id });
}

export function oldestMail(store: Store): number | null {
  return store.get<{ at: number | null }>('SELECT min(created_at) AS at FROM mails')?.at ?? null;
}

/** Deletes some of the mails that are not newer than a time. Returns their number. */
export function deleteMailsBefore(store: Store, until: number, limit: number): number {
  const sql = 'DELETE FROM mails WHERE created_at <= $until ORDER BY created_at LIMIT $limit';
  return store.run(sql, { until, limit }).changes;
}

export function insertDelivery(store: Store, mailId: number, now: number): void {
  store.run('INSERT INTO mail_deliveries (mail_id, next_at) VALUES ($mailId, $now)', { mailId, now });
}

/** Returns the delivery that is due first, without those that are under way. */
export function nextDelivery(
  store: Store,
  underWay: readonly number[],
): { readonly mail_id: number; readonly next_at: number } | undefined {
  return store.get(
    `SELECT mail_id, next_at FROM mail_deliveries
     WHERE next_at IS NOT NULL AND mail_id NOT IN (SELECT value FROM json_each($underWay)) ORDER BY next_at, mail_id LIMIT 1`,
    { underWay: JSON.stringify(underWay) },
  );
}

/** Stores the address of this server for the first attempt; later attempts keep it. */
export function writeOrigin(store: Store, mailId: number, origin: string): void {
  store.run('UPDATE mail_deliveries SET origin = $origin WHERE mail_id = $mailId AND origin IS NULL', { mailId, origin });
}

/** Stores the result of an attempt. `nextAt` is null if there will be no other. */
export function writeAttempt(
  store: Store,
  mailId: number,
  result: {
    readonly nextAt: number | null;
    readonly sentAt: number | null;
    readonly failedAt: number | null;
    readonly error: string | null;
  },
): void {
  store.run(
    `UPDATE mail_deliveries SET next_at = $nextAt, sent_at = $sentAt, failed_at = $failedAt, error = $error, attempts = attempts + 1
     WHERE mail_id = $mailId`,
    { mailId, ...result },
  );
}

/** Makes all waiting deliveries due, for example because the SMTP server was changed. */
export function retryDeliveries(store: Store, now: number): void {
  store.run('UPDATE mail_deliveries SET next_at = $now WHERE next_at IS NOT NULL AND next_at > $now', { now });
}

/** Returns the value of a setting that is a text, or undefined if it was never set. */
export function storedText(store: Store, name: string): string | undefined {
  return store.get<{ value: string }>('SELECT value FROM instance_texts WHERE name = $name', { name })?.value;
}

export function storeText(store: Store, name: string, value: string): void {
  store.run('INSERT INTO instance_texts (name, value) VALUES ($name, $value) ON CONFLICT (name) DO UPDATE SET value = $value', {
    name,
    value,
  });
}
