import type { Store } from '../../store/open.ts';

export interface SecuritySettingsRow {
  readonly secret_push_protection_enabled: 0 | 1;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Returns the settings of a project; undefined while it has the defaults. */
export function settingsOfProject(store: Store, projectId: number): SecuritySettingsRow | undefined {
  return store.get<SecuritySettingsRow>(
    `SELECT secret_push_protection_enabled, created_at, updated_at FROM project_security_settings WHERE project_id = $projectId`,
    { projectId },
  );
}

/** SQL that is 1 if pushes to the project `p` are checked, else 0. */
export const secretProtectedSql = `EXISTS (SELECT 1 FROM project_security_settings
  WHERE project_id = p.id AND secret_push_protection_enabled = 1)`;

export function writeSettings(store: Store, projectId: number, enabled: boolean, now: number): void {
  store.run(
    `INSERT INTO project_security_settings (project_id, secret_push_protection_enabled, created_at, updated_at)
     VALUES ($projectId, $enabled, $now, $now)
     ON CONFLICT (project_id) DO UPDATE SET secret_push_protection_enabled = $enabled, updated_at = $now`,
    { projectId, enabled: enabled ? 1 : 0, now },
  );
}
