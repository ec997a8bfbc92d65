import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { SignIn } from '../auth/signIn.ts';
import { commands } from '../ids.ts';
import type { Instances } from '../instances/instances.ts';
import type { DataActions } from './dataActions.ts';
import type { EmulationMenus } from './emulationMenus.ts';
import type { ReplaceActions } from './replaceActions.ts';
import type { ServerActions } from './serverActions.ts';
import type { PickServer } from './serverPick.ts';
import { showFailure } from './showFailure.ts';
import type { Supervisor } from './supervisor.ts';

export interface LocalCommandSettings {
  readonly local: {
    readonly supervisor: Supervisor;
    /** Output channel with the log of the server. */
    readonly channel: vscode.LogOutputChannel;
  };
  readonly instances: Instances;
  readonly signIn: SignIn;
  /** Loads the menus of the server and of the platform that it emulates, and the actions on the server and on its data. */
  readonly load: () => Promise<{
    readonly menus: EmulationMenus;
    readonly actions: ServerActions;
    readonly data: DataActions;
    readonly replace: ReplaceActions;
    readonly pick: PickServer;
    readonly connect: () => Promise<void>;
    readonly disconnect: () => Promise<void>;
  }>;
}

/** Commands of the local server. Only they show failures as messages, because only they are run by the user. */
export function localCommands({ local, instances, signIn, load }: LocalCommandSettings) {
  const { supervisor, channel } = local;

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

  async function useAs(key: unknown): Promise<void> {
    const server = await (await load()).pick(l10n.t('Sign In as Demo User'), key, 'any');
    if (server === undefined) return;
    await instances.select(server.key);
    await signIn.signIn(server, 'persona');
  }

  return {
    [commands.localStart]: start,
    [commands.localStop]: stop,
    [commands.localRestart]: restart,
    [commands.localUseAs]: useAs,
    [commands.localConnect]: async () => (await load()).connect(),
    [commands.localDisconnect]: async () => (await load()).disconnect(),
    [commands.localShowLog]: async (key: unknown) => (await load()).data.showLog(key),
    [commands.localSelectProfile]: async () => (await load()).data.selectProfile(),
    [commands.localOpenDataFolder]: async (key: unknown) => (await load()).data.openDataFolder(key),
    [commands.localReset]: async (key: unknown) => (await load()).replace.reset(key),
    [commands.localRestoreSnapshot]: async (key: unknown) => (await load()).replace.restoreSnapshot(key),
    [commands.localTakeSnapshot]: async (key: unknown) => (await load()).actions.takeSnapshot(key),
    [commands.localSetClock]: async (key: unknown, isReset: unknown) => (await load()).actions.setClock(key, isReset),
    [commands.localApplySeedFile]: async (key: unknown) => (await load()).actions.applySeedFile(key),
    [commands.localCopyAddress]: async (key: unknown) => (await load()).data.copyAddress(key),
    [commands.localOpenHomePageAs]: async (key: unknown) => (await load()).actions.openHomePageAs(key),
    [commands.localShowMenu]: async (key: unknown) => (await load()).menus.showMenu(key),
    [commands.localEmulateRelease]: async (key: unknown) => (await load()).menus.emulateRelease(key),
    [commands.localEmulateTier]: async (key: unknown) => (await load()).menus.emulateTier(key),
    [commands.localEmulateOffering]: async (key: unknown) => (await load()).menus.emulateOffering(key),
    [commands.localEmulateDialect]: async (key: unknown) => (await load()).menus.emulateDialect(key),
  };
}

function showNotOurs(): void {
  void vscode.window.showInformationMessage(
    l10n.t('Another program runs the managed server with its own token. Stop it in that program.'),
  );
}
