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

/** SQL that is 1 if the job tokens of the project `p` are limited to an allowlist, else 0. */
export const outboundLimitSql = 'EXISTS (SELECT 1 FROM job_token_scopes WHERE project_id = p.id AND outbound_enabled = 1)';

export function writeScope(store: Store, projectId: number, { inbound_enabled, outbound_enabled }: ScopeRow): void {
  store.run(
    `INSERT INTO job_token_scopes (project_id, inbound_enabled, outbound_enabled)
     VALUES ($projectId, $inbound_enabled, $outbound_enabled)
     ON CONFLICT (project_id) DO UPDATE SET inbound_enabled = $inbound_enabled, outbound_enabled = $outbound_enabled`,
    { projectId, inbound_enabled, outbound_enabled },
  );
}
