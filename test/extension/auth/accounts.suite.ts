import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { decideCode, signedInVisitor } from '../../support/deviceGrant.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { start } from '../../support/host/suite/extension.ts';
import { readCode, selectInstance, visit } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

/** Redirect URI that an application needs for the editor in a browser. */
const LISTENER = 'http://127.0.0.1/oauth/callback';
const STATUS = 'signalbox.status';

describe('a user with several accounts', () => {
  let platform: RunningPlatform;
  before(async () => {
    platform = await startPlatform('none');
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
  });
  after(() => platform?.close());
  beforeEach(() => selectInstance(platform.label));
  afterEach(() => workbench.clear());

  it('a user with several accounts denies, then completes a sign-in with the browser, which redirects to VS Code and leaves no listener running', async () => {
    const visitor = await signedInVisitor(platform.origin, platform.adminToken, 'root');
    await workbench.run('Signalbox: Sign In');
    await workbench.choose('Sign in with the browser');

    await choosePage('Open Page');
    const denied = await visitor.open(await workbench.untilPage(isAuthorization, 'the page'));
    assert.match(denied.html, /<h1[^>]*>\s*Authorize Signalbox for VS Code\?/);
    await workbench.untilProgress((title) => title.includes('waiting for approval'), 'waits');
    assert.ok(
      workbench.progressMessages().some((text) => text.includes(LISTENER)),
      workbench.progressMessages().join(),
    );
    assert.match((await visitor.submit(denied, '/oauth/authorize', { _method: 'delete' })).html, /<h1[^>]*>\s*Sign-in failed/);
    await workbench.clickToast('was denied in the browser.', 'Try Again');

    await workbench.setClipboard('');
    await choosePage('Copy Link');
    const page = await visitor.open(await until(workbench.clipboard, isAuthorization, 'the link'));
    const { address, html } = await visitor.submit(page, '/oauth/authorize');
    assert.match(html, /<h1[^>]*>\s*Signed in/);
    assert.match(address.href, /^http:\/\/127\.0\.0\.1:\d+\/oauth\/callback\?code=/);
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in');
    const isListening = (): Promise<boolean> =>
      fetch(address).then(
        () => true,
        () => false,
      );
    await until(isListening, (isThere) => !isThere, 'the listener has ended');
    await workbench.untilNoProgress();
    assert.deepEqual(await workbench.toasts(), []);

    await workbench.run('Signalbox: Sign Out');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
  });

  it('a user with several accounts reloads during a sign-in, uses the local server as two users, sees the errors of an OAuth client there, and switches between all accounts', async () => {
    await workbench.run('Signalbox: Sign In');
    await workbench.choose('Sign in with a code');
    const code = await readCode(platform.label);
    await workbench.reload();
    await workbench.untilProgress(
      (title) => title.includes(code) && title.includes(`${platform.origin}/oauth/device`),
      'the code is shown again',
    );
    assert.equal(await workbench.countDialogs(), 0);
    const visitor = await signedInVisitor(platform.origin, platform.adminToken, 'root');
    await decideCode(visitor, await visitor.open(`${platform.origin}/oauth/device?user_code=${code}`), code, 'approve');
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in with the earlier code');

    await workbench.run('Signalbox: Sign In as Demo User…');
    await workbench.choose(DEMO_USER.name);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in as a demo user');
    const mine = await workbench.openView('My Activity');
    await mine.untilRows((rows) => rows.length >= 10, 'activity of that user');
    await workbench.run('Signalbox: Sign In as Demo User…');
    await workbench.choose('Administrator');
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in as another demo user');

    const { url, token } = await terminalOfInstance();
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
    await flows.clickRowAction(flow.label, 'Open OAuth Flows in Browser');
    const debugging = await visit(await workbench.untilPage((address) => address.startsWith(url), 'the page'));
    assert.match(debugging.page, /<h1[^>]*>\s*Unknown client lamp-…/);
    const opened = 'Opened in the browser as the administrator @root.';
    await workbench.untilToast(({ message }) => message === opened, 'whose account it is');
    await workbench.clear();

    await workbench.run('Signalbox: Select Instance…');
    const expected = ['Managed server', `@${DEMO_USER.username}`, platform.label];
    assert.deepEqual((await workbench.choices()).slice(0, expected.length), expected);
    await workbench.choose(`@${DEMO_USER.username}`);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'switched back');
    await selectInstance(platform.label);
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'the other instance');
    await workbench.run('Signalbox: Sign Out');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out there');
    await selectInstance('Managed server');
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'still signed in here');
    await workbench.run('Signalbox: Stop Local Server');
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'server stopped');
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.countDialogs(), 0);
  });

  async function choosePage(button: 'Open Page' | 'Copy Link'): Promise<void> {
    const { buttons } = await workbench.dialog(`Sign in to ${platform.label} with the browser`);
    assert.deepEqual(buttons, ['Open Page', 'Copy Link']);
    await workbench.clickDialogButton(button);
  }

  function isAuthorization(address: string): boolean {
    return address.includes('/oauth/authorize?');
  }
});

/** Opens a terminal for the selected instance. Returns the address and the token in its environment. */
async function terminalOfInstance(): Promise<{ readonly url: string; readonly token: string }> {
  const opened = Promise.withResolvers<vscode.Terminal>();
  const subscription = vscode.window.onDidOpenTerminal(opened.resolve);
  await workbench.run('Signalbox: Open Terminal for This Instance');
  const { creationOptions } = await opened.promise.finally(() => subscription.dispose());
  const { SIGNALBOX_URL: url, GITLAB_PRIVATE_TOKEN: token } = ('env' in creationOptions ? creationOptions.env : undefined) ?? {};
  assert.ok(typeof url === 'string' && typeof token === 'string');
  return { url, token };
}
