import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';

export type ProtectedKind = 'branch' | 'tag';
export type ProtectedAction = 'push' | 'merge' | 'unprotect' | 'create';

/** Rule that protects the branches or tags of a project with a name. The name can contain the wildcard `*`. */
export interface RuleRow {
  readonly id: number;
  readonly project_id: number;
  readonly kind: ProtectedKind;
  readonly name: string;
  readonly allow_force_push: 0 | 1;
  readonly code_owner_approval_required: 0 | 1;
}

/** Grantee of a rule: exactly one member is not null. */
export interface Grantee {
  readonly access_level: number | null;
  readonly user_id: number | null;
  readonly group_id: number | null;
  readonly deploy_key_id: number | null;
}

export interface GrantRow extends Grantee {
  readonly id: number;
  readonly action: ProtectedAction;
}

/** Grant with the names of its grantee. */
export interface NamedGrantRow extends GrantRow {
  readonly user_name: string | null;
  readonly group_name: string | null;
}

const COLUMNS = 'id, project_id, kind, name, allow_force_push, code_owner_approval_required';

/** Returns all rules for the branches or tags of a project. */
export function rulesOf(store: Store, projectId: number, kind: ProtectedKind): RuleRow[] {
  return store.all<RuleRow>(`SELECT ${COLUMNS} FROM protected_refs WHERE project_id = $projectId AND kind = $kind`, {
    projectId,
    kind,
  });
}

export function ruleNamed(store: Store, projectId: number, kind: ProtectedKind, name: string): RuleRow | undefined {
  return store.get<RuleRow>(
    `SELECT ${COLUMNS} FROM protected_refs WHERE project_id = $projectId AND kind = $kind AND name = $name`,
    { projectId, kind, name },
  );
}

const FILTER = `project_id = $projectId AND kind = $kind AND ($search IS NULL OR instr(lower(name), lower($search)) > 0)`;

export interface RuleFilter {
  readonly projectId: number;
  readonly kind: ProtectedKind;
  readonly search: string | null;
}

export function countRules(store: Store, filter: RuleFilter, cap: number): number {
  return countRows(store, `FROM protected_refs WHERE ${FILTER}`, { ...filter }, cap);
}

/** Returns the rules of a project, oldest first. */
export function listRules(store: Store, filter: RuleFilter, limit: number, offset: number): RuleRow[] {
  return store.all<RuleRow>(`SELECT ${COLUMNS} FROM protected_refs WHERE ${FILTER} ORDER BY id LIMIT $limit OFFSET $offset`, {
    ...filter,
    limit,
    offset,
  });
}

export function insertRule(store: Store, rule: Omit<RuleRow, 'id'>, now: number): number {
  return store.run(
    `INSERT INTO protected_refs (project_id, kind, name, allow_force_push, code_owner_approval_required, created_at)
     VALUES ($project_id, $kind, $name, $allow_force_push, $code_owner_approval_required, $now)`,
    { ...rule, now },
  ).lastId;
}

export function writeRule(
  store: Store,
  id: number,
  values: Pick<RuleRow, 'allow_force_push' | 'code_owner_approval_required'>,
): void {
  store.run(
    `UPDATE protected_refs SET allow_force_push = $allow_force_push, code_owner_approval_required = $code_owner_approval_required
     WHERE id = $id`,
    { ...values, id },
  );
}

export function deleteRule(store: Store, id: number): void {
  store.run('DELETE FROM protected_refs WHERE id = $id', { id });
}

/** Returns the grants of a rule in the order in which they were added. */
export function grantsOf(store: Store, ruleId: number): NamedGrantRow[] {
  return store.all<NamedGrantRow>(
    `SELECT g.id, g.action, g.access_level, g.user_id, g.group_id, g.deploy_key_id, u.name AS user_name, n.name AS group_name
     FROM protected_ref_access_levels g LEFT JOIN users_view u ON u.id = g.user_id LEFT JOIN namespaces_view n ON n.id = g.group_id
     WHERE g.protected_ref_id = $ruleId ORDER BY g.id`,
    { ruleId },
  );
}

export function insertGrant(store: Store, ruleId: number, grant: Omit<GrantRow, 'id'>): void {
  store.run(
    `INSERT INTO protected_ref_access_levels (protected_ref_id, action, access_level, user_id, group_id, deploy_key_id)
     VALUES ($ruleId, $action, $access_level, $user_id, $group_id, $deploy_key_id)`,
    { ...grant, ruleId },
  );
}

export function writeGrant(store: Store, id: number, grantee: Grantee): void {
  store.run(
    `UPDATE protected_ref_access_levels
     SET access_level = $access_level, user_id = $user_id, group_id = $group_id, deploy_key_id = $deploy_key_id WHERE id = $id`,
    { ...grantee, id },
  );
}

export function deleteGrant(store: Store, id: number): void {
  store.run('DELETE FROM protected_ref_access_levels WHERE id = $id', { id });
}

/** Returns true if a user is a member of a group or of one of its ancestors. */
export function isMemberOfGroup(store: Store, groupId: number, userId: number): boolean {
  return (
    store.get(
      `SELECT 1 FROM namespace_ancestors_view a JOIN group_members_view m ON m.group_id = a.ancestor_id
       WHERE a.namespace_id = $groupId AND m.user_id = $userId LIMIT 1`,
      { groupId, userId },
    ) !== undefined
  );
}

/** Returns true if a user is a member of a project, directly or through its group. */
export function isMemberOfProject(store: Store, projectId: number, userId: number): boolean {
  return (
    store.get('SELECT 1 FROM project_access_view WHERE project_id = $projectId AND user_id = $userId', { projectId, userId }) !==
    undefined
  );
}

/** Returns true if a group contains a project, at any depth. */
export function isGroupAround(store: Store, projectId: number, groupId: number): boolean {
  return (
    store.get(
      `SELECT 1 FROM projects_view p JOIN namespace_ancestors_view a ON a.namespace_id = p.namespace_id
       JOIN namespaces_view n ON n.id = a.ancestor_id AND n.kind = 'group' WHERE p.id = $projectId AND a.ancestor_id = $groupId`,
      { projectId, groupId },
    ) !== undefined
  );
}
