// Wide: The oldest supported VS Code is a second installation with a Node of its own.
import assert from 'node:assert/strict';
import type { Context } from 'mocha';
import { isAvailable } from '../../scripts/vscode-host.ts';
import { decideOnDevicePage, DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { openCodePage, readCode, selectInstance } from '../support/host/signIn.ts';
import { type Editor, openEditor } from '../support/host/vscode.ts';

describe('VS Code 1.112, the oldest supported version', () => {
  let platform: RunningPlatform;
  let editor: Editor;
  before(async function (this: Context) {
    if (!isAvailable('minimum')) this.skip();
    platform = await startPlatform();
    editor = await openEditor({ version: 'minimum', userSettings: { 'signalbox.instances': [{ url: platform.origin }] } });
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
  });

  it('VS Code 1.112 starts the local server on its own Node, signs in with a code and shows the feed', async () => {
    const { workbench, context } = editor;
    await selectInstance(workbench, 'Managed server');
    await workbench.run('Signalbox: Start Local Server');
    await workbench.untilStatus('signalbox.status', (text) => text.includes('signed out'), 'server runs');

    await selectInstance(workbench, platform.label);
    const tab = await context.newPage();
    await platform.signIn(tab, DEMO_USER.username);
    await workbench.page.bringToFront();
    await workbench.run('Signalbox: Sign In');
    const code = await readCode(workbench, platform.label);
    // This build of VS Code for the browser opens an address without its path, so the test navigates to the page itself.
    await (await openCodePage(workbench, context)).close();
    await tab.goto(`${platform.origin}/oauth/device?user_code=${code}`);
    await decideOnDevicePage(tab, code, 'Approve');
    await tab.close();

    await workbench.untilStatus('signalbox.status', (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
    const mine = await workbench.openView('My Activity');
    await mine.untilRows((rows) => rows.filter(({ level }) => level === 2).length >= 10, 'seeded feed');
    assert.deepEqual(await workbench.toasts(), []);
    await workbench.run('Signalbox: Select Instance…');
    await workbench.choose('Managed server');
    await workbench.run('Signalbox: Stop Local Server');
    await workbench.untilStatus('signalbox.status', (text) => text === 'Signalbox: stopped', 'server stopped');
  });
});
