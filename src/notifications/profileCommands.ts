import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { NotificationLevel } from '../contract/notifications.ts';
import { commands } from '../ids.ts';
import { type ProfileChange, readSavedProfile, type SavedProfile } from './profileRecord.ts';
import type { ProfileOutcome, TimedProfiles } from './profiles.ts';
import { formatEnd, offeredEnds, readEnd } from './profileTimes.ts';
import { globalScope, type NotificationScope } from './scopes.ts';
import { changeTo } from './settings.ts';
import { describeLevel } from './texts.ts';
import type { Notifications } from './view.ts';
import { showFailedChanges, showingFailures } from './write.ts';

const PREFIX = 'notifications.savedProfiles/';

/** Levels of the built-in profiles. */
const presets = ['mention', 'disabled', 'watch'] as const;

/** Commands of timed profiles. */
export function profileCommands(notifications: () => Notifications, profiles: TimedProfiles, memory: vscode.Memento) {
  const saved = (account: string): readonly SavedProfile[] => {
    const stored: unknown = memory.get(`${PREFIX}${account}`);
    return Array.isArray(stored) ? stored.map(readSavedProfile).filter((profile) => profile !== undefined) : [];
  };
  const setSaved = (account: string, next: readonly SavedProfile[]): PromiseLike<void> =>
    memory.update(`${PREFIX}${account}`, next.length === 0 ? undefined : next);

  async function start(): Promise<void> {
    const view = notifications();
    const signedIn = await view.signedIn();
    if (signedIn === undefined) return;
    const { account, api } = signedIn;
    const chosen = await pickProfile(saved(account), view.pins.list(account));
    if (chosen === undefined) return;
    const until = await pickEnd();
    if (until === undefined) return;
    await showingFailures(() =>
      view.withProgress(async () => {
        const outcome = await profiles.start(api, { account, until, ...chosen });
        show(outcome);
      }),
    );
  }

  async function end(): Promise<void> {
    const view = notifications();
    const signedIn = await view.signedIn();
    if (signedIn === undefined) return;
    await showingFailures(() => view.withProgress(async () => show(await profiles.end(signedIn.api, signedIn.account))));
  }

  function show(outcome: ProfileOutcome): void {
    for (const { scope, after } of outcome.made) notifications().model.put(scope, after);
    showFailedChanges(outcome);
  }

  /** Saves the settings of the account and of its pinned groups and projects under a name. */
  async function save(): Promise<void> {
    const view = notifications();
    const signedIn = await view.signedIn();
    if (signedIn === undefined) return;
    const { account, api } = signedIn;
    const name = await vscode.window.showInputBox({
      title: l10n.t('Save Notification Profile'),
      prompt: l10n.t('Saves the settings of your account and of pinned groups and projects under this name'),
      validateInput: (text) => (text.trim() === '' ? l10n.t('Enter a name') : undefined),
    });
    if (name === undefined) return;
    await showingFailures(async () => {
      const changes: ProfileChange[] = [];
      await view.withProgress(async () => {
        for (const scope of [globalScope, ...view.pins.list(account)]) {
          const known = view.model.setting(scope);
          const setting = scope.kind === 'global' && known !== undefined ? known : await api.read(scope);
          changes.push({ scope, change: changeTo(setting) });
        }
      });
      const others = saved(account).filter((one) => one.name !== name.trim());
      await setSaved(account, [...others, { name: name.trim(), changes }]);
      vscode.window.setStatusBarMessage(l10n.t('Notification profile saved: {0}', name.trim()), 5_000);
    });
  }

  async function remove(): Promise<void> {
    const signedIn = await notifications().signedIn();
    if (signedIn === undefined) return;
    const { account } = signedIn;
    const items = saved(account).map(({ name }) => ({ label: name }));
    if (items.length === 0) {
      void vscode.window.showInformationMessage(l10n.t('You have not saved any notification profiles.'));
      return;
    }
    const title = l10n.t('Delete Notification Profile');
    const picked = await vscode.window.showQuickPick(items, { title, placeHolder: l10n.t('Select the profile to delete') });
    if (picked === undefined) return;
    await setSaved(
      account,
      saved(account).filter(({ name }) => name !== picked.label),
    );
  }

  return {
    [commands.notificationsStartProfile]: start,
    [commands.notificationsEndProfile]: end,
    [commands.notificationsSaveProfile]: save,
    [commands.notificationsDeleteProfile]: remove,
  };
}

interface ChosenProfile {
  readonly name: string;
  readonly changes: readonly ProfileChange[];
}

async function pickProfile(
  saved: readonly SavedProfile[],
  pinned: readonly NotificationScope[],
): Promise<ChosenProfile | undefined> {
  const title = l10n.t('Start Timed Notification Profile');
  const items = [
    ...presets.map((level) => ({ label: nameOfPreset(level), detail: describeLevel(level), level, changes: undefined })),
    ...saved.map(({ name, changes }) => ({
      label: name,
      detail: l10n.t('Saved profile'),
      level: undefined,
      changes,
    })),
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: l10n.t('Select how you want to be notified for now'),
  });
  if (picked === undefined) return undefined;
  if (picked.changes !== undefined) return { name: picked.label, changes: picked.changes };
  const scopes = await pickScopes(title, pinned);
  return scopes && { name: picked.label, changes: scopes.map((scope) => ({ scope, change: { level: picked.level } })) };
}

async function pickScopes(
  title: string,
  pinned: readonly NotificationScope[],
): Promise<readonly NotificationScope[] | undefined> {
  if (pinned.length === 0) return [globalScope];
  const items = [
    {
      label: l10n.t('Global level'),
      detail: l10n.t('Groups and projects with their own level keep it.'),
      scopes: [globalScope],
    },
    {
      label: l10n.t('Global level and pinned groups and projects'),
      detail: pinned.map(({ path }) => path).join(', '),
      scopes: [globalScope, ...pinned],
    },
  ];
  return (await vscode.window.showQuickPick(items, { title, placeHolder: l10n.t('Select where the profile applies') }))?.scopes;
}

async function pickEnd(): Promise<number | undefined> {
  const title = l10n.t('End of the Notification Profile');
  const offered = offeredEnds(new Date(), vscode.env.language);
  const items = [
    ...offered.map(({ label, until }) => ({ label, until })),
    { label: l10n.t('Until another time…'), until: undefined },
  ];
  const picked = await vscode.window.showQuickPick(items, {
    title,
    placeHolder: l10n.t('Select when your settings are restored, also if VS Code is closed until then'),
  });
  if (picked === undefined || picked.until !== undefined) return picked?.until;
  const text = await vscode.window.showInputBox({
    title,
    prompt: l10n.t('Enter a time (18:30) or a time span (90m, 2h)'),
    validateInput: (entered) =>
      readEnd(entered, new Date()) === undefined ? l10n.t('Enter a time such as 18:30 or a time span such as 90m') : undefined,
  });
  return text === undefined ? undefined : readEnd(text, new Date());
}

function nameOfPreset(level: (typeof presets)[number] & NotificationLevel): string {
  switch (level) {
    case 'mention':
      return l10n.t('Mentions only');
    case 'disabled':
      return l10n.t('No notifications');
    case 'watch':
      return l10n.t('Watch everything');
  }
}

/** Returns the text of the status bar while a profile is on. */
export function profileText(name: string, until: number, now: Date, locale: string): string {
  return l10n.t('{0} until {1}', name, formatEnd(until, now, locale));
}
