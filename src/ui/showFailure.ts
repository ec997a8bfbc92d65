import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ApiFailure } from '../api/failures.ts';
import { commands } from '../ids.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';

/** Shows a failure. If the sign-in lacks a scope, a button signs the same account in again with it. */
export async function showFailure(failure: ApiFailure, text: string = failure.message): Promise<void> {
  const { account, scope } = failure;
  const signIn = l10n.t('Sign In Again');
  const buttons = account === undefined || scope === undefined ? [] : [signIn];
  if ((await vscode.window.showErrorMessage(text, ...buttons)) === signIn)
    await vscode.commands.executeCommand(commands.signInAgain, account, scope);
}

/** Returns true if an account may change something. Otherwise says why not, with the button of `showFailure`. */
export function mayWrite(account: BoundAccount): boolean {
  const failure = account.readOnly();
  if (failure !== undefined) void showFailure(failure);
  return failure === undefined;
}
