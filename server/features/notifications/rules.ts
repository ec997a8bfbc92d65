import {
  effectiveSetting,
  type NotificationEvent,
  passesLevel,
  type ScopedSetting,
} from '../../../src/contract/notifications.ts';
import type { RuleResult } from '../../../src/contract/notificationDecisions.ts';
import {
  type Candidacy,
  candidaciesOf,
  isMailedToActor,
  type NotificationReason,
  notificationReasons,
  type Obstacle,
  obstacleOf,
  type RecipientDetails,
} from './candidates.ts';

export interface Decision {
  readonly mailed: boolean;
  readonly reason: NotificationReason | null;
  readonly candidacies: readonly Candidacy[];
  /** The setting that applies. */
  readonly setting: ScopedSetting;
  /** Results of the rules in order, up to the one that decided. */
  readonly rules: readonly RuleResult[];
  /** The verdict in a sentence. */
  readonly text: string;
}

type Verdict = Omit<RuleResult, 'rule'>;

/** Input of the rules: the details of the user, and values derived from them. */
interface Case {
  readonly details: RecipientDetails;
  readonly candidacies: readonly Candidacy[];
  /** Candidacies that the levels and an explicit unsubscription leave. */
  readonly passing: readonly Candidacy[];
  readonly setting: ScopedSetting;
}

/** Decides whether a user is mailed, and why (docs/interface.md#notification-mail). */
export function decide(details: RecipientDetails): Decision {
  const setting = effectiveSetting(details.settings);
  const candidacies = candidaciesOf(details);
  const passing = candidacies.filter((candidacy) => passes(candidacy, details, setting));
  const results: RuleResult[] = [];
  for (const [rule, test] of rules) {
    const verdict = test({ details, candidacies, passing, setting });
    if (verdict === undefined) continue;
    results.push({ rule, ...verdict });
    if (verdict.outcome !== 'passed') break;
  }
  const mailed = results.at(-1)?.outcome !== 'refused';
  const reason = mailed ? bestReason(details, passing) : null;
  const shared = { candidacies, setting, rules: results };
  return mailed
    ? { ...shared, mailed, reason, text: `The user is mailed${reason === null ? '' : ` because ${reasonTexts[reason]}`}.` }
    : { ...shared, mailed, reason, text: `The user is not mailed. ${results.at(-1)?.text ?? ''}` };
}

/** Returns true if a candidacy is left after an explicit unsubscription, which stops everything but mentions, and after the level. */
function passes({ type }: Candidacy, { subscribed, event }: RecipientDetails, setting: ScopedSetting): boolean {
  if (subscribed === false && type !== 'mention') return false;
  return passesLevel(setting, type, event);
}

/** Returns the most important reason of the candidacies. The actor of an event that is mailed to its actor anyway has no special reason. */
function bestReason(details: RecipientDetails, passing: readonly Candidacy[]): NotificationReason | null {
  // The mail about auto-merge never names a reason.
  if (details.event === 'merge_when_pipeline_succeeds') return null;
  if (details.isActor && details.ownActivity && !isMailedToActor(details)) return 'own_activity';
  return notificationReasons.find((known) => passing.some(({ reason }) => reason === known)) ?? null;
}

/** The rules in order. A rule that does not apply returns undefined. */
const rules: readonly (readonly [RuleResult['rule'], (one: Case) => Verdict | undefined])[] = [
  ['candidate', candidate],
  ['active', active],
  ['access', access],
  ['own_activity', ownActivity],
  ['already_mailed', alreadyMailed],
  ['subscription', subscription],
  ['level', level],
];

function candidate({ details, candidacies }: Case): Verdict {
  if (candidacies.length > 0) {
    const text = withoutThread[details.event] ?? [...new Set(candidacies.map(({ type }) => typeTexts[type]))].join(', and ');
    return { outcome: 'passed', text: `The user ${text}.` };
  }
  const text = details.isEdit
    ? 'The edit does not mention the user for the first time.'
    : 'The user has nothing to do with the event, and does not watch the project or group.';
  return { outcome: 'refused', text };
}

function active({ details }: Case): Verdict {
  return details.isActive
    ? { outcome: 'passed', text: 'The account is active.' }
    : { outcome: 'refused', text: 'The account is blocked or deactivated, or a bot.' };
}

function access({ details }: Case): Verdict {
  const obstacle = obstacleOf(details);
  return obstacle === undefined
    ? { outcome: 'passed', text: 'The user can read what the event is about.' }
    : { outcome: 'refused', text: `The user cannot ${obstacleTexts[obstacle]}.` };
}

function ownActivity({ details }: Case): Verdict | undefined {
  if (!details.isActor) return undefined;
  if (isMailedToActor(details)) return { outcome: 'passed', text: 'The event is mailed to the user who caused it, too.' };
  return details.ownActivity
    ? { outcome: 'passed', text: 'The user caused the event, and wants to be notified of their own activity.' }
    : { outcome: 'refused', text: 'The user caused the event, and is not notified of their own activity.' };
}

function alreadyMailed({ details }: Case): Verdict | undefined {
  if (!details.wasMailed) return undefined;
  return { outcome: 'refused', text: 'The user was already mailed about the creation of the same merge request.' };
}

function subscription({ details, candidacies }: Case): Verdict | undefined {
  if (details.subscribed === false) {
    return candidacies.some(({ type }) => type === 'mention')
      ? { outcome: 'passed', text: 'The user unsubscribed from the thread, which does not stop mentions.' }
      : { outcome: 'refused', text: 'The user unsubscribed from the thread.' };
  }
  if (!candidacies.some(({ type }) => type === 'subscription')) return undefined;
  return { outcome: 'mailed', text: 'The user subscribed explicitly, which counts at every level.' };
}

function level({ details, passing, setting }: Case): Verdict {
  const from =
    setting.scope.kind === 'global' ? 'the global setting' : `the setting of the ${setting.scope.kind} ${setting.scope.path}`;
  const named = `Level ${setting.level} of ${from}`;
  // Subscriptions do not depend on the level.
  return passing.some(({ type }) => type !== 'subscription')
    ? { outcome: 'mailed', text: `${named} lets ${details.event} through.` }
    : { outcome: 'refused', text: `${named} does not let ${details.event} through.` };
}

const withoutThread: Readonly<Partial<Record<NotificationEvent, string>>> = {
  failed_pipeline: 'is the one for whom the pipeline ran',
  fixed_pipeline: 'is the one for whom the pipeline ran',
  success_pipeline: 'is the one for whom the pipeline ran',
  new_release: 'is a member of the project',
  moved_project: 'is an owner or maintainer of the project',
  approver: 'can approve the merge request',
};

const typeTexts: Readonly<Record<Candidacy['type'], string>> = {
  participating: 'takes part in the thread',
  mention: 'is mentioned, or is an assignee or reviewer before or after the change',
  watch: 'watches the project or group',
  custom: 'selected events of the project or group',
  subscription: 'subscribed to the thread or to one of its labels',
};

const reasonTexts: Readonly<Record<NotificationReason, string>> = {
  own_activity: 'they want to be notified of their own activity',
  assigned: 'they are assigned',
  review_requested: 'their review is requested',
  mentioned: 'they are mentioned',
  subscribed: 'they subscribed',
};

const obstacleTexts: Readonly<Record<Obstacle, string>> = {
  project: 'see the project',
  group: 'see the group',
  issues: 'see the issues of the project',
  merge_requests: 'see the merge requests of the project, which requires access to its code',
  code: 'read the code of the project',
  confidential: 'see it because it is confidential',
  internal: 'read internal notes, which requires the reporter role',
  snippet: 'see the snippet',
};
