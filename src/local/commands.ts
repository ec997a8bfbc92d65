import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Send } from '../api/transport.ts';
import type { SignIn } from '../auth/signIn.ts';
import { commands } from '../ids.ts';
import type { Instances } from '../instances/instances.ts';
import { connectToServer, disconnectFromServer } from './connect.ts';
import type { ConnectedServers } from './connectedServers.ts';
import type { DataActions } from './dataActions.ts';
import type { EmulationMenus } from './emulationMenus.ts';
import type { DataProfiles } from './profiles.ts';
import type { ServerActions } from './serverActions.ts';
import { showFailure } from './showFailure.ts';
import type { Supervisor } from './supervisor.ts';

export interface LocalCommandSettings {
  readonly local: {
    readonly supervisor: Supervisor;
    readonly profiles: DataProfiles;
    readonly connected: ConnectedServers;
    /** Output channel with the log of the server. */
    readonly channel: vscode.LogOutputChannel;
  };
  readonly instances: Instances;
  readonly send: Send;
  readonly signIn: SignIn;
  /** Loads the menus of the server and of the platform that it emulates, and the actions on the server and on its data. */
  readonly load: () => Promise<{ readonly menus: EmulationMenus; readonly actions: ServerActions; readonly data: DataActions }>;
}

/** Commands of the local server. Only they show failures as messages, because only they are run by the user. */
export function localCommands({ local, instances, send, signIn, load }: LocalCommandSettings) {
  const { supervisor, channel } = local;
  const servers = { instances, connected: local.connected, send };

  async function start(): Promise<void> {
    await instances.select(instances.local().key);
    void showFailure(await supervisor.start(), channel);
  }

  async function stop(): Promise<void> {
    if ((await supervisor.stop()) === 'refused') showNotOurs();
  }

  async function restart(): Promise<void> {
    const state = await supervisor.restart();
    if (state === 'refused') showNotOurs();
    else void showFailure(state, channel);
  }

  async function useAs(): Promise<void> {
    const current = instances.current();
    if (current.isConnected !== true) await instances.select(instances.local().key);
    await signIn.signIn(current.isConnected === true ? current : instances.local(), 'persona');
  }

  async function copyAddress(): Promise<void> {
    const origin = supervisor.origin();
    if (origin === undefined) return;
    await vscode.env.clipboard.writeText(origin);
    vscode.window.setStatusBarMessage(l10n.t('{0} was copied', origin), 5_000);
  }

  return {
    [commands.localStart]: start,
    [commands.localStop]: stop,
    [commands.localRestart]: restart,
    [commands.localUseAs]: useAs,
    [commands.localConnect]: () => connectToServer(servers),
    [commands.localDisconnect]: () => disconnectFromServer(servers),
    [commands.localShowLog]: () => channel.show(),
    [commands.localSelectProfile]: async () => (await load()).data.selectProfile(),
    [commands.localOpenDataFolder]: async () => (await load()).data.openDataFolder(),
    [commands.localReset]: async () => (await load()).data.reset(),
    [commands.localRestoreSnapshot]: async () => (await load()).data.restoreSnapshot(),
    [commands.localTakeSnapshot]: async () => (await load()).actions.takeSnapshot(),
    [commands.localSetClock]: async () => (await load()).actions.setClock(),
    [commands.localApplySeedFile]: async () => (await load()).actions.applySeedFile(),
    [commands.localCopyAddress]: copyAddress,
    [commands.localOpenHomePageAs]: async () => (await load()).actions.openHomePageAs(),
    [commands.localShowMenu]: async () => (await load()).menus.showMenu(),
    [commands.localEmulateRelease]: async () => (await load()).menus.emulateRelease(),
    [commands.localEmulateTier]: async () => (await load()).menus.emulateTier(),
    [commands.localEmulateOffering]: async () => (await load()).menus.emulateOffering(),
    [commands.localEmulateDialect]: async () => (await load()).menus.emulateDialect(),
  };
}

function showNotOurs(): void {
  void vscode.window.showInformationMessage(
    l10n.t('Another program runs this local server with its own token. Stop it in that program.'),
  );
}
