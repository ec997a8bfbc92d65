import type { MailCore } from './mailCore.ts';
import type { Mail, MailBasic, MailDelivery } from '../../../src/contract/mail.ts';
import { isoTime } from '../../core/clock.ts';
import { contentOfMail, htmlOfMail, messageOf, pathOfMail, type Sender, textOfMail } from './render.ts';
import { senderOf } from './sending.ts';
import type { MailRow } from './store.ts';

/** Returns a mail as in lists. `baseUrl` is the address of this server for the client. */
export function presentMail(core: MailCore, row: MailRow, baseUrl: string): MailBasic {
  const { from, messageId, subject } = messageOf(core, row, senderOf(core, row));
  const content = contentOfMail(row);
  const { target } = content;
  const path = pathOfMail(content);
  return {
    id: row.id,
    message_id: messageId,
    user_id: row.user_id,
    from: `${from.name} <${from.address}>`,
    to: row.address,
    subject,
    event: row.event,
    reason: row.reason,
    notification_event_id: row.event_id,
    read: row.read_at !== null,
    created_at: isoTime(row.created_at),
    about:
      target === null
        ? null
        : {
            type: target.type,
            id: target.id,
            iid: target.iid,
            project_id: target.projectId,
            group_id: target.groupId,
            full_path: target.fullPath,
            note_id: target.noteId,
            web_url: path === null ? null : `${baseUrl}${path}`,
          },
    delivery: presentDelivery(row),
    web_url: `${baseUrl}/-/mailbox/${row.id}`,
  };
}

/** Returns a mail with its text, whose links have the address of this server for the client. */
export async function presentWholeMail(core: MailCore, row: MailRow, baseUrl: string): Promise<Mail> {
  const sender: Sender = { ...senderOf(core, row), origin: baseUrl };
  return {
    ...presentMail(core, row, baseUrl),
    text: textOfMail(core, row, sender),
    html: await htmlOfMail(core, row, sender),
  };
}

function presentDelivery({ attempts, next_at: next, sent_at: sent, failed_at: failed, error }: MailRow): MailDelivery | null {
  if (attempts === null) return null;
  return {
    state: sent !== null ? 'sent' : failed === null ? 'pending' : 'failed',
    attempts,
    error,
    next_attempt_at: next === null ? null : isoTime(next),
    sent_at: sent === null ? null : isoTime(sent),
  };
}
