import path from 'node:path';
import * as l10n from '@vscode/l10n';
import * as vscode from 'vscode';
import {
  type ClockChange,
  type ClockState,
  isMovedClock,
  isSnapshotName,
  readAppliedSeed,
  readClockState,
} from '../contract/control.ts';
import { stringMember, isJsonObject } from '../contract/json.ts';
import type { Instance } from '../instances/instances.ts';
import { messageOf } from '../support/log.ts';
import { secondsOf, textOfTime, timeOf } from './clockTimes.ts';
import type { LoadLocalControl, LocalControl } from './control.ts';
import type { PickServer } from './serverPick.ts';

/** File names that VS Code validates as seed files. */
const SEED_FILE = /\.signalbox\.(?:ya?ml|json)$/;

interface ClockItem extends vscode.QuickPickItem {
  /** Returns the change; undefined if the user cancelled. */
  readonly change: () => Promise<ClockChange | undefined>;
}

export type ServerActions = ReturnType<typeof createServerActions>;

/** The change that lets the clock show the time of the machine. */
const CLOCK_RESET = { reset: true } as const satisfies ClockChange;

/**
 * Actions of the user on a running local server that need its admin token. `key` is that of the server, if a menu has it. `clockMoved` is called
 * after a change of the clock.
 */
export function createServerActions(load: LoadLocalControl, pick: PickServer, clockMoved: () => Promise<void>) {
  /** Runs an action and shows why it failed. */
  async function withControl(
    title: string,
    key: unknown,
    failed: (reason: string) => string,
    act: (control: LocalControl, server: Instance) => Promise<void>,
  ): Promise<void> {
    const server = await pick(title, key, 'running');
    if (server === undefined) return;
    const control = await load(server.key);
    if (control === undefined) {
      void vscode.window.showInformationMessage(l10n.t('“{0}” is not running. Start it first.', server.label));
      return;
    }
    try {
      await act(control, server);
    } catch (error) {
      void vscode.window.showErrorMessage(failed(messageOf(error)));
    }
  }

  return {
    takeSnapshot: (key?: unknown) =>
      withControl(l10n.t('Take Snapshot'), key, (reason) => l10n.t('The snapshot was not taken: {0}', reason), takeSnapshot),
    /** Without `isReset`, the user selects the change; with it, the clock shows the time of the machine again. */
    setClock: (key?: unknown, isReset?: unknown) =>
      withControl(
        l10n.t('Set Clock'),
        key,
        (reason) => l10n.t('The clock was not changed: {0}', reason),
        async (control, server) => {
          await setClock(control, server, isReset === true ? CLOCK_RESET : undefined);
          await clockMoved();
        },
      ),
    applySeedFile: (key?: unknown) =>
      withControl(
        l10n.t('Apply Seed File'),
        key,
        (reason) => l10n.t('The seed file was not applied: {0}', reason),
        async (control, server) => {
          const file = await pickSeedFile(server);
          if (file !== undefined) await applySeedFile(control, file, server);
        },
      ),
    openHomePageAs: (key?: unknown) =>
      withControl(l10n.t('Open Home Page'), key, (reason) => l10n.t('The page was not opened: {0}', reason), openHomePageAs),
  };
}

async function takeSnapshot(control: LocalControl, { label }: Instance): Promise<void> {
  const wanted = await vscode.window.showInputBox({
    title: l10n.t('Take Snapshot of “{0}”', label),
    prompt: l10n.t('Enter a name for the snapshot, or nothing to name it after the time'),
    ignoreFocusOut: true,
    validateInput: (text) => {
      if (text === '' || isSnapshotName(text)) return undefined;
      return l10n.t('Use 1 to 64 letters, digits, dots, hyphens and underscores, starting with a letter or digit');
    },
  });
  if (wanted === undefined) return;
  const taken = await control.request('POST', '/snapshots', wanted === '' ? {} : { name: wanted });
  const name = (isJsonObject(taken) ? stringMember(taken, 'name') : undefined) ?? wanted;
  void vscode.window.showInformationMessage(
    l10n.t('Snapshot {0} was taken of “{1}”. “Restore Local Server Snapshot…” brings it back.', name, label),
  );
}

async function setClock(control: LocalControl, { label }: Instance, given: ClockChange | undefined): Promise<void> {
  const change = given ?? (await pickClockChange(control, label));
  if (change === undefined) return;
  const after = clockOf(await control.request('POST', '/clock', change), label);
  void vscode.window.showInformationMessage(describeClock(after, label));
}

/** Returns undefined if the user cancelled. */
async function pickClockChange(control: LocalControl, label: string): Promise<ClockChange | undefined> {
  const before = clockOf(await control.request('GET', '/clock'), label);
  const picked = await vscode.window.showQuickPick(clockItems(before), {
    title: l10n.t('Set Clock of “{0}”', label),
    placeHolder: describeClock(before, label),
    matchOnDescription: true,
  });
  return picked?.change();
}

function clockOf(value: unknown, label: string): ClockState {
  const state = readClockState(value);
  if (state === undefined)
    throw new Error(l10n.t('{0}: the response is not a time. Is another program using this address?', label));
  return state;
}

/** Returns what the clock shows. Times are in UTC, as in the API. */
function describeClock(clock: ClockState, label: string): string {
  const time = `${textOfTime(clock.now)} UTC`;
  if (clock.isFrozen) return l10n.t('The clock of “{0}” is stopped at {1}', label, time);
  return isMovedClock(clock)
    ? l10n.t('The clock of “{0}” runs and shows {1}', label, time)
    : l10n.t('“{0}” uses the time of this machine: {1}', label, time);
}

