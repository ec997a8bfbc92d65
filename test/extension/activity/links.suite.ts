import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { start, stop } from '../../support/host/suite/extension.ts';
import { signInAs } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';
const COMMENT = /^Commented on (#\d+) /;

describe('links to events', () => {
  let platform: RunningPlatform;
  before(async () => {
    platform = await startPlatform();
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, DEMO_USER.username);
  });
  after(() => platform?.close());
  beforeEach(async () => {
    if (await isSignedOut()) await signInAs(platform, DEMO_USER.username);
  });
  afterEach(async () => {
    await workbench.clear();
    await closeEditors();
  });

  it('links open the linked event when VS Code passes them to the window, and when they arrive while the window is opening', async () => {
    const { link, number } = await copyLink();
    await follow(link);
    await untilDocument(number);

    await closeEditors();
    await stop();
    await follow(link);
    await start();
    await untilDocument(number);
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.countDialogs(), 0);
  });

  it('links of an instance that is not configured name the instance', async () => {
    await follow(`${vscode.env.uriScheme}://signalbox.signalbox/event/1?instance=https%3A%2F%2Fgitlab.example.test`);
    const { message } = await workbench.untilToast(() => true, 'the instance');
    assert.equal(message, 'This link belongs to https://gitlab.example.test. Add that instance first.');
  });

  it('links open the linked event after the sign-in that it needs, even if the window is reloaded in between', async () => {
    const { link, number } = await copyLink();
    await workbench.run('Signalbox: Sign Out');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
    await follow(link);
    const asked = await workbench.untilToast(({ message }) => message.includes('open this link'), 'the prompt to sign in');
    assert.deepEqual([asked.message, asked.buttons], [`Sign in to ${platform.label} to open this link.`, ['Sign In']]);
    await workbench.reload();
    assert.ok(await isSignedOut());
    await signInAs(platform, DEMO_USER.username);
    await untilDocument(number);
  });

  it('an unexpected OAuth redirect is rejected and logged without its code, and shows no message', async () => {
    const { link } = await copyLink();
    await follow(link.replace(/\/event\/.*/, '/oauth/callback?code=a-code-of-eve&state=of-eve'));
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

  /** Waits until the sign-ins are loaded. */
  async function isSignedOut(): Promise<boolean> {
    let isOut = false;
    await workbench.untilStatus(
      STATUS,
      (text) => {
        isOut = text.includes('signed out');
        return isOut || text.includes(`@${DEMO_USER.username}`);
      },
      'activated',
    );
    return isOut;
  }

  /** Copies the link of a comment with the menu of its row; returns it with the number of the issue. */
  async function copyLink(): Promise<{ readonly link: string; readonly number: string }> {
    const mine = await workbench.openView('My Activity');
    const { label } = await mine.untilRow((row) => COMMENT.test(row.label), 'a comment');
    await workbench.setClipboard('');
    await mine.chooseFromRowMenu(label, 'Copy Link for VS Code');
    const link = await until(workbench.clipboard, (text) => text.includes('/event/'), 'the link');
    assert.match(link, /^[a-z-]+:\/\/signalbox\.signalbox\/event\/\d+\?/);
    return { link, number: COMMENT.exec(label)?.[1] ?? '' };
  }

  /** Lets VS Code open a link, which it passes to the extension. */
  async function follow(link: string): Promise<void> {
    await vscode.commands.executeCommand('vscode.open', vscode.Uri.parse(link, true));
  }

  async function untilDocument(number: string): Promise<void> {
    await until(
      () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label)),
      (labels) => labels.some((label) => label.includes(`${number} `) && label.includes('.md')),
      `the document of ${number}`,
    );
  }

  async function closeEditors(): Promise<void> {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  }
});
