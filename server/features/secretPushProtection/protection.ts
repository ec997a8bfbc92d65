import type { Core } from '../../core/core.ts';
import { type Availability, isAvailable } from '../../core/profile.ts';
import { protectedAmong, type SecuritySettingsRow, settingsOfProject, writeSettings } from './store.ts';

// Whether pushes to a project are checked for secrets (docs/interface.md#secret-push-protection). Imports no other feature, because projects
// show the setting.

/** Availability of secret push protection. */
export const protectionTiers = ['ultimate'] as const satisfies Availability['tiers'];

type Settings = Pick<Core, 'store' | 'profile'>;

export function hasProtection({ profile }: Pick<Core, 'profile'>): boolean {
  return isAvailable({ tiers: protectionTiers }, profile);
}

/** Returns those projects whose pushes are checked; undefined if the emulated platform does not have the protection. */
export function protectedProjects(core: Settings, ids: readonly number[]): ReadonlySet<number> | undefined {
  return hasProtection(core) ? new Set(protectedAmong(core.store, ids)) : undefined;
}

export function isProtected(core: Settings, projectId: number): boolean {
  return protectedProjects(core, [projectId])?.has(projectId) === true;
}

/** Returns the stored settings of a project; undefined while it has the defaults. */
export function securitySettings({ store }: Settings, projectId: number): SecuritySettingsRow | undefined {
  return settingsOfProject(store, projectId);
}

export function setProtection({ store, clock }: Pick<Core, 'store' | 'clock'>, projectId: number, enabled: boolean): void {
  writeSettings(store, projectId, enabled, clock.now());
}
