import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../ids.ts';
import { accountOf } from '../instances/accountKey.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import type { Connection } from '../instances/connection.ts';
import type { Pages } from '../ui/openPage.ts';
import { scopeFor, scopeOfRow } from './pickScope.ts';
import type { TimedProfiles } from './profiles.ts';
import type { NotificationRow } from './rows.ts';
import type { SavedProfiles } from './savedProfiles.ts';
import { resetEvent, selectEvents, tickEvent } from './setEvents.ts';
import { resetToInherit, setLevel } from './setLevel.ts';
import { undoLastChange } from './undo.ts';
import type { Notifications } from './view.ts';

export interface NotificationCommandSettings {
  /** Returns the view, which is created on the first call. */
  readonly view: () => Notifications;
  readonly connection: Connection;
  readonly pages: Pages;
  readonly profiles: TimedProfiles;
  readonly saved: SavedProfiles;
}

/** Commands of notification settings and of timed profiles. */
export function notificationCommands({ view, connection, pages, profiles, saved }: NotificationCommandSettings) {
  return {
    [commands.notificationsRefresh]: () => view().withProgress(view().model.refresh),
    [commands.notificationsLoadMore]: (row?: NotificationRow) => loadMore(view(), row),
    [commands.notificationsSearch]: () => search(view()),
    [commands.notificationsClearSearch]: () => view().model.setSearch(''),
    [commands.notificationsSetLevel]: (row?: NotificationRow) => setLevel(view(), row),
    [commands.notificationsSelectEvents]: (row?: NotificationRow) => selectEvents(view(), row),
    [commands.notificationsToggleEvent]: (row?: NotificationRow) => toggleEvent(view(), row),
    [commands.notificationsResetEvent]: (row?: NotificationRow) => resetEvent(view(), row),
    [commands.notificationsInherit]: (row?: NotificationRow) => resetToInherit(view(), row),
    [commands.notificationsSetEmail]: async () => (await dialogs()).setEmail(view()),
    [commands.notificationsCopy]: async (row?: NotificationRow) => (await dialogs()).copySettings(view(), row),
    [commands.notificationsUndo]: () => undoLastChange(view()),
    [commands.notificationsPin]: (row?: NotificationRow) => setPinned(view(), row, true),
    [commands.notificationsUnpin]: (row?: NotificationRow) => setPinned(view(), row, false),
    [commands.notificationsOpenInBrowser]: (row?: NotificationRow) => openInBrowser(pages, accountOfRow(connection, row), row),
    [commands.notificationsStartProfile]: async () => (await dialogs()).startProfile(view(), profiles, saved),
    [commands.notificationsEndProfile]: async () => (await dialogs()).endProfile(view(), profiles),
    [commands.notificationsSaveProfile]: async () => (await dialogs()).saveProfile(view(), saved),
    [commands.notificationsDeleteProfile]: async () => (await dialogs()).deleteProfile(view(), saved),
  };
}

async function dialogs() {
  const { notificationDialogs } = await import('./notificationDialogs.ts');
  return notificationDialogs();
}

function loadMore({ view, model }: Notifications, row: NotificationRow | undefined): void {
  const target = row ?? view.selection[0];
  if (target?.kind === 'more') model.loadMore(target.address);
}

async function search(notifications: Notifications): Promise<void> {
  if ((await notifications.signedIn()) === undefined) return;
  const text = await vscode.window.showInputBox({
    title: l10n.t('Search Notification Settings'),
    prompt: l10n.t('Lists the groups and projects whose name or path contains the text'),
    value: notifications.model.search(),
  });
  if (text !== undefined) notifications.model.setSearch(text);
}

async function toggleEvent(notifications: Notifications, row: NotificationRow | undefined): Promise<void> {
  const target = row ?? notifications.view.selection[0];
  if (target?.kind === 'event') await tickEvent(notifications, target, target.isTicked !== true);
}

async function setPinned(notifications: Notifications, row: NotificationRow | undefined, isPinned: boolean): Promise<void> {
  const signedIn = await notifications.signedIn(row);
  if (signedIn === undefined) return;
  const title = isPinned ? l10n.t('Pin in Notifications') : l10n.t('Unpin in Notifications');
  const scope = await scopeFor(signedIn, row, title, ['group', 'project']);
  if (scope === undefined || scope.kind === 'global') return;
  await notifications.pins.set(signedIn.account.key, scope, isPinned);
  notifications.model.pinsChanged();
}

/** Opens the page with all notification settings, or the page of a group or project. */
async function openInBrowser(pages: Pages, account: BoundAccount | undefined, row: NotificationRow | undefined): Promise<void> {
  const address = account?.address();
  if (address === undefined) return;
  const scope = scopeOfRow(row);
  const path =
    scope === undefined || scope.kind === 'global'
      ? '-/profile/notifications'
      : scope.path.split('/').map(encodeURIComponent).join('/');
  await pages.open(`${address}/${path}`, account);
}

function accountOfRow(connection: Connection, row: NotificationRow | undefined): BoundAccount | undefined {
  const account = accountOf(row?.id);
  return account === undefined ? connection.current() : connection.bound(account);
}
