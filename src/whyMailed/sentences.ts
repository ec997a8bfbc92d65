import type { RecipientDecision, RecipientRule, Remedy, RuleResult } from '../contract/notificationDecisions.ts';
import { type EventReach, type NotificationEvent, type RecipientType, type SettingScope } from '../contract/notifications.ts';
import { formatEvent, formatLevel } from '../notifications/texts.ts';
import { formatText, type Text, texts } from '../support/texts.ts';

/** True for an event that happened, false for one that might. */
export type HasHappened = boolean;

interface Verdict {
  readonly happened: Text;
  readonly possible: Text;
}

const notMailed: Verdict = texts({ happened: 'You were not mailed.', possible: 'You would not be mailed.' });
const mailedWithoutReason: Verdict = texts({ happened: 'You were mailed.', possible: 'You would be mailed.' });

/** Verdicts by the reason for a mail. */
const verdicts: ReadonlyMap<string | null, Verdict> = new Map(
  Object.entries(
    texts({
      own_activity: {
        happened: 'You were mailed because you are notified of your own activity.',
        possible: 'You would be mailed because you are notified of your own activity.',
      },
      assigned: {
        happened: 'You were mailed because you were assigned.',
        possible: 'You would be mailed because you are assigned.',
      },
      review_requested: {
        happened: 'You were mailed because your review was requested.',
        possible: 'You would be mailed because your review is requested.',
      },
      mentioned: {
        happened: 'You were mailed because you were mentioned.',
        possible: 'You would be mailed because you are mentioned.',
      },
      subscribed: {
        happened: 'You were mailed because you had subscribed.',
        possible: 'You would be mailed because you subscribed.',
      },
    }),
  ),
);

/** Returns the verdict about a decision. */
export function verdictOf({ mailed, reason }: Pick<RecipientDecision, 'mailed' | 'reason'>, hasHappened: HasHappened): string {
  const { happened, possible } = mailed ? (verdicts.get(reason) ?? mailedWithoutReason) : notMailed;
  return formatText(hasHappened ? happened : possible);
}

/** Sentences about the outcomes of a rule: the user is refused, still a candidate, or mailed whatever the other rules say. */
interface RuleSentences {
  readonly refused: Text;
  readonly passed: Text;
  /** Default: `passed`. */
  readonly mailed?: Text;
}

/** Sentences of the rules. Rule `level` has those of the scope of its setting instead. */
const ruleSentences: Readonly<Record<Exclude<RecipientRule, 'candidate' | 'level'>, RuleSentences>> = texts({
  active: { refused: 'Your account is blocked or deactivated.', passed: 'Your account is active.' },
  access: {
    refused: 'You cannot read what the event is about.',
    passed: 'You can read what the event is about.',
  },
  own_activity: {
    refused: 'You caused the event, and you are not notified of your own activity.',
    passed: 'You caused the event. It is mailed to you because of its kind, or because you are notified of your own activity.',
  },
  already_mailed: {
    refused: 'You were already mailed about the creation of the same merge request.',
    passed: 'You were not mailed about the creation of the same merge request.',
  },
  subscription: {
    refused: 'You unsubscribed from the thread.',
    passed: 'You unsubscribed from the thread, which does not stop mentions.',
    mailed: 'You subscribed, which counts at every level.',
  },
});

const { noCandidate }: { readonly noCandidate: Text } = texts({
  noCandidate: 'You are not among those whom this event concerns.',
});

/** Returns what a rule said about the user. */
export function ruleSentence({ rule, outcome }: RuleResult, decision: RecipientDecision): string {
  if (rule === 'candidate') return outcome === 'refused' ? formatText(noCandidate) : relationSentences(decision);
  if (rule === 'level') return levelSentence(decision.setting, decision.event, outcome !== 'refused');
  const { passed, refused, mailed = passed } = ruleSentences[rule];
  return formatText({ passed, refused, mailed }[outcome]);
}

/** Returns how the user is related to the event. */
function relationSentences({ event, relations }: RecipientDecision): string {
  const concern = concernSentences[event];
  if (concern !== undefined) return formatText(concern);
  return [...new Set(relations.map(({ type, reason }) => formatText(relationSentence(type, reason))))].join(' ');
}

/** Sentences about a relation, by its reason where that says more than its type. */
const reasonSentences = texts({
  assigned: 'You are assigned.',
  review_requested: 'Your review is requested.',
  mentioned: 'You are mentioned.',
});

const typeSentences: Readonly<Record<RecipientType, Text>> = texts({
  participating: 'You take part in the thread.',
  mention: 'You were an assignee or reviewer before.',
  watch: 'You watch the project or group.',
  custom: 'You selected events of the project or group.',
  subscription: 'You subscribed to the thread or to one of its labels.',
});

function relationSentence(type: RecipientType, reason: string | null): Text {
  if (reason === 'assigned' || reason === 'review_requested') return reasonSentences[reason];
  return type === 'mention' && reason === 'mentioned' ? reasonSentences.mentioned : typeSentences[type];
}

