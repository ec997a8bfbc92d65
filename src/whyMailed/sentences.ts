import * as l10n from '@vscode/l10n';
import type { RecipientDecision, Remedy, RuleResult } from '../contract/notificationDecisions.ts';
import {
  type EventReach,
  type NotificationEvent,
  type NotificationLevel,
  type RecipientType,
  type SettingScope,
} from '../contract/notifications.ts';
import { formatEvent, formatLevel } from '../notifications/texts.ts';

/** True for an event that happened, false for one that might. */
export type HasHappened = boolean;

/** Returns the verdict about a decision. */
export function verdictOf({ mailed, reason }: Pick<RecipientDecision, 'mailed' | 'reason'>, hasHappened: HasHappened): string {
  if (!mailed) return hasHappened ? l10n.t('You were not mailed.') : l10n.t('You would not be mailed.');
  switch (reason) {
    case 'own_activity':
      return hasHappened
        ? l10n.t('You were mailed because you are notified of your own activity.')
        : l10n.t('You would be mailed because you are notified of your own activity.');
    case 'assigned':
      return hasHappened
        ? l10n.t('You were mailed because you were assigned.')
        : l10n.t('You would be mailed because you are assigned.');
    case 'review_requested':
      return hasHappened
        ? l10n.t('You were mailed because your review was requested.')
        : l10n.t('You would be mailed because your review is requested.');
    case 'mentioned':
      return hasHappened
        ? l10n.t('You were mailed because you were mentioned.')
        : l10n.t('You would be mailed because you are mentioned.');
    case 'subscribed':
      return hasHappened
        ? l10n.t('You were mailed because you had subscribed.')
        : l10n.t('You would be mailed because you subscribed.');
    case null:
    default:
      return hasHappened ? l10n.t('You were mailed.') : l10n.t('You would be mailed.');
  }
}

/** Returns what a rule said about the user. */
export function ruleSentence({ rule, outcome }: RuleResult, decision: RecipientDecision): string {
  const isRefused = outcome === 'refused';
  switch (rule) {
    case 'candidate':
      return isRefused ? l10n.t('You are not among those whom this event concerns.') : relationSentences(decision);
    case 'active':
      return isRefused ? l10n.t('Your account is blocked or deactivated.') : l10n.t('Your account is active.');
    case 'access':
      return isRefused ? l10n.t('You cannot read what the event is about.') : l10n.t('You can read what the event is about.');
    case 'own_activity':
      return isRefused
        ? l10n.t('You caused the event, and you are not notified of your own activity.')
        : l10n.t(
            'You caused the event. It is mailed to you because of its kind, or because you are notified of your own activity.',
          );
    case 'already_mailed':
      return isRefused
        ? l10n.t('You were already mailed about the creation of the same merge request.')
        : l10n.t('You were not mailed about the creation of the same merge request.');
    case 'subscription':
      if (isRefused) return l10n.t('You unsubscribed from the thread.');
      return outcome === 'mailed'
        ? l10n.t('You subscribed, which counts at every level.')
        : l10n.t('You unsubscribed from the thread, which does not stop mentions.');
    case 'level':
      return levelSentence(decision.setting, decision.event, !isRefused);
  }
}

/** Returns how the user is related to the event. */
function relationSentences({ event, relations }: RecipientDecision): string {
  const ofEvent = concernSentences[event]?.();
  if (ofEvent !== undefined) return ofEvent;
  return [...new Set(relations.map(({ type, reason }) => relationSentence(type, reason)))].join(' ');
}

function relationSentence(type: RecipientType, reason: string | null): string {
  if (reason === 'assigned') return l10n.t('You are assigned.');
  if (reason === 'review_requested') return l10n.t('Your review is requested.');
  switch (type) {
    case 'participating':
      return l10n.t('You take part in the thread.');
    case 'mention':
      return reason === 'mentioned' ? l10n.t('You are mentioned.') : l10n.t('You were an assignee or reviewer before.');
    case 'watch':
      return l10n.t('You watch the project or group.');
    case 'custom':
      return l10n.t('You selected events of the project or group.');
    case 'subscription':
      return l10n.t('You subscribed to the thread or to one of its labels.');
  }
}

const pipelineConcern = (): string => l10n.t('The pipeline ran for you.');

/** Sentences about whom an event without a thread concerns. */
const concernSentences: Readonly<Partial<Record<NotificationEvent, () => string>>> = {
  failed_pipeline: pipelineConcern,
  fixed_pipeline: pipelineConcern,
  success_pipeline: pipelineConcern,
  new_release: () => l10n.t('You are a member of the project.'),
  moved_project: () => l10n.t('You are an owner or maintainer of the project.'),
  approver: () => l10n.t('You can approve the merge request.'),
};

