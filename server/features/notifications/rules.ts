import {
  effectiveSetting,
  type NotificationEvent,
  passesLevel,
  type RecipientType,
  type ScopedSetting,
} from '../../../src/contract/notifications.ts';

/** Why somebody is mailed (`X-GitLab-NotificationReason`), the most important first. */
export const notificationReasons = ['own_activity', 'assigned', 'review_requested', 'mentioned', 'subscribed'] as const;

export type NotificationReason = (typeof notificationReasons)[number];

/** One relation of a user to an event. */
export interface Candidacy {
  readonly type: RecipientType;
  readonly reason: NotificationReason | null;
}

/** Everything that decides whether a user is mailed about an event. Stored with the decision. */
export interface RecipientFacts {
  readonly event: NotificationEvent;
  readonly candidacies: readonly Candidacy[];
  readonly isActor: boolean;
  readonly ownActivity: boolean;
  readonly isActive: boolean;
  readonly canRead: boolean;
  /** True or false if the user subscribed to the thread or unsubscribed from it explicitly. */
  readonly subscribed: boolean | null;
  readonly settings: readonly [...ScopedSetting[], ScopedSetting];
}

export interface Decision {
  readonly mailed: boolean;
  readonly reason: NotificationReason | null;
}

/** Decides whether a user is mailed, and why. */
export function decide(facts: RecipientFacts): Decision {
  const refused: Decision = { mailed: false, reason: null };
  if (!facts.isActive || !facts.canRead) return refused;
  if (facts.isActor && !facts.ownActivity) return refused;
  const setting = effectiveSetting(facts.settings);
  const passing = facts.candidacies.filter(({ type }) => {
    if (type === 'subscription') return facts.subscribed !== false;
    return passesLevel(setting, type, facts.event) && (type === 'mention' || facts.subscribed !== false);
  });
  if (passing.length === 0) return refused;
  if (facts.isActor) return { mailed: true, reason: 'own_activity' };
  const reason = notificationReasons.find((known) => passing.some((one) => one.reason === known));
  return { mailed: true, reason: reason ?? null };
}
