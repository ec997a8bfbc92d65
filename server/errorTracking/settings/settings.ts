import { changedAttributes } from '../../changes.ts';
import { invalidRecord } from '../../http/failures.ts';
import type { Platform } from '../../platform.ts';
import { settingsRow, writeScrubbing, writeSettingsRow } from './settingsStore.ts';

export interface ErrorTrackingSettings {
  /** Whether errors are tracked. */
  readonly active: boolean;
  /** Whether this server tracks them. */
  readonly integrated: boolean;
}

/** What a project says of error tracking; undefined where nobody has said anything yet. */
export function settingsOf(platform: Platform, projectId: number): ErrorTrackingSettings | undefined {
  const row = settingsRow(platform.store, projectId);
  return row === undefined ? undefined : { active: row.enabled === 1, integrated: row.integrated === 1 };
}

/** Whether errors of a project are tracked here: without that, none are shown either. */
export function tracksErrors(platform: Platform, projectId: number): boolean {
  const settings = settingsOf(platform, projectId);
  return settings?.active === true && settings.integrated;
}

/**
 * Writes the settings of a project, whether or not it has some. Throws 400 for tracking by another backend than this server: that would
 * need an address, which can be given nowhere (docs/interface.md#error-tracking-settings).
 */
export function writeSettings(platform: Platform, projectId: number, input: ErrorTrackingSettings): ErrorTrackingSettings {
  if (input.active && !input.integrated) throw invalidRecord({ api_url: ['is a required field'] });
  const { store, changes } = platform;
  return store.transaction(() => {
    const before = settingsOf(platform, projectId);
    writeSettingsRow(store, { project_id: projectId, enabled: input.active ? 1 : 0, integrated: input.integrated ? 1 : 0 });
    if (before === undefined) {
      changes.publish({ kind: 'errorTrackingSet', projectId, ...input });
      return input;
    }
    const attributes = changedAttributes({ active: 'active', integrated: 'integrated' }, before, input);
    if (attributes.length > 0) changes.publish({ kind: 'errorTrackingChanged', projectId, attributes });
    return input;
  });
}

/** Changes settings that are there; what is left out stays. Undefined, with nothing done, where there are none. */
export function changeSettings(
  platform: Platform,
  projectId: number,
  input: { readonly active: boolean; readonly integrated?: boolean | undefined },
): ErrorTrackingSettings | undefined {
  return platform.store.transaction(() => {
    const settings = settingsOf(platform, projectId);
    if (settings === undefined) return undefined;
    return writeSettings(platform, projectId, {
      active: input.active,
      integrated: input.integrated ?? settings.integrated,
    });
  });
}

/** Whether secrets are taken out of what is sent to a project; undefined where nobody has set error tracking yet. */
export function scrubsSecrets(platform: Platform, projectId: number): boolean | undefined {
  const row = settingsRow(platform.store, projectId);
  return row === undefined ? undefined : row.scrub_data === 1;
}

/** Of what is sent from then on. Undefined, with nothing done, where nobody has set error tracking yet. */
export function setScrubbing(platform: Platform, projectId: number, input: boolean): boolean | undefined {
  const { store, changes } = platform;
  return store.transaction(() => {
    const before = scrubsSecrets(platform, projectId);
    if (before === undefined || before === input) return before;
    writeScrubbing(store, projectId, input);
    const attributes = [{ attribute: 'scrub_data', from: String(before), to: String(input) }];
    changes.publish({ kind: 'errorTrackingChanged', projectId, attributes });
    return input;
  });
}
