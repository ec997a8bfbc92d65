import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands } from '../../../src/ids.ts';
import { decideByPages } from '../../support/deviceGrant.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { start } from '../../support/host/suite/extension.ts';
import { OPEN_CODE_PAGE, readCode, selectInstance } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';

const STATUS = 'signalbox.status';

describe('a sign-in with a code', () => {
  let platform: RunningPlatform;
  before(async () => {
    platform = await startPlatform();
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await selectInstance(platform.label);
  });
  after(() => platform?.close());
  /** Resolves when the sign-in has ended. */
  let ended: Thenable<unknown>;
  beforeEach(async () => {
    ended = vscode.commands.executeCommand(commands.signIn);
    await workbench.choose('Sign in with a code');
  });
  afterEach(async () => {
    await workbench.clear();
    // Another sign-in would join one that has not ended.
    await ended;
  });

  it('a sign-in with a code shows a message that the code was denied, and can be tried again', async () => {
    const code = await readCode(platform.label);
    await workbench.clickDialogButton(OPEN_CODE_PAGE);
    await workbench.untilPage((address) => address.includes(`user_code=${code}`), 'the page of the code');
    assert.equal(await workbench.clipboard(), code);
    await workbench.untilProgress((title) => title.includes(`waiting for approval of ${code}`), 'waits');
    await decideByPages(platform.origin, platform.adminToken, DEMO_USER.username, code, 'deny');
    const denied = await workbench.untilToast(({ message }) => message.includes('denied'), 'denied');
    assert.equal(denied.severity, 'warning');
    assert.equal(denied.message, `The sign-in to ${platform.label} was denied in the browser.`);
    await workbench.clickToast('denied', 'Try Again');
    assert.notEqual(await readCode(platform.label), code);
    await workbench.cancelDialog();
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
  });

  it('a sign-in with a code gets a new code with one click when the first has expired', async () => {
    const code = await readCode(platform.label);
    await workbench.clickDialogButton(OPEN_CODE_PAGE);
    await workbench.untilProgress((title) => title.includes(code), 'waits');
    await platform.advance(301);
    const expired = await workbench.untilToast(({ message }) => message.includes('expired'), 'expired');
    assert.equal(expired.message, `The code for ${platform.label} expired before it was approved.`);
    await workbench.clickToast('expired', 'Get a New Code');
    const next = await readCode(platform.label);
    assert.notEqual(next, code);
    await workbench.clickDialogButton(OPEN_CODE_PAGE);
    await decideByPages(platform.origin, platform.adminToken, DEMO_USER.username, next, 'approve');
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
    await workbench.run('Signalbox: Sign Out');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
  });
});
