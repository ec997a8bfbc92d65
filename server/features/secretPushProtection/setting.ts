import type { Core } from '../../core/core.ts';
import { type Availability, isAvailable } from '../../core/profile.ts';
import { type SecuritySettingsRow, settingsOfProject, writeSettings } from './store.ts';

// Setting of projects that decides if pushes are checked for secrets (docs/interface.md#secret-push-protection).

/** Availability of secret push protection. */
export const secretPushProtectionTiers = ['ultimate'] as const satisfies Availability['tiers'];

type Settings = Pick<Core, 'store' | 'profile'>;

/** Returns true if the emulated platform has secret push protection. */
export function hasSecretPushProtection({ profile }: Pick<Core, 'profile'>): boolean {
  return isAvailable({ tiers: secretPushProtectionTiers }, profile);
}

/** Returns true if pushes to a project are checked. */
export function checksPushesForSecrets(core: Settings, projectId: number): boolean {
  return hasSecretPushProtection(core) && settingsOfProject(core.store, projectId)?.secret_push_protection_enabled === 1;
}

/** Returns the stored settings of a project; undefined while it has the defaults. */
export function securitySettings({ store }: Settings, projectId: number): SecuritySettingsRow | undefined {
  return settingsOfProject(store, projectId);
}

export function setSecretPushProtection(
  { store, clock }: Pick<Core, 'store' | 'clock'>,
  projectId: number,
  enabled: boolean,
): void {
  writeSettings(store, projectId, enabled, clock.now());
}
