// The commands that the palette offers without an argument.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { commands, contextKeys } from '../../../src/ids.ts';
import { DEMO_USER } from './platform.ts';
import { type Editor, openEditor, screenshotsOfFailure } from './vscode.ts';
import { type Workbench } from './workbench.ts';
import { until } from '../until.ts';
import { type Context as Keys, parseWhen } from '../whenClause.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const STATUS = 'signalbox.status';

const read = (name: string) => JSON.parse(readFileSync(path.join(ROOT, name), 'utf8'));
const { contributes } = read('package.json');
const texts: Readonly<Record<string, string>> = read('package.nls.json');

/** Commands that change the state; the test runs them separately. */
const changing: readonly string[] = [
  commands.localStart,
  commands.localRestart,
  commands.localStop,
  commands.localUseAs,
  commands.signOut,
];

/** Commands that ask for something first. */
const asking: Readonly<Record<string, 'list' | 'input' | 'dialog'>> = {
  [commands.signIn]: 'list',
  [commands.instanceSelect]: 'list',
  [commands.localConnect]: 'input',
  [commands.localReset]: 'dialog',
  [commands.localSelectProfile]: 'list',
  [commands.localTakeSnapshot]: 'input',
  [commands.localSetClock]: 'list',
  [commands.localApplySeedFile]: 'input',
  [commands.localOpenHomePageAs]: 'list',
  [commands.deprecationsSelectRelease]: 'list',
  [commands.localShowMenu]: 'list',
  [commands.localEmulateRelease]: 'list',
  [commands.localEmulateTier]: 'list',
  [commands.localEmulateOffering]: 'list',
  [commands.localEmulateDialect]: 'list',
  [commands.activityFilter]: 'list',
  [commands.activitySelectPerson]: 'list',
  [commands.activitySelectProject]: 'list',
  [commands.mailboxSearch]: 'input',
  [commands.whyMailedExplain]: 'list',
  [commands.projectsOpenInBrowser]: 'list',
  [commands.groupsOpenInBrowser]: 'list',
  [commands.clientKeysCreate]: 'list',
  [commands.clientKeysCopyDsn]: 'list',
  [commands.clientKeysDelete]: 'list',
  [commands.clientKeysRotate]: 'list',
  [commands.clientKeysSendTestError]: 'list',
  [commands.clientKeysOpenTerminal]: 'list',
  [commands.errorTrackingEnable]: 'list',
  [commands.errorTrackingDisable]: 'list',
  [commands.errorTrackingFilter]: 'list',
  [commands.errorTrackingSort]: 'list',
  [commands.errorReplayStart]: 'list',
  [commands.errorTrackingShow]: 'list',
  [commands.errorTrackingResolve]: 'list',
  [commands.errorTrackingIgnore]: 'list',
  [commands.errorTrackingReopen]: 'list',
  [commands.errorTrackingResolveInNextRelease]: 'list',
  [commands.errorTrackingAssign]: 'list',
  [commands.errorTrackingMerge]: 'list',
  [commands.errorTrackingSplit]: 'list',
  [commands.errorTrackingCreateIssue]: 'list',
  [commands.errorTrackingLinkIssue]: 'list',
  [commands.errorTrackingOpenIssue]: 'list',
  [commands.errorTrackingSearch]: 'list',
  [commands.errorTrackingSelectProjects]: 'list',
  [commands.notificationsSearch]: 'input',
  [commands.notificationsSetLevel]: 'list',
  [commands.notificationsSelectEvents]: 'list',
  [commands.notificationsInherit]: 'list',
  [commands.notificationsSetEmail]: 'list',
  [commands.notificationsCopy]: 'list',
  [commands.notificationsPin]: 'list',
  [commands.notificationsUnpin]: 'list',
  [commands.notificationsStartProfile]: 'list',
  [commands.notificationsSaveProfile]: 'input',
};

export interface PaletteEntry {
  readonly title: string;
  readonly asks: 'list' | 'input' | 'dialog' | undefined;
}

