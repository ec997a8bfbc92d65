import { decideSome, recordNotifications } from '../features/notifications/notifications.ts';
import type { Platform } from '../platform.ts';

/**
 * Makes what happens on a platform of the past from now on mail people; without it, seeding mails nobody. Returns a function that delivers
 * the mails at the current time of that platform.
 */
export function startMail(past: Platform): () => void {
  recordNotifications(past);
  return () => {
    while (decideSome(past));
  };
}
