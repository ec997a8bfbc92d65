import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { signInAs } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { View } from '../support/host/view.ts';
import type { Toast, Workbench } from '../support/host/workbench.ts';
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
  /** Result of a link that was opened before the window. */
  let early: { readonly toast: Toast; readonly wasActive: string };
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-neighbours-'));
    linkFile = path.join(folder, 'link');
    platform = await startPlatform();
    writeFileSync(linkFile, '/event/1?instance=https%3A%2F%2Fgitlab.example.test');
    editor = await openEditor({
      userSettings: { 'signalbox.instances': [{ url: platform.origin }], 'neighbour.linkFile': linkFile },
    });
    workbench = editor.workbench;
    const toast = await workbench.untilToast(({ message }) => message.includes('link'), 'the early link');
    early = { toast, wasActive: readFileSync(`${linkFile}.wasActive`, 'utf8') };
    rmSync(linkFile);
    await workbench.clear();
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    let isSignedIn = false;
    await workbench.untilStatus(
      STATUS,
      (text) => {
        isSignedIn = text.includes(`@${DEMO_USER.username}`);
        return isSignedIn || text.includes('signed out');
      },
      'activated',
    );
    if (!isSignedIn) await signInAs(workbench, editor.context, platform, DEMO_USER.username);
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async () => {
    rmSync(linkFile, { force: true });
    await workbench.clear();
  });

  it('links activate the extension when a link arrives before it is active', () => {
    assert.equal(early.wasActive, 'false');
    assert.equal(early.toast.message, 'This link belongs to https://gitlab.example.test. Add that instance first.');
  });

  it('links open the linked event when a browser passes the link to the window, and when it arrives while the window is opening', async () => {
    const { link, number } = await copyLink();
    await openInBrowser(link);
    await untilDocument(number);

    await workbench.run('View: Close All Editors');
    const { pathname, search } = new URL(link);
    writeFileSync(linkFile, `${pathname}${search}`);
    await workbench.untilSaved(/"auth\.sessions":\[[^\]]*"http:\/\//);
    await workbench.reload();
    await untilDocument(number);
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.countDialogs(), 0);
  });

  it('links open the linked event after the sign-in that it needs, even if the window is reloaded in between', async () => {
    const { link, number } = await copyLink();
    await workbench.run('Signalbox: Sign Out');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
    await openInBrowser(link);
    const asked = await workbench.untilToast(({ message }) => message.includes('open this link'), 'the prompt to sign in');
    assert.deepEqual([asked.message, asked.buttons], [`Sign in to ${platform.label} to open this link.`, ['Sign In']]);
    await workbench.untilSaved(/"activity\.pendingLink":\{/);
    await workbench.reload();
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'activated again');
    await signInAs(workbench, editor.context, platform, DEMO_USER.username);
    await untilDocument(number);
  });

  it('an unexpected OAuth redirect is rejected and logged without its code, and shows no message', async () => {
    const { link } = await copyLink();
    await openInBrowser(link.replace(/\/event\/.*/, '/oauth/callback?code=a-code-of-eve&state=of-eve'));
    const report = await until(
      async () => {
        await workbench.run('Signalbox: Copy Diagnostics');
        return workbench.clipboard();
      },
      (text) => text.includes('Ignored a redirect'),
      'a line of the log',
    );
    assert.doesNotMatch(report, /of-eve/);
    assert.deepEqual(
      (await workbench.toasts()).filter(({ severity }) => severity !== 'info'),
      [],
    );
  });

  it('another extension gets a token with the consent of the user, and the token is revoked in the Accounts menu', async () => {
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

  it('language model tools read activity and errors after the user has allowed it once in the workspace', async () => {
    await useTool('signalbox_listActivity', {});
    const asked = await workbench.dialog('Let the language model read from your platform?');
    assert.match(`${asked.message} ${asked.detail}`, /Nothing is changed/);
    await workbench.clickDialogButton('Cancel');
    assert.match(await resultOfTool(), /^failed: /);

    await useTool('signalbox_listActivity', {});
    const again = await workbench.dialog('Let the language model read from your platform?');
    await workbench.clickDialogButton(again.buttons.find((text) => text !== 'Cancel') ?? '');
    assert.match(await resultOfTool(), /^The texts below .*\n\nActivity of the signed-in user, the latest first:\n\n- /s);

    await useTool('signalbox_listErrors', { project: TRACKED });
    const list = await resultOfTool();
    assert.equal(await workbench.countDialogs(), 0);
    const [, id] = /^- id (\d+): /m.exec(list) ?? [];
    await useTool('signalbox_showError', { id, project: TRACKED });
    assert.match(await resultOfTool(), /Stack trace of the latest event .*\n {4}at /s);
    await useTool('signalbox_explainGrouping', { id, project: TRACKED });
    assert.match(await resultOfTool(), /if these parts are equal/);
    await useTool('signalbox_showError', { id: 'none' });
    assert.match(await resultOfTool(), /"id" must be the number of an error/);
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

  async function untilDocument(number: string): Promise<void> {
    await workbench.page.locator(`.tab[aria-label*="${number} "][aria-label*=".md"]`).waitFor();
  }
});
