import type { AttributeChange } from '../../core/changes.ts';

declare module '../../core/changes.ts' {
  interface ChangesByFeature {
    settings: SettingsChange;
  }
}

/** Changes of instance settings. They contain no secrets. */
export type SettingsChange = { readonly kind: 'settingsChanged'; readonly attributes: readonly AttributeChange[] };
