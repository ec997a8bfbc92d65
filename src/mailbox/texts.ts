import * as l10n from '@vscode/l10n';
import { isNotificationEvent, type NotificationEvent } from '../contract/notifications.ts';

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
export function formatEvent(event: string): string {
  return isNotificationEvent(event) ? formatKnownEvent(event) : event.replaceAll('_', ' ');
}

function formatKnownEvent(event: NotificationEvent): string {
  switch (event) {
    case 'new_release':
      return l10n.t('New release');
    case 'new_note':
      return l10n.t('New comment');
    case 'new_issue':
      return l10n.t('New issue');
    case 'reopen_issue':
      return l10n.t('Issue reopened');
    case 'close_issue':
      return l10n.t('Issue closed');
    case 'reassign_issue':
      return l10n.t('Issue reassigned');
    case 'issue_due':
      return l10n.t('Issue due soon');
    case 'new_merge_request':
      return l10n.t('New merge request');
    case 'push_to_merge_request':
      return l10n.t('Push to merge request');
    case 'reopen_merge_request':
      return l10n.t('Merge request reopened');
    case 'close_merge_request':
      return l10n.t('Merge request closed');
    case 'reassign_merge_request':
      return l10n.t('Merge request reassigned');
    case 'change_reviewer_merge_request':
      return l10n.t('Reviewers of merge request changed');
    case 'merge_merge_request':
      return l10n.t('Merge request merged');
    case 'failed_pipeline':
      return l10n.t('Pipeline failed');
    case 'fixed_pipeline':
      return l10n.t('Pipeline fixed');
    case 'success_pipeline':
      return l10n.t('Pipeline succeeded');
    case 'moved_project':
      return l10n.t('Project moved');
    case 'merge_when_pipeline_succeeds':
      return l10n.t('Auto-merge enabled');
    case 'new_epic':
      return l10n.t('New epic');
    case 'approver':
      return l10n.t('Merge request needs your approval');
  }
}
