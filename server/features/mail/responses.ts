import * as z from 'zod';
import type { Mail, MailBasic } from '../../../src/contract/mail.ts';
import { address, count, id, moment, named, readAs } from '../../http/responses.ts';

const mailSubject = named('MailSubject', () =>
  z.strictObject({
    type: z.string(),
    id: id(),
    iid: id().nullable(),
    project_id: id().nullable(),
    group_id: id().nullable(),
    full_path: z.string(),
    note_id: id().nullable(),
    web_url: address().nullable(),
  }),
);

const mailDelivery = named('MailDelivery', () =>
  z.strictObject({
    state: z.enum(['pending', 'sent', 'failed']),
    attempts: count(),
    error: z.string().nullable(),
    next_attempt_at: moment().nullable(),
    sent_at: moment().nullable(),
  }),
);

const members = () => ({
  id: id(),
  message_id: z.string(),
  user_id: id().nullable(),
  from: z.string(),
  to: z.string(),
  subject: z.string(),
  event: z.string().nullable(),
  reason: z.string().nullable(),
  notification_event_id: id().nullable(),
  read: z.boolean(),
  created_at: moment(),
  about: mailSubject().nullable(),
  delivery: mailDelivery().nullable(),
  web_url: address(),
});

export const mailBasic = named('MailBasic', () => readAs<MailBasic>()(z.strictObject(members())));

export const mailResponse = named('Mail', () =>
  readAs<Mail>()(z.strictObject({ ...members(), text: z.string(), html: z.string() })),
);

export const markedMails = named('MarkedMails', () => z.strictObject({ marked: count() }));
