import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type ChangeOutcome, undoChanges } from './changes.ts';
import { showFailedChanges } from './failedChanges.ts';
import { nameOfScope } from './texts.ts';
import type { SignedIn } from './signedIn.ts';
import type { Notifications } from './view.ts';

/** Undoes the last change made in this workspace; a bulk change as a whole. */
export async function undoLastChange(notifications: Notifications): Promise<void> {
  const signedIn = await notifications.signedInToWrite();
  if (signedIn !== undefined) await undoLastChangeOf(notifications, signedIn);
}

/** Undoes the last change that an account has made in this workspace. */
export async function undoLastChangeOf(notifications: Notifications, { account, api, model }: SignedIn): Promise<void> {
  const made = notifications.takeLastChange(account.key);
  if (made === undefined) {
    void vscode.window.showInformationMessage(l10n.t('There is no notification change to undo in this workspace.'));
    return;
  }
  let outcome: ChangeOutcome | undefined;
  await notifications.withProgress(async () => {
    outcome = await undoChanges(api, made);
  });
  if (outcome === undefined) return;
  for (const { scope, after } of outcome.made) model().put(scope, after);
  showFailedChanges(outcome);
  // Failed changes can be tried again.
  const failed = new Set(outcome.failed.map(({ scope }) => scope));
  const rest = made.filter(({ scope }) => failed.has(scope));
  if (rest.length > 0) notifications.changed(account.key, rest);
  const [only] = outcome.made;
  if (only === undefined) return;
  const text =
    outcome.made.length === 1
      ? l10n.t('Notification settings restored: {0}', nameOfScope(only.scope))
      : l10n.t('Notification settings restored in {0} groups and projects', outcome.made.length);
  vscode.window.setStatusBarMessage(account.named(text), 5_000);
}
