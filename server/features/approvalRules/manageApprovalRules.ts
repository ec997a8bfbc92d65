import { findGroup } from '../groups/groups.ts';
import { invalidRecord, nothingFound } from '../../core/errors.ts';
import type { Caller } from '../../core/caller.ts';
import type { Core } from '../../core/core.ts';
import { isAvailable } from '../../core/profile.ts';
import type { Project } from '../projectAccess/projectAccess.ts';
import { isLongerThan } from '../../support/textLength.ts';
import {
  countRules,
  deleteRuleRow,
  eligibleOfProject,
  insertRule,
  ruleById,
  ruleLike,
  type RuleRow,
  type RuleValues,
  writeGroups,
  writeRule,
  writeUsers,
} from './store.ts';

// Approval rules of projects name the users who can approve merge requests. They require nothing here: merge requests can be merged
// without approvals.

export type ApprovalRule = RuleRow;

const MAX_NAME_LENGTH = 1024;
const MAX_APPROVALS = 100;
const MAX_RULES = 100;
const MAX_USERS = 500;
const MAX_GROUPS = 50;

export const approvalRuleTiers = ['premium', 'ultimate'] as const;

export interface ApprovalRuleInput {
  readonly name?: string | undefined;
  readonly approvalsRequired?: number | undefined;
  /** Users who are not members of the project are ignored. */
  readonly userIds?: readonly number[] | undefined;
  /** Groups that are not visible to the caller are ignored. */
  readonly groupIds?: readonly number[] | undefined;
}

/**
 * Returns the IDs of the active users who can approve merge requests of a project by one of its rules, in ascending order: the users of the
 * rules and the direct members of their groups. Returns at most `limit` with higher IDs than `after`.
 */
export function approversOf(
  core: Core,
  projectId: number,
  after = 0,
  limit: number = Number.MAX_SAFE_INTEGER,
): readonly number[] {
  if (!isAvailable({ tiers: approvalRuleTiers }, core.profile)) return [];
  return eligibleOfProject(core.store, projectId, after, limit);
}

/** @throws {NotFound} if the project has no such rule. */
export function mustFindRule(core: Core, project: Project, id: number): ApprovalRule {
  const rule = ruleById(core.store, project.id, id);
  if (rule === undefined) throw nothingFound('the project has no approval rule with this ID');
  return rule;
}

/** @throws {Invalid} for validation errors. */
export function createRule(
  core: Core,
  project: Project,
  caller: Caller,
  input: ApprovalRuleInput & {
    readonly name: string;
    readonly approvalsRequired: number;
    readonly ruleType: RuleRow['rule_type'];
  },
): ApprovalRule {
  const { store, clock } = core;
  const values = { name: input.name, approvals_required: input.approvalsRequired };
  return store.transaction(() => {
    if (countRules(store, project.id, MAX_RULES) === MAX_RULES) {
      throw invalidRecord({ base: [`A project can have at most ${MAX_RULES} approval rules`] });
    }
    if (input.ruleType === 'any_approver' && ruleLike(store, project.id, 'any_approver', undefined) !== undefined) {
      throw invalidRecord({ rule_type: ['any-approver for the project already exists'] });
    }
    checkValues(core, { id: 0, project_id: project.id, rule_type: input.ruleType }, values);
    const id = insertRule(store, { ...values, project_id: project.id, rule_type: input.ruleType }, clock.now());
    const rule = mustFindRule(core, project, id);
    writeApprovers(core, rule, caller, input);
    return rule;
  });
}

/**
 * Changes a rule. Omitted values do not change.
 *
 * @throws {Invalid} for validation errors.
 */
export function updateRule(
  core: Core,
  project: Project,
  rule: ApprovalRule,
  caller: Caller,
  input: ApprovalRuleInput,
): ApprovalRule {
  const values = { name: input.name ?? rule.name, approvals_required: input.approvalsRequired ?? rule.approvals_required };
  return core.store.transaction(() => {
    checkValues(core, rule, values);
    writeRule(core.store, rule.id, values);
    writeApprovers(core, rule, caller, input);
    return mustFindRule(core, project, rule.id);
  });
}

export function deleteRule(core: Core, rule: ApprovalRule): void {
  deleteRuleRow(core.store, rule.id);
}

function checkValues(
  { store }: Core,
  rule: Pick<ApprovalRule, 'id' | 'project_id' | 'rule_type'>,
  { name, approvals_required: required }: RuleValues,
): void {
  const taken = ruleLike(store, rule.project_id, rule.rule_type, name);
  const nameErrors = [
    ...(name.trim() === '' ? ["can't be blank"] : []),
    ...(isLongerThan(name, MAX_NAME_LENGTH) ? [`is too long (maximum is ${MAX_NAME_LENGTH} characters)`] : []),
    ...(taken === undefined || taken === rule.id ? [] : ['has already been taken']),
  ];
  const numberErrors = [
    ...(required < 0 ? ['must be greater than or equal to 0'] : []),
    ...(required > MAX_APPROVALS ? [`must be less than or equal to ${MAX_APPROVALS}`] : []),
  ];
  if (nameErrors.length === 0 && numberErrors.length === 0) return;
  throw invalidRecord({
    ...(nameErrors.length === 0 ? {} : { name: nameErrors }),
    ...(numberErrors.length === 0 ? {} : { approvals_required: numberErrors }),
  });
}

/** Replaces the users and groups of a rule, if they are given. Everybody can approve by a rule for any approver, so it has none. */
function writeApprovers(core: Core, rule: ApprovalRule, caller: Caller, { userIds, groupIds }: ApprovalRuleInput): void {
  if (rule.rule_type === 'any_approver') return;
  if (userIds !== undefined) {
    writeUsers(core.store, rule, distinct('users', userIds, MAX_USERS));
  }
  if (groupIds !== undefined) {
    const visible = distinct('groups', groupIds, MAX_GROUPS).filter((id) => findGroup(core, id, caller) !== undefined);
    writeGroups(core.store, rule.id, visible);
  }
}

function distinct(field: 'users' | 'groups', ids: readonly number[], maximum: number): readonly number[] {
  const found = [...new Set(ids)];
  if (found.length > maximum) throw invalidRecord({ [field]: [`total must be less than or equal to ${maximum}`] });
  return found;
}
