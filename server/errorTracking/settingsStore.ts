import type { Store } from '../store/open.ts';

export interface SettingsRow {
  readonly project_id: number;
  readonly enabled: 0 | 1;
  readonly integrated: 0 | 1;
}

export function settingsRow(store: Store, projectId: number): SettingsRow | undefined {
  return store.get<SettingsRow>(
    'SELECT project_id, enabled, integrated FROM error_tracking_settings WHERE project_id = $projectId',
    { projectId },
  );
}

export function writeSettingsRow(store: Store, row: SettingsRow): void {
  store.run(
    `INSERT INTO error_tracking_settings (project_id, enabled, integrated) VALUES ($project_id, $enabled, $integrated)
     ON CONFLICT (project_id) DO UPDATE SET enabled = $enabled, integrated = $integrated`,
    { ...row },
  );
}
