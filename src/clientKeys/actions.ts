import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { CurrentProject } from '../activity/currentProject.ts';
import { ApiFailure } from '../api/failures.ts';
import type { Send } from '../api/transport.ts';
import type { ClientKey } from '../contract/clientKeys.ts';
import type { ErrorPanels } from '../errorPanel/panel.ts';
import { formatFailure, noErrorTracking } from '../errorTracking/failures.ts';
import { isWithoutTracking } from '../errorTracking/missing.ts';
import { type CommandTarget, projectOf, type TargetProject } from '../errorTracking/target.ts';
import { commands } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { type PickedProject, chooseProject, chooseProjectToChange } from '../projects/choose.ts';
import { confirmDeletion } from './confirmDeletion.ts';
import { openKeyTerminal } from './keyTerminal.ts';
import { createClientKey, deleteClientKey, listClientKeys } from './model.ts';
import { rotate } from './rotate.ts';
import { createRotations, type Rotation } from './rotation.ts';
import { sendTestError } from './sendTestError.ts';
import { mayWrite, showFailure } from '../ui/showFailure.ts';

/** Argument of the commands. Rows of client keys, and actions on a DSN, contain the key, too. */
export type KeyTarget = CommandTarget | { readonly project: TargetProject; readonly clientKey: ClientKey };

export interface ClientKeyActionSettings {
  readonly connection: Connection;
  readonly project: CurrentProject;
  readonly panels: () => Promise<ErrorPanels>;
  readonly send: Send;
  readonly globalState: vscode.Memento;
  /** Called when keys have been created or deleted. */
  readonly changed: () => void;
}

/** Actions on client keys. Each lets the user select what its target does not say, and shows API failures. */
export interface ClientKeyActions {
  readonly create: (target?: KeyTarget) => Promise<void>;
  readonly copyDsn: (target?: KeyTarget) => Promise<void>;
  readonly remove: (target?: KeyTarget) => Promise<void>;
  readonly rotate: (target?: KeyTarget) => Promise<void>;
  readonly sendTestError: (target?: KeyTarget) => Promise<void>;
  readonly openTerminal: (target?: KeyTarget) => Promise<void>;
}

type KeyWork = (picked: PickedProject, key: ClientKey) => Promise<void>;

export function createActions(settings: ClientKeyActionSettings): ClientKeyActions {
  const { connection, project, globalState } = settings;
  const rotations = createRotations(globalState);

  /** Refreshes what may show the keys. */
  function refreshView(): void {
    void vscode.commands.executeCommand(commands.errorTrackingRefresh);
    settings.changed();
  }

  /** Runs `work` with the project and key of the target, or with the project that the user selects. Shows API failures. */
  async function inProject(
    title: string,
    work: (picked: PickedProject, key: ClientKey | undefined) => Promise<void>,
    target: KeyTarget | undefined,
    isChange: boolean,
  ): Promise<void> {
    const known = projectOf(target, project);
    let picked: PickedProject | undefined;
    try {
      picked = isChange
        ? await chooseProjectToChange(connection, title, known, project.get())
        : await chooseProject(connection, title, known, project.get(), true);
      if (picked === undefined) return;
      await work(picked, typeof target === 'object' && 'clientKey' in target ? target.clientKey : undefined);
    } catch (error) {
      if (!(error instanceof ApiFailure)) throw error;
      await showKeyFailure(error, picked, known?.path);
    }
  }

  /** Same, but lets the user also select the key if the target has none. */
  const withKey = (title: string, work: KeyWork, target: KeyTarget | undefined, isChange = false): Promise<void> =>
    inProject(
      title,
      async (picked, given) => {
        const key = given ?? (await pickKey(picked, title, rotations.of(picked.account.key, picked.path), refreshView));
        if (key !== undefined) await work(picked, key);
      },
      target,
      isChange,
    );

  return {
    create: (target) => inProject(l10n.t('Create Client Key'), (picked) => create(picked, refreshView), target, true),
    copyDsn: (target) => withKey(l10n.t('Copy Client Key DSN'), (_, key) => copyDsnOf(key), target),
    remove: (target) => withKey(l10n.t('Delete Client Key'), (picked, key) => remove(picked, key, refreshView), target, true),
    rotate: (target) =>
      withKey(l10n.t('Rotate Client Key'), (picked, key) => rotate({ rotations, refreshView }, picked, key), target, true),
    sendTestError: (target) => withKey(l10n.t('Send Test Error'), (picked, key) => sendTestError(settings, picked, key), target),
    openTerminal: (target) =>
      withKey(l10n.t('Open Terminal with DSN'), async ({ path }, key) => openKeyTerminal(path, key), target),
  };
}

