import * as l10n from '@vscode/l10n';
import { isNotificationEvent } from '../contract/notifications.ts';
import { formatEvent } from '../notifications/texts.ts';

/** Returns the reason of a mail; empty without a particular one. An unknown reason is returned as words. */
export function formatReason(reason: string | null): string {
  switch (reason) {
    case null:
      return '';
    case 'own_activity':
      return l10n.t('own activity');
    case 'assigned':
      return l10n.t('assigned');
    case 'review_requested':
      return l10n.t('review requested');
    case 'mentioned':
      return l10n.t('mentioned');
    case 'subscribed':
      return l10n.t('subscribed');
    default:
      return reason.replaceAll('_', ' ');
  }
}

/** Returns the name of a notification event. An unknown event is returned as words. */
export function formatEventOf(event: string): string {
  return isNotificationEvent(event) ? formatEvent(event) : event.replaceAll('_', ' ');
}
