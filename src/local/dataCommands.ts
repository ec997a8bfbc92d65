import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands, settings } from '../ids.ts';
import { sentences } from './failures.ts';
import { type DataProfiles, makeFolder, profileNameProblem } from './profiles.ts';
import type { ServerState, Supervisor } from './supervisor.ts';
import { listSnapshots, type Snapshot } from './snapshots.ts';

interface ProfileItem extends vscode.QuickPickItem {
  readonly profile?: string;
}

interface SnapshotItem extends vscode.QuickPickItem {
  readonly snapshot: Snapshot;
}

/** What concerns the data of the local server: which of it, where it is, beginning anew, and going back. */
export function dataCommands(supervisor: Supervisor, profiles: DataProfiles, serverLog: vscode.LogOutputChannel) {
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
      title: l10n.t('Data Profile of the Local Server'),
      placeHolder: l10n.t('Data that the local server works on'),
    });
    if (picked === undefined) return;
    const name = picked.profile ?? (await nameOfNew());
    if (name === undefined) return;
    await vscode.workspace.getConfiguration().update(settings.localProfile, name, vscode.ConfigurationTarget.Global);
  }

  async function nameOfNew(): Promise<string | undefined> {
    const name = await vscode.window.showInputBox({
      title: l10n.t('New Data Profile'),
      prompt: l10n.t('Name of the profile, which is also the name of its folder'),
      ignoreFocusOut: true,
      validateInput: (text) => {
        if (text === '') return undefined;
        if (profiles.names().includes(text)) return l10n.t('There is a profile of this name');
        return profileNameProblem(text);
      },
    });
    return name === undefined || profileNameProblem(name) !== undefined ? undefined : name;
  }

  async function openDataFolder(): Promise<void> {
    const profile = profiles.current();
    makeFolder(profile);
    const folder = vscode.Uri.file(profile.folder);
    const isHere = vscode.env.uiKind === vscode.UIKind.Desktop && vscode.env.remoteName === undefined;
    // The file manager is on the person's machine, and the folder may be on another one.
    if (isHere) await vscode.commands.executeCommand('revealFileInOS', folder);
    else await vscode.commands.executeCommand('vscode.openFolder', folder, { forceNewWindow: true });
  }

  async function reset(): Promise<void> {
    const { name } = profiles.current();
    const yes = l10n.t('Reset');
    const response = await vscode.window.showWarningMessage(
      l10n.t('Reset the local server’s data profile “{0}”?', name),
      {
        modal: true,
        detail: [
          l10n.t(
            'It begins with a new database: its people, projects, issues, comments, activity, sign-ins and tokens are gone. They are kept as a snapshot first, which “Restore Snapshot of Local Server…” brings back.',
          ),
          ...(supervisor.state().kind === 'attached'
            ? [
                l10n.t(
                  'Another window has started this server. It is stopped there and started again here; every window has it again then.',
                ),
              ]
            : []),
        ].join('\n\n'),
      },
      yes,
    );
    if (response !== yes) return;
    await begin('reset', l10n.t('The data profile “{0}” begins anew. What it held before is kept as a snapshot.', name));
  }

  async function restoreSnapshot(): Promise<void> {
    const { name, folder } = profiles.current();
    const snapshots = listSnapshots(folder);
    if (snapshots.length === 0) {
      void vscode.window.showInformationMessage(l10n.t('The data profile “{0}” has no snapshot yet.', name));
      return;
    }
    const picked = await vscode.window.showQuickPick(snapshots.map(itemOf), {
      title: l10n.t('Restore a Snapshot of Data Profile “{0}”', name),
      placeHolder: l10n.t('Data that takes the place of what is there; that becomes a snapshot, too'),
    });
    if (picked === undefined) return;
    const { snapshot } = picked;
    await begin({ snapshot: snapshot.name }, l10n.t('The data profile “{0}” is as it was in snapshot {1}.', name, snapshot.name));
  }

  async function begin(input: Parameters<Supervisor['restart']>[0], done: string): Promise<void> {
    const state = await supervisor.restart(input);
    if (state === 'refused') {
      void vscode.window.showWarningMessage(
        l10n.t(
          'Another program runs this local server with a token of its own. Stop it there first; its data was left as it is.',
        ),
      );
    } else if (state.kind === 'running') void vscode.window.showInformationMessage(done);
    else if (state.kind === 'attached')
      void vscode.window.showWarningMessage(
        l10n.t('Another window or program has started the local server meanwhile, so its data was left as it is.'),
      );
    else if (state.kind === 'failed') await tell(state);
  }

  async function tell(state: ServerState & { kind: 'failed' }): Promise<void> {
    const log = l10n.t('Show Log');
    const text = sentences(state.text, state.hint);
    if ((await vscode.window.showErrorMessage(text, log)) === log) serverLog.show();
  }

  return {
    [commands.localSelectProfile]: selectProfile,
    [commands.localOpenDataFolder]: openDataFolder,
    [commands.localReset]: reset,
    [commands.localRestoreSnapshot]: restoreSnapshot,
  };
}

/** Moves the running server to the data profile that is current, one change after the other. */
export function followProfile(supervisor: Supervisor, profiles: DataProfiles): vscode.Disposable {
  let switching = Promise.resolve();
  return profiles.onDidChangeCurrent(() => {
    switching = switching.then(supervisor.move);
  });
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
