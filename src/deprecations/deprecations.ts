// The Deprecations view, the menus of the emulated platform and the actions on the local server and its data. A separate bundle, loaded on first use.
import type * as vscode from 'vscode';
import { createEmulationMenus } from '../local/emulationMenus.ts';
import type { LoadLocalControl } from '../local/control.ts';
import { createDataActions, type DataActionSettings } from '../local/dataActions.ts';
import type { Send } from '../api/transport.ts';
import type { ServerDetails } from '../instances/knownServer.ts';
import { connectToServer, type ConnectSettings, disconnectFromServer } from '../local/connect.ts';
import { createConnectedData } from '../local/connectedData.ts';
import { createReplaceActions } from '../local/replaceActions.ts';
import { createServerActions } from '../local/serverActions.ts';
import { createServerPick } from '../local/serverPick.ts';
import { once } from '../support/once.ts';
import { useTranslations } from '../support/translations.ts';
import { createDeprecationsView, type DeprecationsViewSettings } from './view.ts';

export type Deprecations = ReturnType<typeof createDeprecations>;

interface DeprecationsSettings extends DeprecationsViewSettings {
  readonly control: LoadLocalControl;
  readonly local: DataActionSettings & Omit<ConnectSettings, 'send' | 'reasonOf'>;
  readonly send: Send;
  readonly details: () => Promise<ServerDetails>;
  /** Returns why a request has failed. */
  readonly reasonOf: (error: unknown) => string;
}

export function createDeprecations(settings: DeprecationsSettings) {
  useTranslations();
  let created: vscode.Disposable | undefined;
  const view = once(() => {
    const made = createDeprecationsView(settings);
    created = made;
    return made;
  });
  const { emulation, connection, control, details, local } = settings;
  const pick = createServerPick(local.instances, local.supervisor);
  const servers = { instances: local.instances, connected: local.connected, send: settings.send, reasonOf: settings.reasonOf };
  const connected = createConnectedData(control, emulation.dataReplaced);
  return {
    pick,
    connect: () => connectToServer(servers),
    disconnect: () => disconnectFromServer(servers),
    data: createDataActions(local, connected, pick),
    replace: createReplaceActions(local, connected, pick),
    menus: createEmulationMenus({ emulation, connection, control, details, pick }),
    actions: createServerActions(control, pick, emulation.refresh),
    /** Creates the view; further calls return the same one. */
    view,
    dispose: (): void => {
      created?.dispose();
      connected.dispose();
    },
  };
}
