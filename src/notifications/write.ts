import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiFailure } from '../api/failures.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import { showFailure } from '../ui/showFailure.ts';
import { type ChangeOutcome, makeChanges, type PlannedChange } from './changes.ts';
import { showFailedChanges } from './failedChanges.ts';
import { keyOfScope, type NotificationScope } from './scopes.ts';
import { undoLastChangeOf } from './undo.ts';
import type { SignedIn } from './signedIn.ts';
import type { Notifications } from './view.ts';

/** Runs the work and shows the failure of a request. */
export async function showingFailures(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    void showFailure(error);
  }
}

/** Makes changes and shows failures. Returns true if all were made. */
export async function writeChanges(
  notifications: Notifications,
  { account, api }: Pick<SignedIn, 'account' | 'api'>,
  planned: readonly PlannedChange[],
): Promise<boolean> {
  let outcome: ChangeOutcome | undefined;
  await notifications.withProgress(async () => {
    outcome = await makeChanges(api, planned);
  });
  if (outcome === undefined) return false;
  notifications.changed(account.key, outcome.made);
  showFailedChanges(outcome);
  return outcome.failed.length === 0;
}

/** Shows what an account has changed, with a button that undoes its last change. */
export async function offerUndo(notifications: Notifications, account: BoundAccount, text: string): Promise<void> {
  const undo = l10n.t('Undo');
  if ((await vscode.window.showInformationMessage(account.named(text), undo)) !== undo) return;
  const signedIn = notifications.signedInAs(account.key);
  if (signedIn !== undefined) await undoLastChangeOf(notifications, signedIn);
}

/** Loads the settings of a scope and of those it inherits from. Throws the failure of its request. */
export async function loadedScope(signedIn: SignedIn, scope: NotificationScope) {
  const model = signedIn.model();
  await model.resolve(scope);
  const state = model.state(scope);
  if (state?.kind === 'failed') throw state.failure;
  const applied = model.applied(scope);
  if (state?.kind !== 'ready' || applied === undefined) throw new Error(`the settings of ${keyOfScope(scope)} are unknown`);
  return { own: state.setting, applied: applied.setting, source: applied.source };
}
