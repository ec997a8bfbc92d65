import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { commands } from '../ids.ts';
import type { Addresses, Connection } from '../instances/connection.ts';
import { browserUrl } from '../support/markdown.ts';
import { copySettings } from './copySettings.ts';
import { scopeFor, scopeOfRow } from './pickScope.ts';
import type { NotificationRow } from './rows.ts';
import { resetEvent, selectEvents, tickEvent } from './setEvents.ts';
import { setEmail } from './setEmail.ts';
import { resetToInherit, setLevel } from './setLevel.ts';
import { undoLastChange } from './undo.ts';
import type { Notifications } from './view.ts';

/** Commands of notification settings. The view is created when the first command runs. */
export function notificationCommands(notifications: () => Notifications, connection: Connection, addresses: Addresses) {
  async function search(): Promise<void> {
    const view = notifications();
    if ((await view.signedIn()) === undefined) return;
    const text = await vscode.window.showInputBox({
      title: l10n.t('Search Notification Settings'),
      prompt: l10n.t('Lists the groups and projects whose name or path contains the text'),
      value: view.model.search(),
    });
    if (text !== undefined) view.model.setSearch(text);
  }

  async function setPinned(row: NotificationRow | undefined, isPinned: boolean): Promise<void> {
    const view = notifications();
    const signedIn = await view.signedIn();
    if (signedIn === undefined) return;
    const title = isPinned ? l10n.t('Pin in Notifications') : l10n.t('Unpin in Notifications');
    const scope = await scopeFor(view, signedIn.api, row, title, ['group', 'project']);
    if (scope === undefined || scope.kind === 'global') return;
    await view.pins.set(signedIn.account, scope, isPinned);
    view.model.pinsChanged();
  }

  /** Opens the page with all notification settings, or the page of a group or project. */
  async function openInBrowser(row: NotificationRow | undefined): Promise<void> {
    const address = addresses(connection.state().instance.key);
    if (address === undefined) return;
    const scope = scopeOfRow(row);
    const path =
      scope === undefined || scope.kind === 'global'
        ? '-/profile/notifications'
        : scope.path.split('/').map(encodeURIComponent).join('/');
    const page = browserUrl(`${address}/${path}`);
    if (page !== undefined) await vscode.env.openExternal(vscode.Uri.parse(page, true));
  }

  return {
    [commands.notificationsRefresh]: () => {
      const view = notifications();
      return view.withProgress(view.model.refresh);
    },
    [commands.notificationsLoadMore]: (row?: NotificationRow) => {
      const target = row ?? notifications().view.selection[0];
      if (target?.kind === 'more') notifications().model.loadMore(target.address);
    },
    [commands.notificationsSearch]: search,
    [commands.notificationsClearSearch]: () => notifications().model.setSearch(''),
    [commands.notificationsSetLevel]: (row?: NotificationRow) => setLevel(notifications(), row),
    [commands.notificationsSelectEvents]: (row?: NotificationRow) => selectEvents(notifications(), row),
    [commands.notificationsToggleEvent]: (row?: NotificationRow) => {
      const target = row ?? notifications().view.selection[0];
      if (target?.kind === 'event') return tickEvent(notifications(), target, target.isTicked !== true);
      return undefined;
    },
    [commands.notificationsResetEvent]: (row?: NotificationRow) => resetEvent(notifications(), row),
    [commands.notificationsInherit]: (row?: NotificationRow) => resetToInherit(notifications(), row),
    [commands.notificationsSetEmail]: () => setEmail(notifications()),
    [commands.notificationsCopy]: (row?: NotificationRow) => copySettings(notifications(), row),
    [commands.notificationsUndo]: () => undoLastChange(notifications()),
    [commands.notificationsPin]: (row?: NotificationRow) => setPinned(row, true),
    [commands.notificationsUnpin]: (row?: NotificationRow) => setPinned(row, false),
    [commands.notificationsOpenInBrowser]: (row?: NotificationRow) => openInBrowser(row),
  };
}
