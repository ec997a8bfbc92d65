import type { Store } from '../../store/open.ts';

export type Direction = 'inbound' | 'outbound';

/** A project or group in an allowlist. */
export type Target = { readonly projectId: number } | { readonly groupId: number };

/** Returns the IDs of the projects in an allowlist, in ascending order. */
export function targetProjects(store: Store, projectId: number, direction: Direction): number[] {
  return store
    .all<{ id: number }>(
      `SELECT target_project_id AS id FROM job_token_scope_entries
       WHERE project_id = $projectId AND direction = $direction AND target_project_id IS NOT NULL ORDER BY 1`,
      { projectId, direction },
    )
    .map(({ id }) => id);
}

/** Returns the IDs of the groups in an allowlist, in ascending order. */
export function targetGroups(store: Store, projectId: number): number[] {
  return store
    .all<{ id: number }>(
      `SELECT target_group_id AS id FROM job_token_scope_entries
       WHERE project_id = $projectId AND direction = 'inbound' AND target_group_id IS NOT NULL ORDER BY 1`,
      { projectId },
    )
    .map(({ id }) => id);
}

const columnsOf = (target: Target) => ({
  targetProjectId: 'projectId' in target ? target.projectId : null,
  targetGroupId: 'groupId' in target ? target.groupId : null,
});

export function hasTarget(store: Store, projectId: number, direction: Direction, target: Target): boolean {
  return (
    store.get(
      `SELECT 1 FROM job_token_scope_entries WHERE project_id = $projectId AND direction = $direction
         AND target_project_id IS $targetProjectId AND target_group_id IS $targetGroupId`,
      { projectId, direction, ...columnsOf(target) },
    ) !== undefined
  );
}

export function insertTarget(store: Store, projectId: number, direction: Direction, target: Target): void {
  store.run(
    `INSERT INTO job_token_scope_entries (project_id, direction, target_project_id, target_group_id)
     VALUES ($projectId, $direction, $targetProjectId, $targetGroupId)`,
    { projectId, direction, ...columnsOf(target) },
  );
}

export function deleteTarget(store: Store, projectId: number, direction: Direction, target: Target): void {
  store.run(
    `DELETE FROM job_token_scope_entries WHERE project_id = $projectId AND direction = $direction
       AND target_project_id IS $targetProjectId AND target_group_id IS $targetGroupId`,
    { projectId, direction, ...columnsOf(target) },
  );
}

/** Returns true if a group in the inbound allowlist of a project contains another project, at any depth. */
export function isInAllowedGroup(store: Store, projectId: number, otherId: number): boolean {
  return (
    store.get(
      `SELECT 1 FROM projects_view p JOIN namespace_ancestors_view a ON a.namespace_id = p.namespace_id
       JOIN job_token_scope_entries e ON e.target_group_id = a.ancestor_id
       WHERE p.id = $otherId AND e.project_id = $projectId AND e.direction = 'inbound'`,
      { projectId, otherId },
    ) !== undefined
  );
}