function levelSentence({ level, scope }: RecipientDecision['setting'], event: NotificationEvent, isPassed: boolean): string {
  const [levelName, eventName] = [formatLevel(level), formatEvent(event)];
  switch (scope.kind) {
    case 'global':
      return isPassed
        ? l10n.t('Level “{0}” of your global setting lets “{1}” through.', levelName, eventName)
        : l10n.t('Level “{0}” of your global setting does not let “{1}” through.', levelName, eventName);
    case 'group':
      return isPassed
        ? l10n.t('Level “{0}” of group {2} lets “{1}” through.', levelName, eventName, scope.path)
        : l10n.t('Level “{0}” of group {2} does not let “{1}” through.', levelName, eventName, scope.path);
    case 'project':
      return isPassed
        ? l10n.t('Level “{0}” of project {2} lets “{1}” through.', levelName, eventName, scope.path)
        : l10n.t('Level “{0}” of project {2} does not let “{1}” through.', levelName, eventName, scope.path);
  }
}

/** Returns the level that applies and where it comes from. */
export function settingSentence({ level, scope }: RecipientDecision['setting']): string {
  switch (scope.kind) {
    case 'global':
      return l10n.t('{0}, from your global setting', formatLevel(level));
    case 'group':
      return l10n.t('{0}, from group {1}', formatLevel(level), scope.path);
    case 'project':
      return l10n.t('{0}, from project {1}', formatLevel(level), scope.path);
  }
}

/** Returns what a remedy does. `isMailed` is the decision that it would reverse. */
export function remedySentence(remedy: Remedy, isMailed: boolean): string {
  switch (remedy.kind) {
    case 'set_level':
      return setLevelSentence(remedy.scope, remedy.level);
    case 'set_event':
      return setEventSentence(remedy.scope, remedy.event, remedy.value);
    case 'subscribe':
      return l10n.t('Subscribe to the thread');
    case 'unsubscribe':
      return l10n.t('Unsubscribe from the thread');
    case 'take_part':
      return l10n.t('Take part in the thread, for example with a comment');
    case 'own_activity':
      return isMailed
        ? l10n.t('Turn off notifications of your own activity on the page of your notification settings')
        : l10n.t('Turn on notifications of your own activity on the page of your notification settings');
    case 'gain_access':
      return l10n.t('Become a developer of the project or group');
    case 'unblock':
      return l10n.t('Ask an administrator to activate your account');
  }
}

function setLevelSentence({ kind, path }: SettingScope, level: NotificationLevel): string {
  switch (kind) {
    case 'global':
      return l10n.t('Set your global level to “{0}”', formatLevel(level));
    case 'group':
      return l10n.t('Set the level of group {1} to “{0}”', formatLevel(level), path);
    case 'project':
      return l10n.t('Set the level of project {1} to “{0}”', formatLevel(level), path);
  }
}

function setEventSentence({ kind, path }: SettingScope, event: NotificationEvent, isOn: boolean): string {
  const name = formatEvent(event);
  switch (kind) {
    case 'global':
      return isOn ? l10n.t('Turn on “{0}” in your global setting', name) : l10n.t('Turn off “{0}” in your global setting', name);
    case 'group':
      return isOn ? l10n.t('Turn on “{0}” for group {1}', name, path) : l10n.t('Turn off “{0}” for group {1}', name, path);
    case 'project':
      return isOn ? l10n.t('Turn on “{0}” for project {1}', name, path) : l10n.t('Turn off “{0}” for project {1}', name, path);
  }
}

/** Returns the verdict about an event if only the settings are known. */
export function verdictOfReach(event: NotificationEvent, reach: EventReach): string {
  if (reach === 'never') return l10n.t('You would not be mailed.');
  const concern = concernVerdicts[event];
  if (concern !== undefined) return concern();
  switch (reach) {
    case 'always':
      return l10n.t('You would be mailed.');
    case 'participating':
      return l10n.t('You would be mailed only if you took part in the thread or were mentioned.');
    case 'mention':
      return l10n.t('You would be mailed only if you were mentioned.');
  }
}

const pipelineVerdict = (): string => l10n.t('You would be mailed about pipelines that run for you.');

/** Verdicts about events without a thread that the level lets through. */
const concernVerdicts: Readonly<Partial<Record<NotificationEvent, () => string>>> = {
  failed_pipeline: pipelineVerdict,
  fixed_pipeline: pipelineVerdict,
  success_pipeline: pipelineVerdict,
  new_release: () => l10n.t('You would be mailed if you are a member of the project.'),
  moved_project: () => l10n.t('You would be mailed if you are an owner or maintainer of the project.'),
  approver: () => l10n.t('You would be mailed about merge requests that you can approve.'),
};
