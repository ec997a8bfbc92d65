import type { Store } from '../../store/open.ts';

export interface ScopeRow {
  readonly inbound_enabled: 0 | 1;
  readonly outbound_enabled: 0 | 1;
}

export function scopeOfProject(store: Store, projectId: number): ScopeRow | undefined {
  return store.get<ScopeRow>('SELECT inbound_enabled, outbound_enabled FROM job_token_scopes WHERE project_id = $projectId', {
    projectId,
  });
}

/** Returns those of some projects whose job tokens are limited to an allowlist. */
export function projectsWithOutboundLimit(store: Store, ids: readonly number[]): ReadonlySet<number> {
  const rows = store.all<{ project_id: number }>(
    `SELECT project_id FROM job_token_scopes
     WHERE project_id IN (SELECT value FROM json_each($ids)) AND outbound_enabled = 1`,
    { ids: JSON.stringify(ids) },
  );
  return new Set(rows.map((row) => row.project_id));
}

export function writeScope(store: Store, projectId: number, { inbound_enabled, outbound_enabled }: ScopeRow): void {
  store.run(
    `INSERT INTO job_token_scopes (project_id, inbound_enabled, outbound_enabled)
     VALUES ($projectId, $inbound_enabled, $outbound_enabled)
     ON CONFLICT (project_id) DO UPDATE SET inbound_enabled = $inbound_enabled, outbound_enabled = $outbound_enabled`,
    { projectId, inbound_enabled, outbound_enabled },
  );
}
