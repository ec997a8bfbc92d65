import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ChosenProject } from '../activity/chosenProject.ts';
import type { CurrentProject } from '../activity/currentProject.ts';
import { ApiFailure } from '../api/failures.ts';
import type { ClientKey } from '../contract/clientKeys.ts';
import { type Meant, meantProject } from '../errorTracking/commands.ts';
import { formatFailure } from '../errorTracking/failures.ts';
import { commands } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { type ChosenPlace, chooseProject } from '../projects/choose.ts';
import { createClientKey, deleteClientKey, listClientKeys } from './model.ts';

/** What is meant; rows of keys know the key, too. */
type MeantKey = Meant | { readonly project: ChosenProject; readonly clientKey: ClientKey };

/** Makes, shows and deletes the keys with which SDKs send errors to a project. */
export function clientKeyCommands(connection: Connection, project: CurrentProject) {
  /** Does it with the project and key that are meant, else with those that the person chooses, and tells what the platform refuses. */
  async function inProject(
    title: string,
    work: (chosen: ChosenPlace, key: ClientKey | undefined) => Promise<void>,
    meant: MeantKey | undefined,
  ): Promise<void> {
    const chosen = await chooseProject(connection, title, meantProject(meant, project), project.get());
    if (chosen === undefined) return;
    try {
      await work(chosen, typeof meant === 'object' && 'clientKey' in meant ? meant.clientKey : undefined);
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      void vscode.window.showErrorMessage(formatFailure(error, chosen.path));
    }
  }

  async function create({ client, project, path }: ChosenPlace): Promise<void> {
    const key = await createClientKey(client, project);
    showChange();
    const copy = l10n.t('Copy DSN');
    const text = l10n.t('Client key {1} created for {0}.', path, key.id);
    if ((await vscode.window.showInformationMessage(text, copy)) === copy) await copyDsnOf(key);
  }

  async function copyDsn(chosen: ChosenPlace, meant: ClientKey | undefined): Promise<void> {
    const key = meant ?? (await pickKey(chosen, l10n.t('Copy Client Key DSN')));
    if (key !== undefined) await copyDsnOf(key);
  }

  async function remove(chosen: ChosenPlace, meant: ClientKey | undefined): Promise<void> {
    const { client, project, path } = chosen;
    const key = meant ?? (await pickKey(chosen, l10n.t('Delete Client Key')));
    if (key === undefined) return;
    const yes = l10n.t('Delete');
    const question = l10n.t('Delete client key {0} of {1}?', key.id, path);
    const detail = l10n.t('Error reports that use this key will be rejected. This cannot be undone.');
    if ((await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) !== yes) return;
    // Where somebody was faster, too, the view shows a key that is gone.
    await deleteClientKey(client, project, key.id).finally(showChange);
    void vscode.window.showInformationMessage(l10n.t('Client key {0} of {1} deleted.', key.id, path));
  }

  /** One of the keys of a project; undefined when the person steps back, or when there are none, which is told. */
  async function pickKey(chosen: ChosenPlace, title: string): Promise<ClientKey | undefined> {
    const keys = await listClientKeys(chosen.client, chosen.project);
    if (keys.length > 0) {
      const placeHolder = l10n.t('Select a client key of {0}', chosen.path);
      return (await vscode.window.showQuickPick(keys.map(itemOf), { title, placeHolder, matchOnDescription: true }))?.key;
    }
    const make = l10n.t('Create Client Key');
    const text = l10n.t('{0} has no client keys yet.', chosen.path);
    if ((await vscode.window.showInformationMessage(text, make)) === make) await create(chosen);
    return undefined;
  }

  return {
    [commands.clientKeysCreate]: (meant?: MeantKey) => inProject(l10n.t('Create Client Key'), create, meant),
    [commands.clientKeysCopyDsn]: (meant?: MeantKey) => inProject(l10n.t('Copy Client Key DSN'), copyDsn, meant),
    [commands.clientKeysDelete]: (meant?: MeantKey) => inProject(l10n.t('Delete Client Key'), remove, meant),
  };
}

/** The view may show the keys of this project. */
function showChange(): void {
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
