import type { Store } from '../../../store/open.ts';

export interface SettingsRow {
  readonly project_id: number;
  readonly enabled: 0 | 1;
  readonly integrated: 0 | 1;
  /** 1 if secrets are scrubbed. */
  readonly scrub_data: 0 | 1;
}

export function settingsRow(store: Store, projectId: number): SettingsRow | undefined {
  return store.get<SettingsRow>(
    'SELECT project_id, enabled, integrated, scrub_data FROM error_tracking_settings WHERE project_id = $projectId',
    { projectId },
  );
}

/** New settings have scrubbing on. */
export function writeSettingsRow(store: Store, row: Omit<SettingsRow, 'scrub_data'>): void {
  store.run(
    `INSERT INTO error_tracking_settings (project_id, enabled, integrated) VALUES ($project_id, $enabled, $integrated)
     ON CONFLICT (project_id) DO UPDATE SET enabled = $enabled, integrated = $integrated`,
    { ...row },
  );
}

export function writeScrubbing(store: Store, projectId: number, input: boolean): void {
  store.run('UPDATE error_tracking_settings SET scrub_data = $scrub WHERE project_id = $projectId', {
    projectId,
    scrub: input ? 1 : 0,
  });
}
