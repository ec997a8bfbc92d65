import type { Platform } from '../../platform.ts';
import { announceMails } from './newMails.ts';
import type { MailContent } from './content.ts';
import { recordDelivery } from './sending.ts';
import { insertContent, insertMail } from './store.ts';

export type { MailBlock, MailContent, MailTarget } from './content.ts';

/** Stores what several mails have in common, in the current transaction. Returns its ID. */
export function storeContent(platform: Platform, content: MailContent): number {
  const { subject, blocks } = content;
  const text = blocks.map((block) => (block.kind === 'list' ? block.items.join('\n') : block.text)).join('\n\n');
  return insertContent(platform.store, { subject, text, data: JSON.stringify(content), now: platform.clock.now() });
}

export interface MailRecipient {
  readonly userId: number | null;
  readonly address: string;
  /** Why the user gets the mail (`X-GitLab-NotificationReason`); null if there is no particular reason. */
  readonly reason: string | null;
}

/** Puts a mail into the local mailbox, in the current transaction, and sends it after that if there is an SMTP server. Returns its ID. */
export function deliver(platform: Platform, contentId: number, messageId: string, recipient: MailRecipient): number {
  const id = insertMail(platform.store, { contentId, messageId, ...recipient, now: platform.clock.now() });
  recordDelivery(platform, id);
  announceMails(platform);
  return id;
}
