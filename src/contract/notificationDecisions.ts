import type { UserBasic } from './identity.ts';
import type { NotificationEvent, NotificationLevel, RecipientType, SettingScope } from './notifications.ts';

// Explanations of why a user is mailed about an event or not. Only the local server has them.

/** Rules in the order in which they are applied. */
export const recipientRules = ['candidate', 'active', 'access', 'own_activity', 'subscription', 'level'] as const;

export type RecipientRule = (typeof recipientRules)[number];

/** Result of one rule: the user is still a candidate, is not mailed, or is mailed whatever the other rules say. */
export interface RuleResult {
  readonly rule: RecipientRule;
  readonly outcome: 'passed' | 'refused' | 'mailed';
  /** A sentence in English. */
  readonly text: string;
}

/** Something that would reverse the decision. */
export type Remedy =
  | { readonly kind: 'set_level'; readonly scope: SettingScope; readonly level: NotificationLevel }
  | { readonly kind: 'set_event'; readonly scope: SettingScope; readonly event: NotificationEvent; readonly value: boolean }
  | { readonly kind: 'subscribe' | 'unsubscribe' | 'take_part' | 'own_activity' | 'gain_access' | 'unblock' };

export interface RecipientDecision {
  readonly user: UserBasic;
  readonly event: NotificationEvent;
  /** How the user is related to the event; empty if not at all. */
  readonly relations: readonly { readonly type: RecipientType; readonly reason: string | null }[];
  /** The setting that applies. */
  readonly setting: { readonly level: NotificationLevel; readonly scope: SettingScope };
  readonly rules: readonly RuleResult[];
  readonly mailed: boolean;
  readonly reason: string | null;
  /** Text of the verdict: one sentence in English. */
  readonly text: string;
  readonly remedies: readonly Remedy[];
}
