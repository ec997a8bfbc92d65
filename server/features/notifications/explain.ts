import type { RecipientDecision, RuleResult } from '../../../src/contract/notificationDecisions.ts';
import type { RecipientDetails } from './candidates.ts';
import { remediesFor } from './remedies.ts';
import { decide } from './rules.ts';

/** A decision as clients see it, without what depends on the requested server. */
export type Explanation = Omit<RecipientDecision, 'user' | 'mail_id'>;

/** Explains the decision that the rules make about a user. */
export function explain(details: RecipientDetails): Explanation {
  const { candidacies, setting, rules, mailed, reason, text } = decide(details);
  return {
    event: details.event,
    relations: candidacies,
    setting: { level: setting.level, scope: setting.scope },
    rules,
    mailed,
    reason,
    text,
    remedies: remediesFor(details),
  };
}

const NO_CANDIDATE = 'The user was no candidate when the event happened.';

/** Explains why a user was not considered for an event, as far as their details of today can. */
export function explainAbsence(details: RecipientDetails): Explanation {
  const today = explain(details);
  const rules: readonly RuleResult[] = [{ rule: 'candidate', outcome: 'refused', text: NO_CANDIDATE }];
  return {
    ...today,
    relations: [],
    rules,
    mailed: false,
    reason: null,
    text: `The user is not mailed. ${NO_CANDIDATE}`,
    // Remedies for today's decision, unless today the user would be mailed.
    remedies: today.mailed ? [] : today.remedies,
  };
}
