import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { type NotificationEvent, notificationEvents } from '../contract/notifications.ts';
import type { BoundAccount } from '../instances/boundAccount.ts';
import { scopeFor } from './pickScope.ts';
import type { NotificationRow } from './rows.ts';
import type { NotificationScope } from './scopes.ts';
import {
  changeOfSwitch,
  differenceOf,
  isMailed,
  isReported,
  type KnownSetting,
  reachIn,
  type SettingChange,
} from './settings.ts';
import { formatEvent, formatReach, nameOfScope } from './texts.ts';
import type { Notifications } from './view.ts';
import { loadedScope, offerUndo, showingFailures, writeChanges } from './write.ts';

/** Switches an event on or off. A level other than custom becomes custom with the events that are mailed today. */
export async function tickEvent(notifications: Notifications, row: NotificationRow, isOn: boolean): Promise<void> {
  if (row.kind !== 'event') return;
  const signedIn = await notifications.signedInToWrite(row);
  const { scope, event } = row;
  // Two quick clicks in a row: the second one starts from the result of the first.
  await notifications.inOrder(() =>
    showingFailures(async () => {
      if (signedIn === undefined) return;
      const { own, applied } = await loadedScope(signedIn, scope);
      const change = changeOfSwitch(own, applied, event, isOn);
      if (own.level !== 'custom' && !(await isOwnWanted(signedIn.account, scope, change))) return;
      const isDone = await writeChanges(notifications, signedIn, [{ scope, before: own, change }]);
      if (isDone && own.level !== 'custom') void offerUndo(notifications, signedIn.account, textOfCustom(scope, applied));
    }),
  );
  notifications.repaint();
}

/** Asks before the first switch of a scope that has the events of a level: then it has events of its own, which are for all threads. */
async function isOwnWanted(account: BoundAccount, scope: NotificationScope, { switches = {} }: SettingChange): Promise<boolean> {
  const count = Object.values(switches).filter((state) => state === true).length;
  const question = account.named(l10n.t('Give {0} events of its own?', nameOfScope(scope)));
  const detail =
    count === 1
      ? l10n.t('Its level becomes Custom. 1 event is then on for all threads, also those that you do not take part in.')
      : l10n.t(
          'Its level becomes Custom. {0} events are then on for all threads, also those that you do not take part in.',
          count,
        );
  const yes = l10n.t('Continue');
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, yes)) === yes;
}

function textOfCustom(scope: NotificationScope, applied: KnownSetting): string {
  const name = nameOfScope(scope);
  return isReported(applied)
    ? l10n.t('{0} now has its own events. Those that you were notified of before are on.', name)
    : l10n.t('{0} now has its own events. The instance does not report the events that it inherited, so check the others.', name);
}

/** Resets the switch of an event to its default. */
export async function resetEvent(notifications: Notifications, row: NotificationRow | undefined): Promise<void> {
  const target = row ?? notifications.view.selection[0];
  if (target?.kind !== 'event') return;
  const signedIn = await notifications.signedInToWrite(target);
  if (signedIn === undefined) return;
  const { scope, event } = target;
  await showingFailures(async () => {
    const { own } = await loadedScope(signedIn, scope);
    if (own.level !== 'custom') return;
    await writeChanges(notifications, signedIn, [{ scope, before: own, change: { switches: { [event]: null } } }]);
    const state = signedIn.model().setting(scope)?.switches[event];
    if (typeof state !== 'boolean' || own.switches[event] === state) return;
    const text = state
      ? l10n.t('This instance cannot reset events, so {0} was switched on, which is its default.', formatEvent(event))
      : l10n.t('This instance cannot reset events, so {0} was switched off, which is its default.', formatEvent(event));
    void vscode.window.showInformationMessage(text);
  });
}

/** Lets the user select all events of a scope in one list. */
export async function selectEvents(notifications: Notifications, row: NotificationRow | undefined): Promise<void> {
  const signedIn = await notifications.signedInToWrite(row);
  if (signedIn === undefined) return;
  const title = l10n.t('Select Notification Events');
  const scope = await scopeFor(signedIn, row, title);
  if (scope === undefined) return;
  await showingFailures(async () => {
    const { own, applied } = await loadedScope(signedIn, scope);
    const isMissing = (event: NotificationEvent): boolean => event === 'new_epic' && signedIn.model().reportsEpics() === false;
    const items = notificationEvents
      .filter((event) => !isMissing(event))
      .map((event) => {
        const reach = reachIn(applied, event);
        const description = reach === undefined ? l10n.t('Not reported by the instance') : formatReach(reach);
        return { event, label: formatEvent(event), description, picked: isMailed(reach) };
      });
    const placeHolder =
      own.level === 'custom'
        ? l10n.t('Select the events that {0} notifies you of', nameOfScope(scope))
        : l10n.t('Select the events of {0}. Its level becomes Custom.', nameOfScope(scope));
    const picked = await vscode.window.showQuickPick(items, { title, placeHolder, canPickMany: true, matchOnDescription: true });
    if (picked === undefined) return;
    const on = new Set(picked.map(({ event }) => event));
    const switches = Object.fromEntries(
      items.flatMap(({ event, picked: wasOn }) => {
        const isOn = on.has(event);
        // Switches that were not touched keep their default.
        return own.level === 'custom' && isOn === wasOn && own.switches[event] !== undefined ? [] : [[event, isOn]];
      }),
    );
    const change: SettingChange = { ...(own.level === 'custom' ? {} : { level: 'custom' }), switches };
    if (differenceOf(own, change) === undefined) return;
    await writeChanges(notifications, signedIn, [{ scope, before: own, change }]);
  });
}
