// The Deprecations view, the menus of the emulated platform and the actions on the local server and its data. A separate bundle, loaded on first use.
import type * as vscode from 'vscode';
import { createEmulationMenus } from '../local/emulationMenus.ts';
import type { LoadLocalControl } from '../local/control.ts';
import { createDataActions, type DataActionSettings } from '../local/dataActions.ts';
import { createServerActions } from '../local/serverActions.ts';
import { once } from '../support/once.ts';
import { useTranslations } from '../support/translations.ts';
import { createDeprecationsView, type DeprecationsViewSettings } from './view.ts';

export type Deprecations = ReturnType<typeof createDeprecations>;

interface DeprecationsSettings extends DeprecationsViewSettings {
  readonly control: LoadLocalControl;
  readonly local: DataActionSettings;
}

export function createDeprecations(settings: DeprecationsSettings) {
  useTranslations();
  let created: vscode.Disposable | undefined;
  const view = once(() => {
    const made = createDeprecationsView(settings);
    created = made;
    return made;
  });
  return {
    menus: createEmulationMenus(settings.emulation, settings.connection),
    actions: createServerActions(settings.control),
    data: createDataActions(settings.local),
    /** Creates the view; further calls return the same one. */
    view,
    dispose: (): void => {
      created?.dispose();
    },
  };
}
