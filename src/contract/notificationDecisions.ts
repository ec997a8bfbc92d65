import { readUserBasic, type UserBasic } from './identity.ts';
import { booleanMember, integerMember, isJsonObject, type JsonObject, listOf, stringMember } from './json.ts';
import {
  isNotificationEvent,
  isNotificationLevel,
  type NotificationEvent,
  type NotificationLevel,
  type RecipientType,
  type SettingScope,
} from './notifications.ts';

// Explanations of why a user is mailed about an event or not. Only the local server has them:
//
//   GET /api/v4/notification_events                  events that happened, newest first: {@link NotificationEventBasic}[].
//                                                    Filters: project_id, group_id, event, target_type, target_iid.
//   GET /api/v4/notification_events/:id              one of them.
//   GET /api/v4/notification_events/:id/decisions    what was decided about its candidates: {@link RecipientDecision}[]. With user_id about
//                                                    one user only, also if the user was no candidate.
//   GET /api/v4/notification_decisions               what would be decided if an event happened now: {@link RecipientDecision}[]. Parameters:
//                                                    event, project_id or group_id, target_type, target_iid, actor_id, user_id.
//
// Users see the decisions about themselves, administrators those about everybody. Without user_id, others than administrators get the decision
// about themselves. The page /-/notifications/why shows the same.

/** Rules in the order in which they are applied. */
export const recipientRules = [
  'candidate',
  'active',
  'access',
  'own_activity',
  'already_mailed',
  'subscription',
  'level',
] as const;

export type RecipientRule = (typeof recipientRules)[number];

export const ruleOutcomes = ['passed', 'refused', 'mailed'] as const;

/** Result of one rule: the user is still a candidate, is not mailed, or is mailed whatever the other rules say. */
export interface RuleResult {
  readonly rule: RecipientRule;
  readonly outcome: (typeof ruleOutcomes)[number];
  /** A sentence in English. */
  readonly text: string;
}

export const simpleRemedies = ['subscribe', 'unsubscribe', 'take_part', 'own_activity', 'gain_access', 'unblock'] as const;

/**
 * Something that alone would reverse the decision. `own_activity` switches the setting about one's own activity. `text` is a sentence in
 * English.
 */
export type Remedy = { readonly text: string } & (
  | {
      readonly kind: 'set_level';
      readonly scope: SettingScope;
      readonly level: NotificationLevel;
      /** Event to switch on together with level `custom`. */
      readonly event?: NotificationEvent;
    }
  | { readonly kind: 'set_event'; readonly scope: SettingScope; readonly event: NotificationEvent; readonly value: boolean }
  | { readonly kind: (typeof simpleRemedies)[number] }
);

export const recipientTypes = ['participating', 'mention', 'watch', 'custom', 'subscription'] as const satisfies RecipientType[];

export interface RecipientDecision {
  readonly user: UserBasic;
  readonly event: NotificationEvent;
  /** Relations of the user to the event; empty if there are none. */
  readonly relations: readonly { readonly type: RecipientType; readonly reason: string | null }[];
  /** The setting that applies. */
  readonly setting: { readonly level: NotificationLevel; readonly scope: SettingScope };
  /** Ends with the rule that decided. */
  readonly rules: readonly RuleResult[];
  readonly mailed: boolean;
  readonly reason: string | null;
  /** Text of the verdict: one sentence in English. */
  readonly text: string;
  readonly remedies: readonly Remedy[];
  /** ID of the mail; null without one, also after it was deleted. */
  readonly mail_id: number | null;
}

/** An event that happened. */
export interface NotificationEventBasic {
  readonly id: number;
  readonly event: NotificationEvent;
  /** `pending` until all candidates are decided, `failed` if that was given up. */
  readonly status: 'pending' | 'decided' | 'failed';
  /** The user who caused it; null for scheduled events and deleted users. */
  readonly actor: UserBasic | null;
  readonly project_id: number | null;
  readonly group_id: number | null;
  /** `Issue`, `MergeRequest`, `Epic`, `Snippet`, `Pipeline`, `Release` or `Project`. */
  readonly target_type: string;
  readonly target_id: number;
  /** Null for targets without a number in their project or group. */
  readonly target_iid: number | null;
  readonly target_title: string | null;
  /** ISO 8601. */
  readonly created_at: string;
  /** Page that explains who was mailed. */
  readonly web_url: string;
}

