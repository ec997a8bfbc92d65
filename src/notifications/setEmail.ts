import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { globalScope } from './scopes.ts';
import type { Notifications } from './view.ts';
import { loadedScope, showingFailures, writeChanges } from './write.ts';

/** Lets the user select the address that notifications are sent to. */
export async function setEmail(notifications: Notifications): Promise<void> {
  const signedIn = await notifications.signedInToWrite();
  if (signedIn === undefined) return;
  const title = l10n.t('Set Notification Email');
  await showingFailures(async () => {
    const { own } = await loadedScope(signedIn, globalScope);
    const addresses = await signedIn.api.emails();
    const known = [...new Set([...addresses, ...(own.email === undefined ? [] : [own.email])])];
    const items = known.map((email) => ({ label: email, description: email === own.email ? l10n.t('current') : '' }));
    const placeHolder = l10n.t('Select a confirmed address. Add others in the settings of your account.');
    const picked = await vscode.window.showQuickPick(items, { title, placeHolder });
    if (picked === undefined || picked.label === own.email) return;
    await writeChanges(notifications, signedIn, [{ scope: globalScope, before: own, change: { email: picked.label } }]);
  });
}