function clockItems(clock: ClockState): readonly ClockItem[] {
  const item = (icon: string, label: string, change: ClockItem['change']): ClockItem => ({
    label,
    iconPath: new vscode.ThemeIcon(icon),
    change,
  });
  const advance = (label: string, seconds: number): ClockItem =>
    item('debug-step-over', label, async () => ({ advance_seconds: seconds }));
  return [
    advance(l10n.t('Advance by 1 hour'), 3_600),
    advance(l10n.t('Advance by 1 day'), 86_400),
    advance(l10n.t('Advance by 30 days'), 30 * 86_400),
    item('watch', l10n.t('Advance by…'), askForDuration),
    { label: '', kind: vscode.QuickPickItemKind.Separator, change: async () => undefined },
    ...(clock.isFrozen ? [] : [item('debug-pause', l10n.t('Stop the clock now'), async () => ({ freeze_at: 'now' }))]),
    item('calendar', l10n.t('Stop the clock at…'), () => askForTime(clock.now)),
    ...(isMovedClock(clock) ? [item('discard', l10n.t('Use the time of this machine'), async () => CLOCK_RESET)] : []),
  ];
}

async function askForDuration(): Promise<ClockChange | undefined> {
  const text = await vscode.window.showInputBox({
    title: l10n.t('Advance Clock'),
    prompt: l10n.t('Enter a duration, for example {0}', '90m, 36h, 2w 3d'),
    ignoreFocusOut: true,
    validateInput: (typed) =>
      typed === '' || secondsOf(typed) !== undefined
        ? undefined
        : l10n.t('Use numbers with the units s, m, h, d and w, at most 100 years'),
  });
  const seconds = text === undefined ? undefined : secondsOf(text);
  return seconds === undefined ? undefined : { advance_seconds: seconds };
}

async function askForTime(now: number): Promise<ClockChange | undefined> {
  const text = await vscode.window.showInputBox({
    title: l10n.t('Stop Clock'),
    prompt: l10n.t('Enter a date, or a date and a time in UTC'),
    value: textOfTime(now),
    ignoreFocusOut: true,
    validateInput: (typed) =>
      typed === '' || timeOf(typed) !== undefined
        ? undefined
        : l10n.t('Use the form {0} or {1}', '2030-01-31', '2030-01-31 14:30'),
  });
  const time = text === undefined ? undefined : timeOf(text);
  return time === undefined ? undefined : { freeze_at: time };
}

/** Returns the seed file of the active editor if the user wants it, or one that the user selects; undefined if the user cancelled. */
async function pickSeedFile({ label }: Instance): Promise<vscode.Uri | undefined> {
  const open = vscode.window.activeTextEditor?.document;
  if (open !== undefined && SEED_FILE.test(open.uri.path)) {
    const name = path.posix.basename(open.uri.path);
    const items = [
      { label: name, description: l10n.t('open in the editor'), iconPath: new vscode.ThemeIcon('file'), isOpen: true },
      { label: l10n.t('Select another file…'), iconPath: new vscode.ThemeIcon('folder-opened'), isOpen: false },
    ];
    const picked = await vscode.window.showQuickPick(items, {
      title: l10n.t('Apply Seed File'),
      placeHolder: l10n.t('Select the seed file that is added to the data of “{0}”', label),
    });
    if (picked === undefined) return undefined;
    if (picked.isOpen) {
      await open.save();
      return open.uri;
    }
  }
  const [file] =
    (await vscode.window.showOpenDialog({
      title: l10n.t('Apply Seed File'),
      openLabel: l10n.t('Apply'),
      filters: { [l10n.t('Seed files')]: ['yaml', 'yml', 'json'] },
    })) ?? [];
  return file;
}

async function applySeedFile(control: LocalControl, file: vscode.Uri, { label }: Instance): Promise<void> {
  const name = path.posix.basename(file.path);
  const applied = await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: l10n.t('Applying seed file {0} to “{1}”', name, label) },
    async () => {
      const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
      return readAppliedSeed(await control.request('POST', '/seeds', { name, text }));
    },
  );
  const count = Object.values(applied?.counts ?? {}).reduce((sum, one) => sum + one, 0);
  const secrets = applied?.secrets ?? [];
  const objects = count.toLocaleString(vscode.env.language);
  if (secrets.length === 0) {
    void vscode.window.showInformationMessage(
      l10n.t('Seed file {0} was applied to “{2}”. It created {1} objects.', name, objects, label),
    );
    return;
  }
  // Not shown in a document, because VS Code keeps unsaved documents on disk.
  const copy = l10n.t('Copy Passwords and Tokens');
  const choice = await vscode.window.showInformationMessage(
    l10n.t(
      'Seed file {0} was applied to “{2}”. It created {1} objects. Only now can their passwords and tokens be copied.',
      name,
      objects,
      label,
    ),
    copy,
  );
  if (choice === copy) await vscode.env.clipboard.writeText(`${secrets.join('\n')}\n`);
}

async function openHomePageAs(control: LocalControl, { label }: Instance): Promise<void> {
  const users = await control.users();
  const picked = await vscode.window.showQuickPick(
    users.map(({ name, username }) => ({
      label: name,
      description: `@${username}`,
      iconPath: new vscode.ThemeIcon('account'),
      username,
    })),
    {
      title: l10n.t('Open Home Page of “{0}”', label),
      placeHolder: l10n.t('Select the user who is signed in in the browser'),
      matchOnDescription: true,
    },
  );
  if (picked === undefined) return;
  await vscode.env.openExternal(vscode.Uri.parse(await control.signInLink(picked.username, '/')));
}
