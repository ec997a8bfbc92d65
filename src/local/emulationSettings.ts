import type { ConfigurationChangeEvent } from 'vscode';
import { type Profile, profileFrom } from '../contract/emulation.ts';
import { settings } from '../ids.ts';
import { settingOf } from '../support/settings.ts';

/** Returns the platform that the local server emulates after its next start. */
export function emulatedBySettings(): Profile {
  return profileFrom({
    release: settingOf(settings.localRelease),
    tier: settingOf(settings.localTier),
    offering: settingOf(settings.localOffering),
    dialect: settingOf(settings.localDialect),
  });
}

/** Returns the members of the emulated platform whose settings changed. A running server may differ in the others. */
export function changedEmulation(change: ConfigurationChangeEvent): Partial<Profile> {
  const { release, tier, offering, dialect } = emulatedBySettings();
  return {
    ...(change.affectsConfiguration(settings.localRelease) ? { release } : {}),
    ...(change.affectsConfiguration(settings.localTier) ? { tier } : {}),
    ...(change.affectsConfiguration(settings.localOffering) ? { offering } : {}),
    ...(change.affectsConfiguration(settings.localDialect) ? { dialect } : {}),
  };
}
