import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { notificationLevels } from '../contract/notifications.ts';
import { scopeFor } from './pickScope.ts';
import type { NotificationRow } from './rows.ts';
import { describeLevel, formatLevel, nameOfScope } from './texts.ts';
import type { Notifications } from './view.ts';
import { loadedScope, showingFailures, writeChanges } from './write.ts';

/** Lets the user select the level of a scope. */
export async function setLevel(notifications: Notifications, row: NotificationRow | undefined): Promise<void> {
  const signedIn = await notifications.signedInToWrite(row);
  if (signedIn === undefined) return;
  const title = l10n.t('Set Notification Level');
  const scope = await scopeFor(signedIn, row, title);
  if (scope === undefined) return;
  await showingFailures(async () => {
    const { own } = await loadedScope(signedIn, scope);
    const items = notificationLevels
      .filter((level) => level !== 'global' || scope.kind !== 'global')
      .map((level) => ({
        level,
        label: formatLevel(level),
        description: level === own.level ? l10n.t('current') : '',
        detail: describeLevel(level),
      }));
    const placeHolder = l10n.t('Select when {0} notifies you', nameOfScope(scope));
    const picked = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDetail: true });
    if (picked === undefined || picked.level === own.level) return;
    await writeChanges(notifications, signedIn, [{ scope, before: own, change: { level: picked.level } }]);
  });
}

/** Makes a group or project inherit again. */
export async function resetToInherit(notifications: Notifications, row: NotificationRow | undefined): Promise<void> {
  const signedIn = await notifications.signedInToWrite(row);
  if (signedIn === undefined) return;
  const title = l10n.t('Inherit Notification Settings');
  const scope = await scopeFor(signedIn, row, title, ['group', 'project']);
  if (scope === undefined || scope.kind === 'global') return;
  await showingFailures(async () => {
    const { own } = await loadedScope(signedIn, scope);
    if (own.level === 'global') {
      void vscode.window.showInformationMessage(l10n.t('{0} already inherits its notification settings.', nameOfScope(scope)));
      return;
    }
    await writeChanges(notifications, signedIn, [{ scope, before: own, change: { level: 'global' } }]);
  });
}