/** Sentences about whom an event without a thread concerns. */
const concernSentences: Readonly<Partial<Record<NotificationEvent, Text>>> = texts({
  failed_pipeline: 'The pipeline ran for you.',
  fixed_pipeline: 'The pipeline ran for you.',
  success_pipeline: 'The pipeline ran for you.',
  new_release: 'You are a member of the project.',
  moved_project: 'You are an owner or maintainer of the project.',
  approver: 'You can approve the merge request.',
});

type ByScope<T> = Readonly<Record<SettingScope['kind'], T>>;

/** Sentences about the level, the event and the path of the group or project. */
const levelSentences: ByScope<Pick<RuleSentences, 'passed' | 'refused'>> = texts({
  global: {
    passed: 'Level “{0}” of your global setting lets “{1}” through.',
    refused: 'Level “{0}” of your global setting does not let “{1}” through.',
  },
  group: {
    passed: 'Level “{0}” of group {2} lets “{1}” through.',
    refused: 'Level “{0}” of group {2} does not let “{1}” through.',
  },
  project: {
    passed: 'Level “{0}” of project {2} lets “{1}” through.',
    refused: 'Level “{0}” of project {2} does not let “{1}” through.',
  },
});

function levelSentence({ level, scope }: RecipientDecision['setting'], event: NotificationEvent, isPassed: boolean): string {
  const { passed, refused } = levelSentences[scope.kind];
  return formatText(isPassed ? passed : refused, formatLevel(level), formatEvent(event), scope.path);
}

/** Sentences about a level and the path of the group or project. */
const settingSentences: ByScope<Text> = texts({
  global: '{0}, from your global setting',
  group: '{0}, from group {1}',
  project: '{0}, from project {1}',
});

/** Returns the level that applies and where it comes from. */
export function settingSentence({ level, scope }: RecipientDecision['setting']): string {
  return formatText(settingSentences[scope.kind], formatLevel(level), scope.path);
}

type SimpleRemedy = Exclude<Remedy['kind'], 'set_level' | 'set_event'>;

interface RemedySentences {
  /** Sentence if the user is mailed. */
  readonly mailed: Text;
  readonly notMailed: Text;
}

const ownActivityRemedy: RemedySentences = texts({
  mailed: 'Turn off notifications of your own activity on the page of your notification settings',
  notMailed: 'Turn on notifications of your own activity on the page of your notification settings',
});

const remedySentences: Readonly<Record<Exclude<SimpleRemedy, 'own_activity'>, Text>> = texts({
  subscribe: 'Subscribe to the thread',
  unsubscribe: 'Unsubscribe from the thread',
  take_part: 'Take part in the thread, for example with a comment',
  gain_access: 'Become a developer of the project or group',
  unblock: 'Ask an administrator to activate your account',
});

/** Sentences about the new level and the path of the group or project. */
const setLevelSentences: ByScope<Text> = texts({
  global: 'Set your global level to “{0}”',
  group: 'Set the level of group {1} to “{0}”',
  project: 'Set the level of project {1} to “{0}”',
});

/** Sentences about an event and the path of the group or project. */
const setEventSentences: ByScope<{ readonly on: Text; readonly off: Text }> = texts({
  global: { on: 'Turn on “{0}” in your global setting', off: 'Turn off “{0}” in your global setting' },
  group: { on: 'Turn on “{0}” for group {1}', off: 'Turn off “{0}” for group {1}' },
  project: { on: 'Turn on “{0}” for project {1}', off: 'Turn off “{0}” for project {1}' },
});

/** Returns what a remedy does. `isMailed` is the decision that it would reverse. */
export function remedySentence(remedy: Remedy, isMailed: boolean): string {
  if (remedy.kind === 'set_level')
    return formatText(setLevelSentences[remedy.scope.kind], formatLevel(remedy.level), remedy.scope.path);
  if (remedy.kind === 'set_event') {
    const { on, off } = setEventSentences[remedy.scope.kind];
    return formatText(remedy.value ? on : off, formatEvent(remedy.event), remedy.scope.path);
  }
  if (remedy.kind === 'own_activity') return formatText(isMailed ? ownActivityRemedy.mailed : ownActivityRemedy.notMailed);
  return formatText(remedySentences[remedy.kind]);
}

/** Verdicts about when a level lets an event of a thread through. */
const reachVerdicts: Readonly<Record<EventReach, Text>> = texts({
  always: 'You would be mailed.',
  participating: 'You would be mailed only if you took part in the thread or were mentioned.',
  mention: 'You would be mailed only if you were mentioned.',
  never: 'You would not be mailed.',
});

/** Verdicts about events without a thread that the level lets through. */
const concernVerdicts: Readonly<Partial<Record<NotificationEvent, Text>>> = texts({
  failed_pipeline: 'You would be mailed about pipelines that run for you.',
  fixed_pipeline: 'You would be mailed about pipelines that run for you.',
  success_pipeline: 'You would be mailed about pipelines that run for you.',
  new_release: 'You would be mailed if you are a member of the project.',
  moved_project: 'You would be mailed if you are an owner or maintainer of the project.',
  approver: 'You would be mailed about merge requests that you can approve.',
});

/** Returns the verdict about an event if only the settings are known. */
export function verdictOfReach(event: NotificationEvent, reach: EventReach): string {
  const concern = reach === 'never' ? undefined : concernVerdicts[event];
  return formatText(concern ?? reachVerdicts[reach]);
}
