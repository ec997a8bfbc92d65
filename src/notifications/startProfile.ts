import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import type { NotificationLevel } from '../contract/notifications.ts';
import { showFailedChanges } from './failedChanges.ts';
import type { ProfileChange, SavedProfile } from './profileRecord.ts';
import type { ProfileOutcome, TimedProfiles } from './profiles.ts';
import { offeredEnds, readEnd } from './profileTimes.ts';
import type { SavedProfiles } from './savedProfiles.ts';
import { globalScope, type NotificationScope } from './scopes.ts';
import { describeLevel } from './texts.ts';
import type { SignedIn } from './signedIn.ts';
import type { Notifications } from './view.ts';
import { showingFailures } from './write.ts';

/** Levels of the built-in profiles. */
const presets = ['mention', 'disabled', 'watch'] as const;

/** Starts the profile that the user selects, until the time that the user selects. */
export async function startProfile(view: Notifications, profiles: TimedProfiles, saved: SavedProfiles): Promise<void> {
  const signedIn = await view.signedInToWrite();
  if (signedIn === undefined) return;
  const { account, api } = signedIn;
  const chosen = await pickProfile(saved.list(account.key), view.pins.list(account.key));
  if (chosen === undefined) return;
  const until = await pickEnd();
  if (until === undefined) return;
  await showingFailures(() =>
    view.withProgress(async () => show(signedIn, await profiles.start(api, { account: account.key, until, ...chosen }))),
  );
}

/** Ends the profile that is on. */
export async function endProfile(view: Notifications, profiles: TimedProfiles): Promise<void> {
  const signedIn = await view.signedInToWrite();
  if (signedIn === undefined) return;
  const { account, api } = signedIn;
  await showingFailures(() => view.withProgress(async () => show(signedIn, await profiles.end(api, account.key))));
}

function show({ model }: SignedIn, outcome: ProfileOutcome): void {
  for (const { scope, after } of outcome.made) model().put(scope, after);
  showFailedChanges(outcome);
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
