import type { Platform } from '../../platform.ts';
import type { MailContent } from '../mail/mail.ts';
import type { RecordedEvent } from './event.ts';

/** Returns the mail about an event, or undefined if its target no longer exists. */
export function contentOf(_platform: Platform, event: RecordedEvent): MailContent | undefined {
  return {
    subject: `${event.event} of ${event.targetType} ${event.targetId}`,
    from: 'Signalbox',
    blocks: [],
    headers: {},
    references: [],
    messageId: null,
    thread: null,
    target: null,
  };
}
