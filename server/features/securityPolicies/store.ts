import type { Store } from '../../store/open.ts';

/** The project or group whose policies are meant. */
export type PolicyContainer = { readonly projectId: number } | { readonly groupId: number };

/** A container with the project that has its policies. */
export interface ConfigurationRow {
  /** Null for a group. */
  readonly project_id: number | null;
  readonly group_id: number | null;
  /** Full path of the container. */
  readonly full_path: string;
  readonly policy_project_id: number;
  readonly policy_project_path: string;
  readonly default_branch: string;
}

const COLUMNS = `c.project_id, c.group_id, coalesce(own.full_path, g.full_path) AS full_path, c.policy_project_id,
  p.full_path AS policy_project_path, p.default_branch`;
const FROM = `FROM security_policy_configurations c JOIN projects_view p ON p.id = c.policy_project_id
  LEFT JOIN projects_view own ON own.id = c.project_id LEFT JOIN namespaces_view g ON g.id = c.group_id`;

export function configurationOf(store: Store, container: PolicyContainer): ConfigurationRow | undefined {
  const where = 'projectId' in container ? 'c.project_id = $projectId' : 'c.group_id = $groupId';
  return store.get<ConfigurationRow>(`SELECT ${COLUMNS} ${FROM} WHERE ${where}`, { ...container });
}

/** Returns the configurations of the ancestors of a container, the top-level group first. */
export function inheritedConfigurations(store: Store, container: PolicyContainer): ConfigurationRow[] {
  const namespace =
    'projectId' in container
      ? '(SELECT namespace_id FROM projects_view WHERE id = $projectId)'
      : '$groupId AND a.ancestor_id <> $groupId';
  return store.all<ConfigurationRow>(
    `SELECT ${COLUMNS} ${FROM} JOIN namespace_ancestors_view a ON a.ancestor_id = c.group_id
     WHERE a.namespace_id = ${namespace} ORDER BY length(g.full_path)`,
    { ...container },
  );
}

export function writeConfiguration(store: Store, container: PolicyContainer, policyProjectId: number, now: number): void {
  deleteConfiguration(store, container);
  store.run(
    `INSERT INTO security_policy_configurations (project_id, group_id, policy_project_id, created_at)
     VALUES ($projectId, $groupId, $policyProjectId, $now)`,
    { projectId: null, groupId: null, ...container, policyProjectId, now },
  );
}

/** Returns true if there was one. */
export function deleteConfiguration(store: Store, container: PolicyContainer): boolean {
  const where = 'projectId' in container ? 'project_id = $projectId' : 'group_id = $groupId';
  return store.run(`DELETE FROM security_policy_configurations WHERE ${where}`, { ...container }).changes > 0;
}
