import type { Store } from '../../store/open.ts';

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
  readonly text: string;
  /** {@link MailContent} as JSON. */
  readonly data: string;
}

export interface MailFilter {
  readonly userId?: number | undefined;
}

export function countMails(store: Store, { userId }: MailFilter, cap: number): number {
  const condition = userId === undefined ? 'true' : 'user_id = $userId';
  return (
    store.get<{ n: number }>(`SELECT count(*) AS n FROM (SELECT 1 FROM mails WHERE ${condition} LIMIT $cap)`, {
      cap,
      ...(userId === undefined ? {} : { userId }),
    })?.n ?? 0
  );
}

/** Returns mails with their contents, newest first. */
export function listMails(store: Store, { userId }: MailFilter, limit: number, offset: number): MailRow[] {
  const condition = userId === undefined ? 'true' : 'm.user_id = $userId';
  return store.all<MailRow>(
    `SELECT m.id, m.user_id, m.address, m.reason, m.message_id, m.created_at, m.read_at, c.subject, c.text, c.data
     FROM mails m JOIN mail_contents c ON c.id = m.content_id WHERE ${condition} ORDER BY m.id DESC LIMIT $limit OFFSET $offset`,
    { limit, offset, ...(userId === undefined ? {} : { userId }) },
  );
}
