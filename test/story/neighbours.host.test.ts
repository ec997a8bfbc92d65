import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { View } from '../support/host/view.ts';
import type { Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
/** Project of the demo user with errors. */
const TRACKED = 'amara/berth-api';
const COMMENT = /^Commented on (#\d+) /;

describe('links and other extensions', () => {
  let platform: RunningPlatform;
  let editor: Editor;
  let workbench: Workbench;
  let folder: string;
  let linkFile: string;
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-neighbours-'));
    linkFile = path.join(folder, 'link');
    platform = await startPlatform();
    writeFileSync(linkFile, '/event/1?instance=https%3A%2F%2Fgitlab.example.test');
    editor = await openEditor({
      userSettings: { 'signalbox.instances': [{ url: platform.origin }], 'neighbour.linkFile': linkFile },
    });
    workbench = editor.workbench;
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('a link activates the extension, a browser passes one to the window, and another extension uses tools and a token with the consent of the user until they sign out in the Accounts menu', async () => {
    // The link is opened before the window is ready.
    const { message } = await workbench.untilToast((toast) => toast.message.includes('link'), 'the early link');
    assert.equal(message, 'This link belongs to https://gitlab.example.test. Add that instance first.');
    assert.equal(readFileSync(`${linkFile}.wasActive`, 'utf8'), 'false');
    await workbench.clear();

    await selectInstance(workbench, platform.label);
    await signInAs(workbench, editor.context, platform, DEMO_USER.username);
    const { link, number } = await copyLink();
    await openInBrowser(link);
    await workbench.page.locator(`.tab[aria-label*="${number} "][aria-label*=".md"]`).waitFor();
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.countDialogs(), 0);

    await useTool('signalbox_listActivity', {});
    const question = await workbench.dialog('Let the language model read from your platform?');
    assert.match(`${question.message} ${question.detail}`, /Nothing is changed/);
    await workbench.clickDialogButton('Cancel');
    assert.match(await resultOfTool(), /^failed: /);
    await useTool('signalbox_listActivity', {});
    const again = await workbench.dialog('Let the language model read from your platform?');
    await workbench.clickDialogButton(again.buttons.find((text) => text !== 'Cancel') ?? '');
    assert.match(await resultOfTool(), /^The texts below .*\n\nActivity of the signed-in user, the latest first:\n\n- /s);
    await useTool('signalbox_listErrors', { project: TRACKED });
    assert.match(await resultOfTool(), /^- id \d+: /m);
    assert.equal(await workbench.countDialogs(), 0);

    const account = `${DEMO_USER.name} @ ${platform.label}`;
    await workbench.run('Neighbour: Ask for Token');
    const consent = await workbench.dialog('Neighbour');
    assert.equal(consent.message, "The extension 'Neighbour' wants to sign in using Signalbox.");
    await workbench.clickDialogButton('Allow');
    await workbench.choose(account);
    const given = JSON.parse(
      await until(
        () => workbench.clipboard(),
        (text) => text.includes('"accessToken"'),
        'a token',
      ),
    );
    assert.equal(given.label, account);
    const whoAmI = (): Promise<Response> =>
      fetch(`${platform.origin}/api/v4/user`, { headers: { authorization: `Bearer ${given.accessToken}` } });
    assert.match(await (await whoAmI()).text(), new RegExp(`"username":"${DEMO_USER.username}"`));

    const before = (await platform.statuses('/oauth/revoke')).length;
    const entries = await workbench.openAccounts();
    const entry = entries.find((text) => text.includes(account)) ?? '';
    assert.equal(entry, `${account} (Signalbox)`, entries.join(', '));
    await workbench.chooseInMenu(entry);
    await workbench.chooseInMenu('Sign Out');
    const asked = await workbench.dialog('Sign out');
    assert.match(`${asked.message} ${asked.detail}`, /Neighbour/);
    await workbench.clickDialogButton('Sign Out');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
    const revoked = await until(
      () => platform.statuses('/oauth/revoke'),
      (statuses) => statuses.length === before + 2,
      'both tokens revoked',
    );
    assert.deepEqual(revoked.slice(0, 2), [200, 200]);
    assert.equal((await whoAmI()).status, 401);
  });

  async function useTool(name: string, input: object): Promise<void> {
    await workbench.setClipboard(JSON.stringify({ name, input }));
    await workbench.run('Neighbour: Use Tool');
  }

  async function resultOfTool(): Promise<string> {
    const text = await until(
      () => workbench.clipboard(),
      (copied) => copied.startsWith('{"result"'),
      'the result of the tool',
    );
    return JSON.parse(text).result;
  }

  /** Copies the link of a comment with the menu of its row; returns it with the number of the issue. */
  async function copyLink(): Promise<{ link: string; number: string }> {
    const mine: View = await workbench.openView('My Activity');
    const { label } = await mine.untilRow((row) => COMMENT.test(row.label), 'a comment');
    await mine.chooseFromRowMenu(label, 'Copy Link for VS Code');
    const link = await until(
      () => workbench.clipboard(),
      (text) => text.includes('/event/'),
      'the link',
    );
    assert.match(link, /^[a-z-]+:\/\/signalbox\.signalbox\/event\/\d+\?/);
    return { link, number: COMMENT.exec(label)?.[1] ?? '' };
  }

  /** Follows a link from outside the editor, in the way a browser does. */
  async function openInBrowser(link: string): Promise<void> {
    await workbench.setClipboard(link);
    await workbench.run('Neighbour: Copy Address of Link');
    const address = await until(
      () => workbench.clipboard(),
      (text) => text.startsWith('http'),
      'address in the browser',
    );
    const tab = await editor.context.newPage();
    await tab.goto(address);
    await tab.close();
  }
});
