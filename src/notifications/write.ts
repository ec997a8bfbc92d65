import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { ApiFailure } from '../api/failures.ts';
import { commands } from '../ids.ts';
import { formatNotificationFailure } from './appearance.ts';
import { type ChangeOutcome, makeChanges, type PlannedChange } from './changes.ts';
import { keyOfScope, type NotificationScope } from './scopes.ts';
import { nameOfScope } from './texts.ts';
import type { Notifications, SignedIn } from './view.ts';

/** Names of scopes in a message; further ones are counted. */
const MAX_NAMES = 3;

/** Runs the work and shows the failure of a request. */
export async function showingFailures(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiFailure)) throw error;
    void vscode.window.showErrorMessage(formatNotificationFailure(error));
  }
}

/** Makes changes and shows failures. Returns true if all were made. */
export async function writeChanges(
  notifications: Notifications,
  { account, api }: SignedIn,
  planned: readonly PlannedChange[],
): Promise<boolean> {
  let outcome: ChangeOutcome | undefined;
  await notifications.withProgress(async () => {
    outcome = await makeChanges(api, planned);
  });
  if (outcome === undefined) return false;
  notifications.changed(account, outcome.made);
  showFailedChanges(outcome);
  return outcome.failed.length === 0;
}

/** Shows one message for all failures of an outcome. */
export function showFailedChanges({ failed, skipped }: ChangeOutcome): void {
  const [first] = failed;
  if (first !== undefined) {
    const names = formatNames(failed.map(({ scope }) => scope));
    void vscode.window.showErrorMessage(
      l10n.t('Notification settings not changed: {0}. {1}', names, formatNotificationFailure(first.failure)),
    );
  }
  if (skipped.length > 0)
    void vscode.window.showWarningMessage(
      l10n.t('Settings that were changed elsewhere in the meantime were kept: {0}', formatNames(skipped)),
    );
}

export function formatNames(scopes: readonly NotificationScope[]): string {
  const names = scopes.slice(0, MAX_NAMES).map(nameOfScope).join(', ');
  return scopes.length > MAX_NAMES ? l10n.t('{0} and {1} more', names, scopes.length - MAX_NAMES) : names;
}

/** Shows what was changed, with a button that undoes it. */
export async function offerUndo(text: string): Promise<void> {
  const undo = l10n.t('Undo');
  if ((await vscode.window.showInformationMessage(text, undo)) === undo)
    await vscode.commands.executeCommand(commands.notificationsUndo);
}

/** Loads the settings of a scope and of those it inherits from. Throws the failure of its request. */
export async function loadedScope({ model }: Notifications, scope: NotificationScope) {
  await model.resolve(scope);
  const state = model.state(scope);
  if (state?.kind === 'failed') throw state.failure;
  const applied = model.applied(scope);
  if (state?.kind !== 'ready' || applied === undefined) throw new Error(`the settings of ${keyOfScope(scope)} are unknown`);
  return { own: state.setting, applied: applied.setting, source: applied.source };
}
