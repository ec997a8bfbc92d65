import type { Client, Page } from '../api/client.ts';
import { apiPath } from '../api/encode.ts';
import { type Mail, type MailBasic, readMail, readMailBasic } from '../contract/mail.ts';

/** Mails that a list shows. */
export interface MailFilter {
  /** Text to search for; empty for no search. */
  readonly search: string;
  readonly isUnreadOnly: boolean;
}

/** Number of unread mails. If `isMore` is true, there are more than `count`. */
export interface UnreadCount {
  readonly count: number;
  readonly isMore: boolean;
}

/** Mails per page. */
const PAGE = 50;
/** Maximum number of unread mails that are counted; the API counts by page. */
const MAX_COUNTED = 100;

const MAILS = '/user/mails';

/** Lists the mails of the account, newest first. Rejects with an `ApiFailure`, like all functions of this file. */
export function listMails(client: Client, { search, isUnreadOnly }: MailFilter, signal?: AbortSignal): Promise<Page<MailBasic>> {
  const query = {
    per_page: PAGE,
    ...(search === '' ? {} : { search }),
    ...(isUnreadOnly ? { unread: true } : {}),
  };
  return client.list(MAILS, readMailBasic, query, signal);
}

export async function countUnread(client: Client, signal?: AbortSignal): Promise<UnreadCount> {
  const { items, next } = await client.list(MAILS, readMailBasic, { unread: true, per_page: MAX_COUNTED }, signal);
  return { count: items.filter(({ read }) => !read).length, isMore: next !== undefined };
}

export function getMail(client: Client, id: number): Promise<Mail> {
  return client.get(apiPath`/mails/${id}`, readMail);
}

/** Returns the whole message (RFC 5322). */
export function getMailSource(client: Client, id: number): Promise<string> {
  return client.text(apiPath`/mails/${id}/source`);
}

export async function setMailRead(client: Client, id: number, isRead: boolean): Promise<void> {
  await client.change({ method: 'PUT', path: apiPath`/mails/${id}`, body: { read: isRead } }, () => true);
}

export async function markAllMailsRead(client: Client): Promise<void> {
  await client.change({ method: 'POST', path: `${MAILS}/mark_as_read` }, () => true);
}

export async function deleteMail(client: Client, id: number): Promise<void> {
  await client.change({ method: 'DELETE', path: apiPath`/mails/${id}` }, () => true);
}
