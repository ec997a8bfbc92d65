import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { decideOnDevicePage, DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { readCode, selectInstance } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { openedTab, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

/** Redirect URI that an application needs for the editor in this browser. */
const LISTENER = 'http://127.0.0.1/oauth/callback';
/** Id of the status bar entry. */
const STATUS = 'signalbox.status';

describe('a user with several accounts', () => {
  let platform: RunningPlatform;
  let editor: Editor;
  let workbench: Workbench;
  let workspace: string;
  before(async () => {
    platform = await startPlatform('none');
    workspace = mkdtempSync(path.join(os.tmpdir(), 'signalbox-accounts-'));
    editor = await openEditor({
      workspace,
      userSettings: {
        'signalbox.instances': [{ url: platform.origin }],
        // A shell without the start-up files of the user who runs the tests: those take time, and are interrupted with the terminal.
        'terminal.integrated.profiles.linux': { plain: { path: '/bin/sh' } },
        'terminal.integrated.defaultProfile.linux': 'plain',
        'terminal.integrated.profiles.osx': { plain: { path: '/bin/sh' } },
        'terminal.integrated.defaultProfile.osx': 'plain',
      },
    });
    workbench = editor.workbench;
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
    rmSync(workspace, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('a user with several accounts denies, then completes a sign-in with the browser, which redirects to VS Code and leaves no listener running', async () => {
    await selectInstance(workbench, platform.label);
    const start = await editor.context.newPage();
    await platform.signIn(start, 'root');
    await start.close();
    await workbench.page.bringToFront();
    await workbench.run('Signalbox: Sign In');
    await workbench.choose('Sign in with the browser');

    const denied = await openPage('Open Page');
    await workbench.untilToast(({ message }) => message.includes('waiting for approval') && message.includes(LISTENER), 'waits');
    await denied.getByRole('button', { name: 'Deny', exact: true }).click();
    await denied.getByRole('heading', { level: 1, name: 'Sign-in failed' }).waitFor();
    await denied.close();
    await workbench.clickToast('was denied in the browser.', 'Try Again');

    const page = await openPage('Copy Link');
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Signed in' }).waitFor();
    const address = page.url();
    assert.match(address, /^http:\/\/127\.0\.0\.1:\d+\/oauth\/callback\?code=/);
    await page.close();
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in');
    const ask = (): Promise<string> =>
      fetch(address).then(
        () => 'answers',
        () => 'closed',
      );
    await until(ask, (what) => what === 'closed', 'the listener');
    await until(
      () => workbench.toasts(),
      (toasts) => toasts.length === 0,
      'no sign-in is waiting',
    );

    await workbench.run('Signalbox: Sign Out');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');

    async function openPage(button: 'Open Page' | 'Copy Link'): Promise<Page> {
      const { buttons } = await workbench.dialog(`Sign in to ${platform.label} with the browser`);
      assert.deepEqual(buttons.toSorted(), ['Cancel', 'Copy Link', 'Open Page']);
      const respond = (): Promise<void> => workbench.clickDialogButton(button);
      const tab = await (button === 'Open Page' ? openedTab(editor.context, workbench, respond) : respond().then(copiedPage));
      await tab.getByRole('heading', { level: 1, name: 'Authorize Signalbox for VS Code?' }).waitFor();
      return tab;
    }

    async function copiedPage(): Promise<Page> {
      const address = await until(
        () => workbench.clipboard(),
        (text) => text.includes('/oauth/authorize?'),
        'the link',
      );
      const tab = await editor.context.newPage();
      await tab.goto(address);
      return tab;
    }
  });

  it('a user with several accounts reloads during a sign-in, uses the local server as two users, sees the errors of an OAuth client there, and switches between all accounts', async () => {
    await selectInstance(workbench, platform.label);
    const secrets = await workbench.savedSecrets();
    await workbench.run('Signalbox: Sign In');
    const code = await readCode(workbench, platform.label);
    await workbench.untilSaved(/"auth\.pendingCodes":\["/);
    await until(workbench.savedSecrets, (saved) => saved !== secrets, 'the code is saved');
    await workbench.reload();
    const waiting = await workbench.untilToast(({ message }) => message.includes(code), 'code shown again');
    assert.ok(waiting.message.includes(`${platform.origin}/oauth/device`), waiting.message);
    assert.equal(await workbench.countDialogs(), 0);
    const tab = await editor.context.newPage();
    await platform.signIn(tab, 'root');
    await tab.goto(`${platform.origin}/oauth/device?user_code=${code}`);
    await decideOnDevicePage(tab, code, 'Approve');
    await tab.close();
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in with the earlier code');

    await workbench.run('Signalbox: Sign In as Demo User…');
    await workbench.choose(DEMO_USER.name);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in as a demo user');
    const mine = await workbench.openView('My Activity');
    await mine.untilRows((rows) => rows.length >= 10, 'activity of that user');
    await workbench.run('Signalbox: Sign In as Demo User…');
    await workbench.choose('Administrator');
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in as another demo user');

    await workbench.run('Signalbox: Open Terminal for This Instance');
    await workbench.page.locator('.terminal-wrapper.active .xterm-screen').waitFor();
    const file = path.join(workspace, 'environment');
    await workbench.page.keyboard.type(`printenv SIGNALBOX_URL GITLAB_PRIVATE_TOKEN > ${file}`);
    await workbench.page.keyboard.press('Enter');
    await until(
      async () => (existsSync(file) ? readFileSync(file, 'utf8') : ''),
      (text) => text.split('\n').length === 3,
      'the environment of the terminal',
    );
    const [url = '', token = ''] = readFileSync(file, 'utf8').split('\n');
    const response = await fetch(`${url}/api/v4/user`, { headers: { 'private-token': token } });
    assert.match(await response.text(), /"username":"root"/);

    const flows = await workbench.openView('OAuth Flows');
    await flows.untilWelcome((text) => text.startsWith('No OAuth requests yet'), 'no OAuth client yet');
    const wrong = { grant_type: 'authorization_code', client_id: 'lamp-board', code: 'c', redirect_uri: 'http://127.0.0.1/' };
    await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(wrong) });
    const flow = await flows.untilRow(({ icon }) => icon === 'error', 'the rejected OAuth flow');
    assert.match(flow.name, /Unknown client lamp-… .*, refused, just now, no application has this client_id$/);
    await flows.toggleRow(flow.label);
    await flows.untilRow(({ level, description }) => level === 2 && description.startsWith('no application'), 'its request');
    const debugging = await openedTab(editor.context, workbench, () =>
      flows.clickRowAction(flow.label, 'Open OAuth Flows in Browser'),
    );
    await debugging.getByRole('heading', { level: 1, name: 'Unknown client lamp-…' }).waitFor();
    await debugging.close();
    const opened = 'Opened in the browser as the administrator @root.';
    await workbench.untilToast(({ message }) => message === opened, 'whose account it is');
    await workbench.clear();

    await workbench.run('Signalbox: Select Instance…');
    const expected = ['Local server', `@${DEMO_USER.username}`, platform.label];
    // Rows that the editor reuses may still contain a line of the previous list.
    const choices = (await workbench.choices()).filter((label) => label !== 'User' && label !== 'Administrator');
    assert.deepEqual(choices.slice(0, expected.length), expected);
    await workbench.choose(`@${DEMO_USER.username}`);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'switched back');
    await selectInstance(workbench, platform.label);
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'the other instance');
    await workbench.run('Signalbox: Sign Out');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out there');
    await selectInstance(workbench, 'Local server');
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'still signed in here');
    await workbench.run('Signalbox: Stop Local Server');
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'server stopped');
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.countDialogs(), 0);
  });
});
