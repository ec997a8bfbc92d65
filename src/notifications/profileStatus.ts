import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import { accountKeyOf } from '../instances/currentAccount.ts';
import { commands, contextKeys } from '../ids.ts';
import type { Connection } from '../instances/connection.ts';
import { LockBusy } from '../support/machineLock.ts';
import { messageOf, type Log } from '../support/log.ts';
import { setContext } from '../ui/setContext.ts';
import { createNotificationApi } from './api.ts';
import type { ProfileOutcome, TimedProfiles } from './profiles.ts';
import { profileText } from './profileTimes.ts';
import { nameOfScope } from './texts.ts';

/** Milliseconds between two looks at the clock. A single timer would be late after the machine has slept. */
const INTERVAL = 15_000;

export interface ProfileStatusSettings {
  readonly connection: Connection;
  readonly profiles: TimedProfiles;
  /** Called after settings were restored. */
  readonly restored: (outcome: ProfileOutcome, account: string) => void;
  readonly log: Log;
}

/** Shows the timed profile of the current account in the status bar and ends it in time, or at the next start. */
export function followProfileTime({ connection, profiles, restored, log }: ProfileStatusSettings): vscode.Disposable {
  let item: vscode.StatusBarItem | undefined;
  let isChecking = false;

  function paint(): void {
    const account = accountKeyOf(connection.state());
    const profile = account === undefined ? undefined : profiles.current(account);
    setContext(contextKeys.notificationsHasProfile, profile !== undefined);
    if (profile === undefined) {
      item?.hide();
      return;
    }
    item ??= createItem();
    const now = new Date();
    const isLate = profile.until <= now.getTime();
    const text = isLate
      ? l10n.t('{0}: settings not restored yet', profile.name)
      : profileText(profile.name, profile.until, now, vscode.env.language);
    item.text = `$(bell-slash) ${text.replaceAll('$(', '')}`;
    item.backgroundColor = isLate ? new vscode.ThemeColor('statusBarItem.warningBackground') : undefined;
    item.tooltip = l10n.t('Notification profile: {0}\nClick to end it and restore your settings', text);
    item.accessibilityInformation = { label: l10n.t('Notification profile: {0}', text), role: 'button' };
    item.show();
  }

  function createItem(): vscode.StatusBarItem {
    const created = vscode.window.createStatusBarItem('signalbox.notificationProfile', vscode.StatusBarAlignment.Left);
    created.name = l10n.t('Signalbox Notification Profile');
    created.command = commands.notificationsEndProfile;
    return created;
  }

  async function check(): Promise<void> {
    const account = connection.current();
    if (isChecking || account === undefined) return;
    isChecking = true;
    try {
      const outcome = await profiles.check(createNotificationApi(account.client()), account.key);
      if (outcome !== undefined) restored(outcome, account.key);
      for (const { scope, failure } of outcome?.failed ?? [])
        log.warn(`The notification settings of ${nameOfScope(scope)} could not be restored: ${failure.message}`);
    } catch (error) {
      // Another window restores the settings.
      if (!(error instanceof LockBusy)) log.error(`The notification profile could not be read: ${messageOf(error)}`);
    } finally {
      isChecking = false;
    }
    paint();
  }

  const timer = setInterval(() => void check(), INTERVAL);
  const following = [
    connection.onDidChange(() => {
      paint();
      void check();
    }),
    profiles.onDidChange(paint),
    vscode.window.onDidChangeWindowState(({ focused }) => {
      if (focused) void check();
    }),
  ];
  void check();
  return {
    dispose: () => {
      clearInterval(timer);
      item?.dispose();
      for (const subscription of following) subscription.dispose();
    },
  };
}
