import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';

export interface RuleRow {
  readonly id: number;
  readonly project_id: number;
  readonly name: string;
  readonly rule_type: 'regular' | 'any_approver';
  readonly approvals_required: number;
}

export type RuleValues = Pick<RuleRow, 'name' | 'approvals_required'>;

const COLUMNS = 'id, project_id, name, rule_type, approvals_required';

export function ruleById(store: Store, projectId: number, id: number): RuleRow | undefined {
  return store.get<RuleRow>(`SELECT ${COLUMNS} FROM approval_rules WHERE id = $id AND project_id = $projectId`, {
    id,
    projectId,
  });
}

/** Returns the ID of the rule of a project with this type and, unless omitted, this name. */
export function ruleLike(
  store: Store,
  projectId: number,
  ruleType: RuleRow['rule_type'],
  name: string | undefined,
): number | undefined {
  return store.get<{ id: number }>(
    `SELECT id FROM approval_rules WHERE project_id = $projectId AND rule_type = $ruleType AND ($name IS NULL OR name = $name) LIMIT 1`,
    { projectId, ruleType, name: name ?? null },
  )?.id;
}

export function countRules(store: Store, projectId: number, cap: number): number {
  return countRows(store, 'FROM approval_rules WHERE project_id = $projectId', { projectId }, cap);
}

/** Returns the rules of a project, oldest first. */
export function listRules(store: Store, projectId: number, limit: number, offset: number): RuleRow[] {
  return store.all<RuleRow>(
    `SELECT ${COLUMNS} FROM approval_rules WHERE project_id = $projectId ORDER BY id LIMIT $limit OFFSET $offset`,
    { projectId, limit, offset },
  );
}

export function insertRule(store: Store, rule: Omit<RuleRow, 'id'>, now: number): number {
  return store.run(
    `INSERT INTO approval_rules (project_id, name, rule_type, approvals_required, created_at)
     VALUES ($project_id, $name, $rule_type, $approvals_required, $now)`,
    { ...rule, now },
  ).lastId;
}

export function writeRule(store: Store, id: number, { name, approvals_required }: RuleValues): void {
  store.run('UPDATE approval_rules SET name = $name, approvals_required = $approvals_required WHERE id = $id', {
    id,
    name,
    approvals_required,
  });
}

export function deleteRuleRow(store: Store, id: number): void {
  store.run('DELETE FROM approval_rules WHERE id = $id', { id });
}

/** Replaces the users of a rule. Users who are not members of the project are skipped. */
export function writeUsers(
  store: Store,
  { id, project_id }: Pick<RuleRow, 'id' | 'project_id'>,
  userIds: readonly number[],
): void {
  store.run('DELETE FROM approval_rule_users WHERE rule_id = $id', { id });
  store.run(
    `INSERT INTO approval_rule_users (rule_id, user_id)
     SELECT $id, user_id FROM project_access_view WHERE project_id = $project_id AND user_id IN (SELECT value FROM json_each($ids))`,
    { id, project_id, ids: JSON.stringify(userIds) },
  );
}

/** Replaces the groups of a rule. */
export function writeGroups(store: Store, id: number, groupIds: readonly number[]): void {
  store.run('DELETE FROM approval_rule_groups WHERE rule_id = $id', { id });
  store.run('INSERT INTO approval_rule_groups (rule_id, group_id) SELECT $id, value FROM json_each($ids)', {
    id,
    ids: JSON.stringify(groupIds),
  });
}

export function usersOfRule(store: Store, id: number): number[] {
  return store
    .all<{ user_id: number }>('SELECT user_id FROM approval_rule_users WHERE rule_id = $id ORDER BY user_id', { id })
    .map((row) => row.user_id);
}

export function groupsOfRule(store: Store, id: number): number[] {
  return store
    .all<{ group_id: number }>('SELECT group_id FROM approval_rule_groups WHERE rule_id = $id ORDER BY group_id', { id })
    .map((row) => row.group_id);
}

/** Returns the active users of a rule and the active direct members of the given groups, in the order of their IDs. */
export function eligibleOfRule(store: Store, id: number, groupIds: readonly number[], limit: number): number[] {
  return store
    .all<{ id: number }>(
      `SELECT id FROM users_view WHERE state = 'active' AND id IN (
         SELECT user_id FROM approval_rule_users WHERE rule_id = $id
         UNION SELECT user_id FROM group_members_view WHERE group_id IN (SELECT value FROM json_each($groupIds))
       ) ORDER BY id LIMIT $limit`,
      { id, groupIds: JSON.stringify(groupIds), limit },
    )
    .map((row) => row.id);
}

/** Returns the active users who can approve by any rule of a project and have a higher ID than `after`, in the order of their IDs. */
export function eligibleOfProject(store: Store, projectId: number, after: number, limit: number): number[] {
  return store
    .all<{ id: number }>(
      `SELECT id FROM users_view WHERE state = 'active' AND id > $after AND id IN (
         SELECT u.user_id FROM approval_rules r JOIN approval_rule_users u ON u.rule_id = r.id WHERE r.project_id = $projectId
         UNION SELECT m.user_id FROM approval_rules r JOIN approval_rule_groups g ON g.rule_id = r.id
           JOIN group_members_view m ON m.group_id = g.group_id WHERE r.project_id = $projectId
       ) ORDER BY id LIMIT $limit`,
      { projectId, after, limit },
    )
    .map((row) => row.id);
}
