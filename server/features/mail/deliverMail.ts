import type { MailCore } from './mailCore.ts';
import type { Core } from '../../core/core.ts';
import { announceMails } from './newMails.ts';
import type { MailContent } from './content.ts';
import { recordDelivery } from './sending.ts';
import { insertContent, insertMail } from './store.ts';

/** Stores what several mails have in common, in the current transaction. Returns its ID. */
export function storeContent(core: Core, content: MailContent): number {
  const { subject, blocks } = content;
  const text = blocks.map((block) => (block.kind === 'list' ? block.items.join('\n') : block.text)).join('\n\n');
  return insertContent(core.store, { subject, text, data: JSON.stringify(content), now: core.clock.now() });
}

export interface MailRecipient {
  readonly userId: number | null;
  readonly address: string;
  /** Why the user gets the mail (`X-GitLab-NotificationReason`); null if there is no particular reason. */
  readonly reason: string | null;
}

/** Puts a mail into the local mailbox, in the current transaction, and sends it after that if there is an SMTP server. Returns its ID. */
export function deliver(core: MailCore, contentId: number, messageId: string, recipient: MailRecipient): number {
  const id = insertMail(core.store, { contentId, messageId, ...recipient, now: core.clock.now() });
  recordDelivery(core, id);
  announceMails(core);
  return id;
}