async function showKeyFailure(failure: ApiFailure, picked: PickedProject | undefined, path = ''): Promise<void> {
  if (picked !== undefined && (await isWithoutTracking(failure, picked.client, { id: picked.project, path: picked.path })))
    void vscode.window.showInformationMessage(noErrorTracking());
  else void showFailure(failure, formatFailure(failure, picked?.path ?? path));
}

async function create({ account, client, project, path }: PickedProject, refreshView: () => void): Promise<void> {
  const key = await createClientKey(client, project);
  refreshView();
  const copy = l10n.t('Copy DSN');
  const text = account.named(l10n.t('Client key {1} created for {0}.', path, key.id));
  if ((await vscode.window.showInformationMessage(text, copy)) === copy) await copyDsnOf(key);
}

async function remove({ account, client, project, path }: PickedProject, key: ClientKey, refreshView: () => void): Promise<void> {
  const detail = l10n.t('Error reports that use this key will be rejected. This cannot be undone.');
  if (!(await confirmDeletion(account, key.id, path, detail))) return;
  // Also after a failure: if the key was already deleted elsewhere, the view still shows it.
  await deleteClientKey(client, project, key.id).finally(refreshView);
  void vscode.window.showInformationMessage(account.named(l10n.t('Client key {0} of {1} deleted.', key.id, path)));
}

async function copyDsnOf(key: ClientKey): Promise<void> {
  await vscode.env.clipboard.writeText(key.tracker_dsn);
  void vscode.window.showInformationMessage(l10n.t('DSN copied'));
}

/** Lets the user select a key of the project. Returns undefined if the user cancels. If there are no keys, offers to create one. */
async function pickKey(
  picked: PickedProject,
  title: string,
  rotations: readonly Rotation[],
  refreshView: () => void,
): Promise<ClientKey | undefined> {
  const keys = await listClientKeys(picked.client, picked.project);
  if (keys.length > 0) {
    const placeHolder = l10n.t('Select a client key of {0}', picked.path);
    const items = keys.map((key) => itemOf(key, rotations));
    return (await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true }))?.key;
  }
  const make = l10n.t('Create Client Key');
  const text = l10n.t('{0} has no client keys yet.', picked.path);
  const isWanted = (await vscode.window.showInformationMessage(text, make)) === make;
  if (isWanted && mayWrite(picked.account)) await create(picked, refreshView);
  return undefined;
}

function itemOf(key: ClientKey, rotations: readonly Rotation[]): vscode.QuickPickItem & { readonly key: ClientKey } {
  const detail = detailOf(key, rotations);
  return {
    key,
    label: l10n.t('Client key {0}', key.id),
    description: key.public_key,
    ...(detail === undefined ? {} : { detail }),
    iconPath: new vscode.ThemeIcon('key'),
  };
}

function detailOf({ id, active }: ClientKey, rotations: readonly Rotation[]): string | undefined {
  const ofOld = rotations.find(({ oldKey }) => oldKey === id);
  if (ofOld !== undefined) return l10n.t('is being replaced by client key {0}', ofOld.newKey);
  const ofNew = rotations.find(({ newKey }) => newKey === id);
  if (ofNew !== undefined) return l10n.t('is replacing client key {0}', ofNew.oldKey);
  return active ? undefined : l10n.t('inactive, error reports are rejected');
}
