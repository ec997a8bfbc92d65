import { changedAttributes } from '../../../core/changes.ts';
import { invalidRecord } from '../../../core/errors.ts';
import type { Core } from '../../../core/core.ts';
import { settingsRow, writeScrubbing, writeSettingsRow } from './settingsStore.ts';

export interface ErrorTrackingSettings {
  /** True if error tracking is on. */
  readonly active: boolean;
  /** True if this server tracks the errors. */
  readonly integrated: boolean;
}

/** Returns the error tracking settings of a project, or undefined if they have never been set. */
export function settingsOf(core: Core, projectId: number): ErrorTrackingSettings | undefined {
  const row = settingsRow(core.store, projectId);
  return row === undefined ? undefined : { active: row.enabled === 1, integrated: row.integrated === 1 };
}

/** Returns true if this server tracks errors of the project. Otherwise none are shown either. */
export function tracksErrors(core: Core, projectId: number): boolean {
  const settings = settingsOf(core, projectId);
  return settings?.active === true && settings.integrated;
}

/**
 * Creates or replaces the settings of a project. Throws `Invalid` for tracking by another backend, which would need a URL that cannot
 * be set (docs/interface.md#error-tracking-settings).
 */
export function writeSettings(core: Core, projectId: number, input: ErrorTrackingSettings): ErrorTrackingSettings {
  if (input.active && !input.integrated) throw invalidRecord({ api_url: ['is a required field'] });
  const { store, changes } = core;
  return store.transaction(() => {
    const before = settingsOf(core, projectId);
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

/** Turns error tracking by this server on or off for a project. */
export function setErrorTracking(core: Core, projectId: number, active: boolean): void {
  writeSettings(core, projectId, { active, integrated: true });
}

/** Changes existing settings. Undefined members stay unchanged. Returns undefined if there are no settings. */
export function changeSettings(
  core: Core,
  projectId: number,
  input: { readonly active: boolean; readonly integrated?: boolean | undefined },
): ErrorTrackingSettings | undefined {
  return core.store.transaction(() => {
    const settings = settingsOf(core, projectId);
    if (settings === undefined) return undefined;
    return writeSettings(core, projectId, {
      active: input.active,
      integrated: input.integrated ?? settings.integrated,
    });
  });
}

/** Returns true if secrets are scrubbed from the events of a project, or undefined if its error tracking has never been set. */
export function scrubsSecrets(core: Core, projectId: number): boolean | undefined {
  const row = settingsRow(core.store, projectId);
  return row === undefined ? undefined : row.scrub_data === 1;
}

/** Turns scrubbing of new events on or off. Returns undefined if error tracking of the project has never been set. */
export function setScrubbing(core: Core, projectId: number, input: boolean): boolean | undefined {
  const { store, changes } = core;
  return store.transaction(() => {
    const before = scrubsSecrets(core, projectId);
    if (before === undefined || before === input) return before;
    writeScrubbing(store, projectId, input);
    const attributes = [{ attribute: 'scrub_data', from: String(before), to: String(input) }];
    changes.publish({ kind: 'errorTrackingChanged', projectId, attributes });
    return input;
  });
}
