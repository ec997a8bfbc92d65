// The Deprecations view and the menus of the emulated platform. A separate bundle, loaded on first use.
import type * as vscode from 'vscode';
import { createEmulationMenus } from '../local/emulationMenus.ts';
import { once } from '../support/once.ts';
import { useTranslations } from '../support/translations.ts';
import { createDeprecationsView, type DeprecationsViewSettings } from './view.ts';

export type Deprecations = ReturnType<typeof createDeprecations>;

export function createDeprecations(settings: DeprecationsViewSettings) {
  useTranslations();
  let created: vscode.Disposable | undefined;
  const view = once(() => {
    const made = createDeprecationsView(settings);
    created = made;
    return made;
  });
  return {
    menus: createEmulationMenus(settings.emulation, settings.connection),
    /** Creates the view; further calls return the same one. */
    view,
    dispose: (): void => {
      created?.dispose();
    },
  };
}