/** Reads a decision. Rules and remedies that are unknown to this version are left out. */
export function readRecipientDecision(value: unknown): RecipientDecision | undefined {
  if (!isJsonObject(value) || !isNotificationEvent(value.event) || !isJsonObject(value.setting)) return undefined;
  const user = readUserBasic(value.user);
  const { level, scope } = value.setting;
  const settingScope = readScope(scope);
  if (user === undefined || settingScope === undefined || !isNotificationLevel(level)) return undefined;
  return {
    user,
    event: value.event,
    relations: listOf(value.relations, readRelation),
    setting: { level, scope: settingScope },
    rules: listOf(value.rules, readRule),
    mailed: booleanMember(value, 'mailed'),
    reason: stringMember(value, 'reason') ?? null,
    text: stringMember(value, 'text') ?? '',
    remedies: listOf(value.remedies, readRemedy),
    mail_id: integerMember(value, 'mail_id') ?? null,
  };
}

export function readNotificationEvent(value: unknown): NotificationEventBasic | undefined {
  if (!isJsonObject(value) || !isNotificationEvent(value.event)) return undefined;
  const id = integerMember(value, 'id');
  const targetId = integerMember(value, 'target_id');
  const createdAt = stringMember(value, 'created_at');
  if (id === undefined || targetId === undefined || createdAt === undefined) return undefined;
  const { status } = value;
  return {
    id,
    event: value.event,
    status: status === 'pending' || status === 'failed' ? status : 'decided',
    actor: readUserBasic(value.actor) ?? null,
    project_id: integerMember(value, 'project_id') ?? null,
    group_id: integerMember(value, 'group_id') ?? null,
    target_type: stringMember(value, 'target_type') ?? '',
    target_id: targetId,
    target_iid: integerMember(value, 'target_iid') ?? null,
    target_title: stringMember(value, 'target_title') ?? null,
    created_at: createdAt,
    web_url: stringMember(value, 'web_url') ?? '',
  };
}

function readScope(value: unknown): SettingScope | undefined {
  if (!isJsonObject(value)) return undefined;
  const { kind } = value;
  if (kind !== 'global' && kind !== 'group' && kind !== 'project') return undefined;
  return { kind, id: integerMember(value, 'id') ?? 0, path: stringMember(value, 'path') ?? '' };
}

function readRelation(value: unknown): RecipientDecision['relations'][number] | undefined {
  if (!isJsonObject(value)) return undefined;
  const type = recipientTypes.find((known) => known === value.type);
  return type === undefined ? undefined : { type, reason: stringMember(value, 'reason') ?? null };
}

function readRule(value: unknown): RuleResult | undefined {
  if (!isJsonObject(value)) return undefined;
  const rule = recipientRules.find((known) => known === value.rule);
  const outcome = ruleOutcomes.find((known) => known === value.outcome);
  if (rule === undefined || outcome === undefined) return undefined;
  return { rule, outcome, text: stringMember(value, 'text') ?? '' };
}

function readRemedy(value: unknown): Remedy | undefined {
  if (!isJsonObject(value)) return undefined;
  const text = stringMember(value, 'text') ?? '';
  const simple = simpleRemedies.find((kind) => kind === value.kind);
  if (simple !== undefined) return { kind: simple, text };
  return readSettingRemedy(value, text);
}

function readSettingRemedy(value: JsonObject, text: string): Remedy | undefined {
  const scope = readScope(value.scope);
  if (scope === undefined) return undefined;
  if (value.kind === 'set_level' && isNotificationLevel(value.level)) {
    const event = isNotificationEvent(value.event) ? { event: value.event } : {};
    return { kind: 'set_level', scope, level: value.level, ...event, text };
  }
  if (value.kind === 'set_event' && isNotificationEvent(value.event) && typeof value.value === 'boolean') {
    return { kind: 'set_event', scope, event: value.event, value: value.value, text };
  }
  return undefined;
}
