import type { MailCore } from '../features/mail/mail.ts';
import { decideSome, recordNotifications } from '../features/notifications/notifications.ts';

/**
 * Makes what happens in the past from now on mail people; without it, seeding mails nobody. Returns a function that delivers the mails at
 * the current time of that past.
 */
export function startMail(past: MailCore): () => void {
  recordNotifications(past);
  return () => {
    while (decideSome(past));
  };
}
