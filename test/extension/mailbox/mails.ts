import type { MailBasic } from '../../../src/contract/mail.ts';

/** Returns a mail about a comment on an issue. */
export function mail(changed: Partial<MailBasic> = {}): MailBasic {
  return {
    id: 7,
    message_id: 'note_3@127.0.0.1',
    user_id: 2,
    from: 'Rita Reed <signalbox@127.0.0.1>',
    to: 'ada@example.com',
    subject: 'Re: Lamps | Too dim (#1)',
    event: 'new_note',
    reason: 'mentioned',
    notification_event_id: 5,
    read: false,
    created_at: '2026-11-20T14:05:00.000Z',
    about: {
      type: 'Issue',
      id: 41,
      iid: 1,
      project_id: 9,
      group_id: null,
      full_path: 'ada/lamps',
      note_id: 3,
      web_url: 'http://127.0.0.1:1234/ada/lamps/-/issues/1#note_3',
    },
    delivery: null,
    web_url: 'http://127.0.0.1:1234/-/mailbox/7',
    ...changed,
  };
}
