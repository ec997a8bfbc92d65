import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { Snapshot } from '../contract/control.ts';
import { commands } from '../ids.ts';
import type { Instance } from '../instances/instances.ts';
import type { ConnectedData } from './connectedData.ts';
import type { DataActionSettings } from './dataActions.ts';
import type { PickServer } from './serverPick.ts';
import { showFailure } from './showFailure.ts';
import { listSnapshots } from './snapshots.ts';
import type { Supervisor } from './supervisor.ts';

interface SnapshotItem extends vscode.QuickPickItem {
  readonly snapshot: Snapshot;
}

export type ReplaceActions = ReturnType<typeof createReplaceActions>;

/** Actions of the user that replace the data of a local server: reset it, restore a snapshot. */
export function createReplaceActions(
  { supervisor, profiles, channel }: DataActionSettings,
  connected: ConnectedData,
  pick: PickServer,
) {
  async function reset(key: unknown): Promise<void> {
    const server = await pick(l10n.t('Reset Server'), key, 'any');
    if (server === undefined) return;
    const { name } = profiles.current();
    const { isConnected, label } = server;
    const isConfirmed = await confirm(
      isConnected === true ? l10n.t('Reset “{0}”?', label) : l10n.t('Reset data profile “{0}” of the managed server?', name),
      l10n.t('Reset'),
      isConnected === true
        ? l10n.t(
            'All of its data is replaced by that of its first start, at the same address. Sign-ins and tokens end, except the admin token. The current data is saved as a snapshot first. Use “Restore Local Server Snapshot…” to bring it back.',
          )
        : l10n.t(
            'All of its data is replaced by a new database: users, projects, issues, comments, activity, sign-ins and tokens. The current data is saved as a snapshot first. Use “Restore Local Server Snapshot…” to bring it back.',
          ),
      server,
    );
    if (!isConfirmed) return;
    if (isConnected === true) await connected.reset(server);
    else await restart('reset', l10n.t('Data profile “{0}” was reset. The old data was saved as a snapshot.', name));
  }

  async function confirm(question: string, yes: string, detail: string, { isConnected }: Instance): Promise<boolean> {
    const isOfOtherWindow = isConnected !== true && supervisor.state().kind === 'attached';
    const warning = l10n.t(
      'This server was started by another window. It will be stopped there and restarted here. All windows can then use it again.',
    );
    const options = { modal: true, detail: isOfOtherWindow ? `${detail}\n\n${warning}` : detail };
    return (await vscode.window.showWarningMessage(question, options, yes)) === yes;
  }

  /** Says that there are no snapshots. While the server runs, one can be taken. */
  async function offerSnapshot(text: string, { key, isConnected }: Instance): Promise<void> {
    const take = l10n.t('Take Snapshot…');
    const canTake = isConnected === true || supervisor.origin() !== undefined;
    const choice = await vscode.window.showInformationMessage(text, ...(canTake ? [take] : []));
    if (choice === take) await vscode.commands.executeCommand(commands.localTakeSnapshot, key);
  }

  async function restoreSnapshot(key: unknown): Promise<void> {
    const server = await pick(l10n.t('Restore Snapshot'), key, 'any');
    if (server === undefined) return;
    if (server.isConnected === true) await restoreConnected(server);
    else await restoreManaged(server);
  }

  async function restoreConnected(server: Instance): Promise<void> {
    const { label } = server;
    const snapshots = await connected.snapshots(server);
    if (snapshots === undefined) return;
    if (snapshots.length === 0) return offerSnapshot(l10n.t('“{0}” has no snapshots yet.', label), server);
    const name = await pickSnapshot(snapshots, l10n.t('Restore Snapshot of “{0}”', label));
    if (name === undefined) return;
    const isConfirmed = await confirm(
      l10n.t('Restore snapshot “{0}” of “{1}”?', name, label),
      l10n.t('Restore'),
      l10n.t(
        'All data of “{0}” is replaced by that of the snapshot, at the same address. Sign-ins and tokens that are newer than the snapshot end, except the admin token. The current data is saved as a snapshot first.',
        label,
      ),
      server,
    );
    if (isConfirmed) await connected.restore(server, name);
  }

  async function restoreManaged(server: Instance): Promise<void> {
    const { name, folder } = profiles.current();
    const snapshots = listSnapshots(folder);
    if (snapshots.length === 0) return offerSnapshot(l10n.t('Data profile “{0}” has no snapshots yet.', name), server);
    const snapshot = await pickSnapshot(snapshots, l10n.t('Restore Snapshot of Data Profile “{0}”', name));
    if (snapshot === undefined) return;
    const isConfirmed = await confirm(
      l10n.t('Restore snapshot “{0}” of data profile “{1}”?', snapshot, name),
      l10n.t('Restore'),
      l10n.t(
        'All data of the managed server is replaced by that of the snapshot. The current data is saved as a snapshot first.',
      ),
      server,
    );
    if (!isConfirmed) return;
    await restart({ snapshot }, l10n.t('Data profile “{0}” was restored from snapshot {1}.', name, snapshot));
  }

  async function restart(input: Parameters<Supervisor['restart']>[0], doneText: string): Promise<void> {
    const state = await supervisor.restart(input);
    if (state === 'refused') {
      void vscode.window.showWarningMessage(
        l10n.t(
          'Another program runs the managed server with its own token. Stop it in that program first. The data was not changed.',
        ),
      );
    } else if (state.kind === 'running') void vscode.window.showInformationMessage(doneText);
    else if (state.kind === 'attached')
      void vscode.window.showWarningMessage(
        l10n.t('Another window or program started the managed server in the meantime. The data was not changed.'),
      );
    else if (state.kind === 'failed') await showFailure(state, channel);
  }

  return { reset, restoreSnapshot };
}

/** Lets the user select a snapshot. Returns its name. */
async function pickSnapshot(snapshots: readonly Snapshot[], title: string): Promise<string | undefined> {
  const picked = await vscode.window.showQuickPick(snapshots.map(itemOf), {
    title,
    placeHolder: l10n.t('Select the snapshot to restore. The current data is saved as a snapshot first'),
  });
  return picked?.snapshot.name;
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
