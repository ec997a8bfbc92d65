import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { BoundAccount } from '../instances/boundAccount.ts';

/** Asks whether to delete a client key of a project. `detail` says what follows. */
export async function confirmDeletion(account: BoundAccount, keyId: number, path: string, detail: string): Promise<boolean> {
  const yes = l10n.t('Delete');
  const question = account.named(l10n.t('Delete client key {0} of {1}?', keyId, path));
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}
