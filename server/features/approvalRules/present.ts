import { findGroup, type FoundGroup, presentGroup } from '../groups/groups.ts';
import type { ResponseOf } from '../../http/responses.ts';
import type { Caller } from '../../core/caller.ts';
import { peopleOf } from '../profiles/profiles.ts';
import type { Core } from '../../core/core.ts';
import type { ApprovalRule } from './manageApprovalRules.ts';
import type { approvalRule } from './responses.ts';
import { eligibleOfRule, groupsOfRule, usersOfRule } from './store.ts';

/** Maximum number of eligible approvers in a response. */
const MAX_ELIGIBLE = 500;

/**
 * Returns a function that presents rules to a caller. Groups that are not visible to the caller are left out with their members. Groups and
 * users are read once.
 */
export function rulePresenter(
  core: Core,
  { caller, baseUrl }: { readonly caller: Caller; readonly baseUrl: string },
): (rule: ApprovalRule) => ResponseOf<typeof approvalRule> {
  const { store } = core;
  const person = peopleOf(core, baseUrl);
  const people = (ids: readonly number[]) => ids.map((id) => person(id)).filter((one) => one !== null);
  const known = new Map<number, FoundGroup | undefined>();
  const visible = (id: number): FoundGroup | undefined => {
    if (!known.has(id)) known.set(id, findGroup(core, id, caller));
    return known.get(id);
  };
  return (rule) => {
    const groupIds = groupsOfRule(store, rule.id);
    const groups = groupIds.map(visible).filter((found) => found !== undefined);
    const shownIds = groups.map(({ group }) => group.id);
    return {
      id: rule.id,
      name: rule.name,
      rule_type: rule.rule_type,
      report_type: null,
      eligible_approvers: people(eligibleOfRule(store, rule.id, shownIds, MAX_ELIGIBLE)),
      approvals_required: rule.approvals_required,
      users: people(usersOfRule(store, rule.id)),
      groups: groups.map(({ group }) => presentGroup(group, baseUrl)),
      contains_hidden_groups: groups.length < groupIds.length,
      protected_branches: [],
      applies_to_all_protected_branches: false,
    };
  };
}
