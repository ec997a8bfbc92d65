import type { MailContent } from '../../server/features/mail/content.ts';
import { deliver, storeContent } from '../../server/features/mail/mail.ts';
import type { Platform } from '../../server/platform.ts';

/** A mail without a thread, about nothing. */
export const plainMail: MailContent = {
  subject: 'Kiln is hot',
  from: 'Ada Example',
  blocks: [{ kind: 'sentence', text: 'The kiln reached 900 degrees.' }],
  headers: {},
  references: [],
  messageId: null,
  thread: null,
  target: null,
};

/** Puts a mail into the mailbox of a user. Returns its ID. */
export function mailTo(
  platform: Platform,
  user: { readonly id: number; readonly email: string },
  content: Partial<MailContent> = {},
  reason: string | null = null,
): number {
  return platform.store.transaction(() => {
    const contentId = storeContent(platform, { ...plainMail, ...content });
    const count = platform.store.get<{ n: number }>('SELECT count(*) AS n FROM mails')?.n ?? 0;
    return deliver(platform, contentId, content.messageId ?? `m${count}`, { userId: user.id, address: user.email, reason });
  });
}
