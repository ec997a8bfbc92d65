import { countRows } from '../../store/count.ts';
import type { Store } from '../../store/open.ts';
import type { VariableType } from '../pipelineVariables/pipelineVariables.ts';

export interface VariableRow {
  readonly id: number;
  readonly key: string;
  readonly sealed_value: string;
  readonly variable_type: VariableType;
  readonly environment_scope: string;
  readonly protected: 0 | 1;
  readonly masked: 0 | 1;
  readonly hidden: 0 | 1;
  readonly raw: 0 | 1;
  readonly description: string | null;
}

/** The project or group of variables. */
export type VariableContainer = { readonly projectId: number } | { readonly groupId: number };

const COLUMNS = 'id, key, sealed_value, variable_type, environment_scope, protected, masked, hidden, raw, description';

const whereSql = (container: VariableContainer): string =>
  'projectId' in container ? 'project_id = $container' : 'group_id = $container';
const idOf = (container: VariableContainer): number => ('projectId' in container ? container.projectId : container.groupId);

export function countVariables(store: Store, container: VariableContainer, cap: number): number {
  return countRows(store, `FROM ci_variables WHERE ${whereSql(container)}`, { container: idOf(container) }, cap);
}

/** Returns variables, oldest first. */
export function listVariables(store: Store, container: VariableContainer, limit: number, offset: number): VariableRow[] {
  return store.all<VariableRow>(
    `SELECT ${COLUMNS} FROM ci_variables WHERE ${whereSql(container)} ORDER BY id LIMIT $limit OFFSET $offset`,
    { container: idOf(container), limit, offset },
  );
}

/** Returns the variables with a key: one for each environment scope. */
export function variablesByKey(store: Store, container: VariableContainer, key: string): VariableRow[] {
  return store.all<VariableRow>(`SELECT ${COLUMNS} FROM ci_variables WHERE ${whereSql(container)} AND key = $key ORDER BY id`, {
    container: idOf(container),
    key,
  });
}

export function insertVariable(store: Store, container: VariableContainer, row: Omit<VariableRow, 'id'>): void {
  store.run(
    `INSERT INTO ci_variables (project_id, group_id, key, sealed_value, variable_type, environment_scope, protected, masked, hidden, raw, description)
     VALUES ($projectId, $groupId, $key, $sealed_value, $variable_type, $environment_scope, $protected, $masked, $hidden, $raw, $description)`,
    {
      projectId: 'projectId' in container ? container.projectId : null,
      groupId: 'groupId' in container ? container.groupId : null,
      ...row,
    },
  );
}

export function writeVariable(store: Store, row: Omit<VariableRow, 'key' | 'hidden'>): void {
  const { id, sealed_value, variable_type, environment_scope, masked, raw, description } = row;
  store.run(
    `UPDATE ci_variables SET sealed_value = $sealed_value, variable_type = $variable_type, environment_scope = $environment_scope,
       protected = $protected, masked = $masked, raw = $raw, description = $description WHERE id = $id`,
    { id, sealed_value, variable_type, environment_scope, protected: row.protected, masked, raw, description },
  );
}

export function deleteVariableRow(store: Store, id: number): void {
  store.run('DELETE FROM ci_variables WHERE id = $id', { id });
}

/** Returns the groups around a project, the innermost first. */
export function groupsAround(store: Store, projectId: number): number[] {
  return store
    .all<{ id: number }>(
      `SELECT a.ancestor_id AS id FROM projects_view p JOIN namespace_ancestors_view a ON a.namespace_id = p.namespace_id
       JOIN namespaces_view n ON n.id = a.ancestor_id AND n.kind = 'group'
       WHERE p.id = $projectId ORDER BY (SELECT count(*) FROM namespace_ancestors_view d WHERE d.namespace_id = a.ancestor_id) DESC`,
      { projectId },
    )
    .map(({ id }) => id);
}
