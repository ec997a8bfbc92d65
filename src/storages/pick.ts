import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { OwnerCounts, Storage } from './requests.ts';
import { formatCount, formatCounts } from './rows.ts';
import type { StoragesOfAccount } from './view.ts';

interface StorageItem extends vscode.QuickPickItem {
  /** Undefined lets the instance select the storage. */
  readonly storage: Storage | undefined;
}

/** Lets the user select a storage. Returns undefined if canceled. */
export async function pickStorage(view: StoragesOfAccount, title: string, placeHolder: string): Promise<Storage | undefined> {
  const items = (await view.storages()).map(storageItem);
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.storage;
}

/** Lets the user select where repositories move to. Returns undefined if canceled. */
export async function pickDestination(
  view: StoragesOfAccount,
  title: string,
  source: string | undefined,
): Promise<StorageItem | undefined> {
  const others = (await view.storages()).filter(({ name }) => name !== source);
  const byWeight: StorageItem = {
    label: l10n.t('Select by weight'),
    description: l10n.t('The instance selects the storage of each repository'),
    iconPath: new vscode.ThemeIcon('law'),
    storage: undefined,
  };
  const placeHolder = l10n.t('Select the destination');
  return vscode.window.showQuickPick([...others.map(storageItem), byWeight], { title, placeHolder });
}

/** Asks the user before all repositories of a storage move. */
export async function isConfirmed(
  account: BoundAccount,
  source: string,
  destination: string | undefined,
  moved: OwnerCounts,
): Promise<boolean> {
  const repositories = formatCounts(moved, vscode.env.language);
  const text =
    destination === undefined
      ? l10n.t('Move {0} away from {1}?', repositories, source)
      : l10n.t('Move {0} from {1} to {2}?', repositories, source, destination);
  const detail = l10n.t('Each repository is read-only while it moves. Pushes to it are refused until then.');
  const move = l10n.t('Move');
  return (await vscode.window.showWarningMessage(account.named(text), { modal: true, detail }, move)) === move;
}

function storageItem(storage: Storage): StorageItem {
  return {
    label: storage.name,
    description: formatCount('project', storage.projects, vscode.env.language),
    iconPath: new vscode.ThemeIcon('database'),
    storage,
  };
}
