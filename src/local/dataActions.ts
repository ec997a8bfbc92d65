import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { settings } from '../ids.ts';
import type { ConnectedData } from './connectedData.ts';
import { type DataProfiles, makeFolder, profileNameProblem } from './profiles.ts';
import type { PickServer } from './serverPick.ts';
import type { Supervisor } from './supervisor.ts';

interface ProfileItem extends vscode.QuickPickItem {
  readonly profile?: string;
}

export interface DataActionSettings {
  readonly supervisor: Supervisor;
  readonly profiles: DataProfiles;
  /** Output channel with the log of the extension's own server. */
  readonly channel: vscode.LogOutputChannel;
}

export type DataActions = ReturnType<typeof createDataActions>;

/** Actions of the user on a local server that do not need it to run: on its data profile, its data folder, its log and its address. */
export function createDataActions(
  { supervisor, profiles, channel }: DataActionSettings,
  connected: ConnectedData,
  pick: PickServer,
) {
  async function selectProfile(): Promise<void> {
    const current = profiles.current().name;
    const items: readonly ProfileItem[] = [
      ...profiles.names().map((profile) => ({
        label: profile,
        description: profile === current ? l10n.t('current') : '',
        iconPath: new vscode.ThemeIcon(profile === current ? 'check' : 'database'),
        profile,
      })),
      { label: '', kind: vscode.QuickPickItemKind.Separator },
      { label: l10n.t('New data profile…'), iconPath: new vscode.ThemeIcon('add') },
    ];
    const picked = await vscode.window.showQuickPick(items, {
      title: l10n.t('Select Data Profile'),
      placeHolder: l10n.t('Select the data profile of the managed server'),
    });
    if (picked === undefined) return;
    const name = picked.profile ?? (await askForName(profiles.names()));
    if (name === undefined) return;
    await vscode.workspace.getConfiguration().update(settings.localProfile, name, vscode.ConfigurationTarget.Global);
  }

  async function openDataFolder(key: unknown): Promise<void> {
    const server = await pick(l10n.t('Open Data Folder'), key, 'any');
    if (server === undefined) return;
    const own = profiles.current();
    if (server.isConnected !== true) makeFolder(own);
    const file = server.isConnected === true ? await connected.folder(server) : own.folder;
    if (file === undefined) return;
    const folder = vscode.Uri.file(file);
    const isHere = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
    // The file manager runs on the user's machine; the folder may be on another one.
    if (isHere) await vscode.commands.executeCommand('revealFileInOS', folder);
    else await vscode.commands.executeCommand('vscode.openFolder', folder, { forceNewWindow: true });
  }

  async function showLog(key: unknown): Promise<void> {
    const server = await pick(l10n.t('Show Server Log'), key, 'any');
    if (server?.isConnected === true) await connected.showLog(server);
    else if (server !== undefined) channel.show();
  }

  async function copyAddress(key: unknown): Promise<void> {
    const server = await pick(l10n.t('Copy Server Address'), key, 'running');
    const address = server?.isConnected === true ? server.key : server && supervisor.origin();
    if (address === undefined) return;
    await vscode.env.clipboard.writeText(address);
    vscode.window.setStatusBarMessage(l10n.t('{0} was copied', address), 5_000);
  }

  return { selectProfile, openDataFolder, showLog, copyAddress };
}

/** Asks for the name of a new profile. `taken` are the names of the others. */
async function askForName(taken: readonly string[]): Promise<string | undefined> {
  const name = await vscode.window.showInputBox({
    title: l10n.t('New Data Profile'),
    prompt: l10n.t('Enter a name for the profile. Its folder gets the same name'),
    ignoreFocusOut: true,
    validateInput: (text) => {
      if (text === '') return undefined;
      if (taken.includes(text)) return l10n.t('A profile with this name already exists');
      return profileNameProblem(text);
    },
  });
  return name === undefined || profileNameProblem(name) !== undefined ? undefined : name;
}
