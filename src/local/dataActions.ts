import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands, settings } from '../ids.ts';
import { type DataProfiles, makeFolder, profileNameProblem } from './profiles.ts';
import { showFailure } from './showFailure.ts';
import type { Supervisor } from './supervisor.ts';
import { listSnapshots, type Snapshot } from './snapshots.ts';

interface ProfileItem extends vscode.QuickPickItem {
  readonly profile?: string;
}

interface SnapshotItem extends vscode.QuickPickItem {
  readonly snapshot: Snapshot;
}

export interface DataActionSettings {
  readonly supervisor: Supervisor;
  readonly profiles: DataProfiles;
  /** Output channel with the log of the server. */
  readonly channel: vscode.LogOutputChannel;
}

export type DataActions = ReturnType<typeof createDataActions>;

/** Actions of the user on the data of the local server: select a profile, open its folder, reset it, restore a snapshot. */
export function createDataActions({ supervisor, profiles, channel }: DataActionSettings) {
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
      placeHolder: l10n.t('Select the data profile of the local server'),
    });
    if (picked === undefined) return;
    const name = picked.profile ?? (await askForName(profiles.names()));
    if (name === undefined) return;
    await vscode.workspace.getConfiguration().update(settings.localProfile, name, vscode.ConfigurationTarget.Global);
  }

  async function openDataFolder(): Promise<void> {
    const profile = profiles.current();
    makeFolder(profile);
    const folder = vscode.Uri.file(profile.folder);
    const isHere = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
    // The file manager runs on the user's machine; the folder may be on another one.
    if (isHere) await vscode.commands.executeCommand('revealFileInOS', folder);
    else await vscode.commands.executeCommand('vscode.openFolder', folder, { forceNewWindow: true });
  }

  async function reset(): Promise<void> {
    const { name } = profiles.current();
    const yes = l10n.t('Reset');
    const choice = await vscode.window.showWarningMessage(
      l10n.t('Reset data profile “{0}” of the local server?', name),
      {
        modal: true,
        detail: [
          l10n.t(
            'All of its data is replaced by a new database: users, projects, issues, comments, activity, sign-ins and tokens. The current data is saved as a snapshot first. Use “Restore Local Server Snapshot…” to bring it back.',
          ),
          ...warningOfOtherWindow(),
        ].join('\n\n'),
      },
      yes,
    );
    if (choice !== yes) return;
    await restart('reset', l10n.t('Data profile “{0}” was reset. The old data was saved as a snapshot.', name));
  }

  function warningOfOtherWindow(): readonly string[] {
    if (supervisor.state().kind !== 'attached') return [];
    return [
      l10n.t(
        'This server was started by another window. It will be stopped there and restarted here. All windows can then use it again.',
      ),
    ];
  }

  /** Says that there are no snapshots. While the server runs, one can be taken. */
  async function offerSnapshot(name: string): Promise<void> {
    const take = l10n.t('Take Snapshot…');
    const text = l10n.t('Data profile “{0}” has no snapshots yet.', name);
    const choice = await vscode.window.showInformationMessage(text, ...(supervisor.origin() === undefined ? [] : [take]));
    if (choice === take) await vscode.commands.executeCommand(commands.localTakeSnapshot);
  }

  async function restoreSnapshot(): Promise<void> {
    const { name, folder } = profiles.current();
    const snapshots = listSnapshots(folder);
    if (snapshots.length === 0) return offerSnapshot(name);
    const picked = await vscode.window.showQuickPick(snapshots.map(itemOf), {
      title: l10n.t('Restore Snapshot of Data Profile “{0}”', name),
      placeHolder: l10n.t('Select the snapshot to restore. The current data is saved as a snapshot first'),
    });
    if (picked === undefined) return;
    const { snapshot } = picked;
    const yes = l10n.t('Restore');
    const choice = await vscode.window.showWarningMessage(
      l10n.t('Restore snapshot “{0}” of data profile “{1}”?', snapshot.name, name),
      {
        modal: true,
        detail: [
          l10n.t(
            'All data of the local server is replaced by that of the snapshot. The current data is saved as a snapshot first.',
          ),
          ...warningOfOtherWindow(),
        ].join('\n\n'),
      },
      yes,
    );
    if (choice !== yes) return;
    await restart({ snapshot: snapshot.name }, l10n.t('Data profile “{0}” was restored from snapshot {1}.', name, snapshot.name));
  }

  async function restart(input: Parameters<Supervisor['restart']>[0], doneText: string): Promise<void> {
    const state = await supervisor.restart(input);
    if (state === 'refused') {
      void vscode.window.showWarningMessage(
        l10n.t(
          'Another program runs this local server with its own token. Stop it in that program first. The data was not changed.',
        ),
      );
    } else if (state.kind === 'running') void vscode.window.showInformationMessage(doneText);
    else if (state.kind === 'attached')
      void vscode.window.showWarningMessage(
        l10n.t('Another window or program started the local server in the meantime. The data was not changed.'),
      );
    else if (state.kind === 'failed') await showFailure(state, channel);
  }

  return { selectProfile, openDataFolder, reset, restoreSnapshot };
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

function itemOf(snapshot: Snapshot): SnapshotItem {
  return {
    label: new Date(snapshot.createdAt).toLocaleString(vscode.env.language),
    description: l10n.t('{0} KB', Math.ceil(snapshot.size / 1024).toLocaleString(vscode.env.language)),
    detail: snapshot.name,
    iconPath: new vscode.ThemeIcon('history'),
    snapshot,
  };
}
