import * as l10n from '@vscode/l10n';
import type { EventReach, NotificationEvent, NotificationLevel } from '../contract/notifications.ts';
import type { NotificationScope } from './scopes.ts';
import type { SettingDifference } from './settings.ts';

/** Returns the name of a level. */
export function formatLevel(level: NotificationLevel): string {
  switch (level) {
    case 'disabled':
      return l10n.t('Disabled');
    case 'participating':
      return l10n.t('Participating');
    case 'watch':
      return l10n.t('Watch');
    case 'global':
      return l10n.t('Inherited');
    case 'mention':
      return l10n.t('On Mention');
    case 'custom':
      return l10n.t('Custom');
  }
}

/** Returns what a level means. */
export function describeLevel(level: NotificationLevel): string {
  switch (level) {
    case 'disabled':
      return l10n.t('No notifications');
    case 'participating':
      return l10n.t('Threads that you take part in');
    case 'watch':
      return l10n.t('Almost all activity');
    case 'global':
      return l10n.t('The level of the group above, or else your global level');
    case 'mention':
      return l10n.t('Only when somebody mentions you');
    case 'custom':
      return l10n.t('The events that you select');
  }
}

/** Returns the name of an event. */
export function formatEvent(event: NotificationEvent): string {
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
      return l10n.t('Issue due tomorrow');
    case 'new_merge_request':
      return l10n.t('New merge request');
    case 'push_to_merge_request':
      return l10n.t('Push to a merge request');
    case 'reopen_merge_request':
      return l10n.t('Merge request reopened');
    case 'close_merge_request':
      return l10n.t('Merge request closed');
    case 'reassign_merge_request':
      return l10n.t('Merge request reassigned');
    case 'change_reviewer_merge_request':
      return l10n.t('Reviewers changed');
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
      return l10n.t('You can approve a merge request');
  }
}

export function formatReach(reach: EventReach): string {
  switch (reach) {
    case 'always':
      return l10n.t('On');
    case 'participating':
      return l10n.t('In threads that you take part in');
    case 'mention':
      return l10n.t('Only when mentioned');
    case 'never':
      return l10n.t('Off');
  }
}

/** Returns the text with the scope that it is inherited from. */
export function withSource(text: string, { kind, path }: NotificationScope): string {
  switch (kind) {
    case 'global':
      return l10n.t('{0}, from your global setting', text);
    case 'group':
      return l10n.t('{0}, from group {1}', text, path);
    case 'project':
      return l10n.t('{0}, from project {1}', text, path);
  }
}

/** Returns the name of a scope for titles and messages. */
export function nameOfScope({ kind, path }: NotificationScope): string {
  return kind === 'global' ? l10n.t('Global') : path;
}

/** Returns a difference in one line: `Watch → Custom · + New comment · − New issue`. */
export function formatDifference({ level, switches }: SettingDifference): string {
  const changed = level === undefined ? [] : [`${formatLevel(level.before)} → ${formatLevel(level.after)}`];
  const events = switches.map(({ event, after }) => {
    const name = formatEvent(event);
    return after === null ? l10n.t('{0}: default', name) : `${after ? '+' : '−'} ${name}`;
  });
  return [...changed, ...events].join(' · ');
}
