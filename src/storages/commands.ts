import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { failureOfError } from '../api/failures.ts';
import { commands } from '../ids.ts';
import { pickProjectOrGroup } from '../projects/pick.ts';
import { moveAll } from './moveAll.ts';
import { follow, offerRetry, retryStorage, schedule } from './moves.ts';
import { pickDestination, pickStorage } from './pick.ts';
import { moveRepository, storageOfProject } from './requests.ts';
import { formatRemaining, type StorageRow } from './rows.ts';
import type { Storages, StoragesOfAccount } from './view.ts';
import { checkStorage } from './watch.ts';
import { mayWrite, showFailure } from '../ui/showFailure.ts';

/** Creates the commands of the Storages view, which is created when the first one runs. */
export function storageCommands(view: () => Storages) {
  /** Runs a command for the storages of the account of a row, else of the current one, and reports failures to the user. */
  function command(run: (storages: StoragesOfAccount, row: StorageRow | undefined) => Promise<void>, isChange = true) {
    return async (given?: StorageRow): Promise<void> => {
      try {
        const row = given ?? view().selected();
        const storages = view().of(row);
        if (storages === undefined) await vscode.commands.executeCommand(commands.signIn);
        else if (!isChange || mayWrite(storages.account)) await run(storages, row);
      } catch (error) {
        const failure = failureOfError(error);
        if (failure === undefined) throw error;
        void showFailure(failure);
      }
    };
  }

  return {
    [commands.storagesRefresh]: () => view().refresh(),
    [commands.storagesMoveProject]: command(moveOne),
    [commands.storagesMoveAll]: command(moveAll),
    [commands.storagesRetry]: command(retry),
    [commands.storagesCheck]: command(check, false),
  };
}

async function moveOne(view: StoragesOfAccount, row: StorageRow | undefined): Promise<void> {
  const source = row?.kind === 'storage' ? row.storage.name : undefined;
  const title = l10n.t('Move Project to Another Storage');
  const { client } = view;
  const project = await pickProjectOrGroup({
    client,
    kind: 'project',
    title,
    placeholder: source === undefined ? l10n.t('Select the project to move') : l10n.t('Select a project on {0}', source),
    ...(source === undefined ? {} : { restriction: { repository_storage: source } }),
  });
  if (project === undefined) return;
  const id = project.id ?? project.path;
  const destination = await pickDestination(view, title, source ?? (await storageOfProject(client, id)));
  if (destination === undefined) return;
  await follow(view, [await moveRepository(client, { kind: 'project', id }, destination.storage?.name)]);
}

async function retry(view: StoragesOfAccount, row: StorageRow | undefined): Promise<void> {
  if (row?.kind === 'move' && row.hasFailed) await schedule(view, [row.move]);
  else await retryStorage(view, row?.kind === 'storage' ? row.storage.name : undefined);
}

async function check(view: StoragesOfAccount, row: StorageRow | undefined): Promise<void> {
  const storage =
    row?.kind === 'storage' ? row.storage : await pickStorage(view, l10n.t('Is the Storage Empty?'), l10n.t('Select a storage'));
  if (storage === undefined) return;
  const { name } = storage;
  const found = await checkStorage(view.client, view.local, name);
  const text = formatRemaining(name, found, vscode.env.language);
  if (found.failed > 0) await offerRetry(view, name, text);
  else void vscode.window.showInformationMessage(view.account.named(text));
}
