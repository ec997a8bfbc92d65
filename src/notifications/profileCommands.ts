import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { ProfileChange } from './profileRecord.ts';
import type { SavedProfiles } from './savedProfiles.ts';
import { globalScope } from './scopes.ts';
import { changeTo } from './settings.ts';
import type { Notifications } from './view.ts';
import { showingFailures } from './write.ts';

/** Saves the settings of the account and of its pinned groups and projects under a name. */
export async function saveProfile(view: Notifications, saved: SavedProfiles): Promise<void> {
  const signedIn = await view.signedIn();
  if (signedIn === undefined) return;
  const { api, model } = signedIn;
  const account = signedIn.account.key;
  const entered = await vscode.window.showInputBox({
    title: l10n.t('Save Notification Profile'),
    prompt: l10n.t('Saves the settings of your account and of pinned groups and projects under this name'),
    validateInput: (text) => (text.trim() === '' ? l10n.t('Enter a name') : undefined),
  });
  if (entered === undefined) return;
  const name = entered.trim();
  await showingFailures(async () => {
    const changes: ProfileChange[] = [];
    await view.withProgress(async () => {
      for (const scope of [globalScope, ...view.pins.list(account)]) {
        const known = model().setting(scope);
        const setting = scope.kind === 'global' && known !== undefined ? known : await api.read(scope);
        changes.push({ scope, change: changeTo(setting) });
      }
    });
    const others = saved.list(account).filter((one) => one.name !== name);
    await saved.set(account, [...others, { name, changes }]);
    vscode.window.setStatusBarMessage(l10n.t('Notification profile saved: {0}', name), 5_000);
  });
}

/** Deletes the saved profile that the user selects. */
export async function deleteProfile(view: Notifications, saved: SavedProfiles): Promise<void> {
  const signedIn = await view.signedIn();
  if (signedIn === undefined) return;
  const account = signedIn.account.key;
  const items = saved.list(account).map(({ name }) => ({ label: name }));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(l10n.t('You have not saved any notification profiles.'));
    return;
  }
  const title = l10n.t('Delete Notification Profile');
  const picked = await vscode.window.showQuickPick(items, { title, placeHolder: l10n.t('Select the profile to delete') });
  if (picked === undefined) return;
  await saved.set(
    account,
    saved.list(account).filter(({ name }) => name !== picked.label),
  );
}
