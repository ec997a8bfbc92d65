import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ChosenProject } from '../activity/chosenProject.ts';
import type { CurrentProject } from '../activity/currentProject.ts';
import { ApiFailure } from '../api/failures.ts';
import type { ClientKey } from '../contract/clientKeys.ts';
import { formatFailure } from '../errorTracking/failures.ts';
import { type CommandTarget, projectOf } from '../errorTracking/target.ts';
import { commands } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { type PickedProject, chooseProject } from '../projects/choose.ts';
import { createClientKey, deleteClientKey, listClientKeys } from './model.ts';

/** Argument of the commands. Rows of client keys contain the key, too. */
type KeyTarget = CommandTarget | { readonly project: ChosenProject; readonly clientKey: ClientKey };

/** Commands that create, copy and delete client keys, with which SDKs report errors to a project. */
export function clientKeyCommands(connection: Connection, project: CurrentProject) {
  /** Runs `work` with the project and key of the target, or with the project that the user selects. Shows API failures. */
  async function inProject(
    title: string,
    work: (picked: PickedProject, key: ClientKey | undefined) => Promise<void>,
    target: KeyTarget | undefined,
  ): Promise<void> {
    const picked = await chooseProject(connection, title, projectOf(target, project), project.get(), true);
    if (picked === undefined) return;
    try {
      await work(picked, typeof target === 'object' && 'clientKey' in target ? target.clientKey : undefined);
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      void vscode.window.showErrorMessage(formatFailure(error, picked.path));
    }
  }

  async function create({ client, project, path }: PickedProject): Promise<void> {
    const key = await createClientKey(client, project);
    refreshView();
    const copy = l10n.t('Copy DSN');
    const text = l10n.t('Client key {1} created for {0}.', path, key.id);
    if ((await vscode.window.showInformationMessage(text, copy)) === copy) await copyDsnOf(key);
  }

  async function copyDsn(picked: PickedProject, given: ClientKey | undefined): Promise<void> {
    const key = given ?? (await pickKey(picked, l10n.t('Copy Client Key DSN')));
    if (key !== undefined) await copyDsnOf(key);
  }

  async function remove(picked: PickedProject, given: ClientKey | undefined): Promise<void> {
    const { client, project, path } = picked;
    const key = given ?? (await pickKey(picked, l10n.t('Delete Client Key')));
    if (key === undefined) return;
    const yes = l10n.t('Delete');
    const question = l10n.t('Delete client key {0} of {1}?', key.id, path);
    const detail = l10n.t('Error reports that use this key will be rejected. This cannot be undone.');
    if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) !== yes) return;
    // Also after a failure: if the key was already deleted elsewhere, the view still shows it.
    await deleteClientKey(client, project, key.id).finally(refreshView);
    void vscode.window.showInformationMessage(l10n.t('Client key {0} of {1} deleted.', key.id, path));
  }

  /** Lets the user select a key of the project. Returns undefined if the user cancels. If there are no keys, offers to create one. */
  async function pickKey(picked: PickedProject, title: string): Promise<ClientKey | undefined> {
    const keys = await listClientKeys(picked.client, picked.project);
    if (keys.length > 0) {
      const placeHolder = l10n.t('Select a client key of {0}', picked.path);
      return (await vscode.window.showQuickPick(keys.map(itemOf), { title, placeHolder, matchOnDescription: true }))?.key;
    }
    const make = l10n.t('Create Client Key');
    const text = l10n.t('{0} has no client keys yet.', picked.path);
    if ((await vscode.window.showInformationMessage(text, make)) === make) await create(picked);
    return undefined;
  }

  return {
    [commands.clientKeysCreate]: (target?: KeyTarget) => inProject(l10n.t('Create Client Key'), create, target),
    [commands.clientKeysCopyDsn]: (target?: KeyTarget) => inProject(l10n.t('Copy Client Key DSN'), copyDsn, target),
    [commands.clientKeysDelete]: (target?: KeyTarget) => inProject(l10n.t('Delete Client Key'), remove, target),
  };
}

/** Refreshes the view, which may show the keys of this project. */
function refreshView(): void {
  void vscode.commands.executeCommand(commands.errorTrackingRefresh);
}

async function copyDsnOf(key: ClientKey): Promise<void> {
  await vscode.env.clipboard.writeText(key.tracker_dsn);
  void vscode.window.showInformationMessage(l10n.t('DSN copied'));
}

function itemOf(key: ClientKey): vscode.QuickPickItem & { readonly key: ClientKey } {
  return {
    key,
    label: l10n.t('Client key {0}', key.id),
    description: key.public_key,
    ...(key.active ? {} : { detail: l10n.t('inactive, error reports are rejected') }),
    iconPath: new vscode.ThemeIcon('key'),
  };
}