/** Returns the palette entries in a state, without the commands that change it. */
function entriesIn(keys: Keys): readonly PaletteEntry[] {
  const inPalette = new Map<string, string>(
    contributes.menus.commandPalette.map((item: { command: string; when: string }) => [item.command, item.when]),
  );
  return contributes.commands.flatMap((one: { command: string; title: string; enablement?: string }) => {
    const clauses = [one.enablement, inPalette.get(one.command)].filter((clause) => clause !== undefined);
    const isThere = clauses.every((clause) => parseWhen(clause).holds(keys));
    const title = `Signalbox: ${texts[one.title.replaceAll('%', '')]}`;
    return isThere && !changing.includes(one.command) ? [{ title, asks: asking[one.command] }] : [];
  });
}

/**
 * Declares the test of the commands in the palette.
 *
 * @param choose Returns those entries of a state that are run.
 */
export function describePalette(choose: (state: string, entries: readonly PaletteEntry[]) => readonly PaletteEntry[]): void {
  describe('the commands in the palette', () => {
    let editor: Editor;
    let workbench: Workbench;
    before(async () => {
      editor = await openEditor();
      workbench = editor.workbench;
    });
    after(async () => {
      await editor?.close();
    });
    afterEach(screenshotsOfFailure(() => editor));

    it('the commands in the palette are listed and ask for their input while the server is stopped, signed out and signed in', async () => {
      const always = {
        isWorkspaceTrusted: true,
        [contextKeys.activityWhose]: 'mine',
        [contextKeys.activityProjectPin]: 'none',
        [contextKeys.instanceKind]: 'local',
      };
      const running = {
        [contextKeys.hasLocalServer]: true,
        [contextKeys.serverState]: 'running',
        [contextKeys.emulatedRelease]: '18.11',
      };
      await workbench.openView('My Activity');
      await workbench.untilStatus(STATUS, (text) => text.includes('stopped'), 'server stopped');
      await runAll({ ...always, [contextKeys.state]: 'serverStopped', [contextKeys.serverState]: 'stopped' });
      await workbench.untilStatus(STATUS, (text) => text.includes('stopped'), 'server still stopped');

      await workbench.run('Signalbox: Start Local Server');
      await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
      await runAll({ ...always, [contextKeys.state]: 'signedOut', ...running });
      await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'still signed out');

      await workbench.run('Signalbox: Sign In as Demo User…');
      await workbench.choose(DEMO_USER.name);
      await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
      await runAll({ ...always, [contextKeys.state]: 'signedIn', ...running });

      await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'still signed in');
      await workbench.run('Signalbox: Restart Local Server');
      await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'restarted');
      await workbench.run('Signalbox: Sign Out');
      await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
      await workbench.run('Signalbox: Stop Local Server');
      await workbench.untilStatus(STATUS, (text) => text.includes('stopped'), 'server stopped');
      await workbench.setClipboard('');
      await workbench.run('Signalbox: Copy Diagnostics');
      const report = await until(workbench.clipboard, (text) => text.includes('diagnostics'), 'the end of the log');
      assert.deepEqual(
        report.split('\n').filter((line) => /^\S+Z error /.test(line)),
        [],
      );
    });

    /** Runs each command without an argument and cancels whatever it asks. */
    async function runAll(keys: Keys): Promise<void> {
      const entries = entriesIn(keys);
      assert.ok(entries.length >= 10, JSON.stringify(entries));
      const failed: (readonly [title: string, words: string])[] = [];
      for (const { title, asks } of choose(String(keys[contextKeys.state]), entries)) {
        await workbench.run(title);
        if (asks === 'list') await workbench.choices();
        if (asks === 'input') await workbench.page.locator('.quick-input-widget .quick-input-title:visible').waitFor();
        if (asks === 'dialog') await workbench.dialog('');
        // The palette reports a failed command in a dialog.
        else if ((await workbench.countDialogs()) > 0) failed.push([title, (await workbench.dialog('')).message]);
        await workbench.stepBack();
        for (const page of editor.context.pages()) if (page !== workbench.page) await page.close();
        for (const toast of await workbench.toasts()) if (toast.severity === 'error') failed.push([title, toast.message]);
      }
      await workbench.clear();
      assert.deepEqual(failed, []);
    }
  });
}
