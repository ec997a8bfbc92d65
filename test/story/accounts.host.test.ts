import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { outputOf, TERMINAL_SETTINGS, typeCommand, untilPrompt } from '../support/host/terminal.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { openedTab, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

/** Id of the status bar entry. */
const STATUS = 'signalbox.status';

describe('a sign-in with the browser', () => {
  let editor: Editor;
  let workbench: Workbench;
  let workspace: string;
  before(async () => {
    workspace = mkdtempSync(path.join(os.tmpdir(), 'signalbox-accounts-'));
    editor = await openEditor({ workspace, userSettings: { ...TERMINAL_SETTINGS, 'signalbox.local.seed': 'none' } });
    workbench = editor.workbench;
  });
  after(async () => {
    await editor?.close();
    rmSync(workspace, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('a sign-in with the browser redirects to VS Code, whose terminal is then signed in and whose OAuth Flows view shows the errors of a client', async () => {
    await workbench.run('Signalbox: Start Local Server');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'server runs');
    await workbench.run('Signalbox: Sign In');
    await workbench.choose('Sign in with the browser');
    const { buttons } = await workbench.dialog('Sign in to Managed server with the browser');
    assert.deepEqual(buttons.toSorted(), ['Cancel', 'Copy Link', 'Open Page']);
    const page = await openedTab(editor.context, workbench, async () => {
      await workbench.clickDialogButton('Open Page');
      await workbench.choose('Administrator');
    });
    await page.getByRole('heading', { level: 1, name: 'Authorize Signalbox for VS Code?' }).waitFor();
    await page.getByRole('button', { name: 'Authorize', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Signed in' }).waitFor();
    assert.match(page.url(), /^http:\/\/127\.0\.0\.1:\d+\/oauth\/callback\?code=/);
    await page.close();
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in');
    await until(
      () => workbench.toasts(),
      (toasts) => toasts.length === 0,
      'no sign-in is waiting',
    );

    await workbench.run('Signalbox: Open Terminal for This Instance');
    assert.match(
      await untilPrompt(workbench),
      /signed in to http:\/\/127\.0\.0\.1:\d+ as @root\.\s*Their personal access token is revoked when/,
    );
    const environment = await outputOf(
      workbench,
      'printenv SIGNALBOX_URL GITLAB_PRIVATE_TOKEN',
      path.join(workspace, 'environment'),
    );
    const [url = '', token = ''] = environment.split('\n');
    const response = await fetch(`${url}/api/v4/user`, { headers: { 'private-token': token } });
    assert.match(await response.text(), /"username":"root"/);
    await typeCommand(workbench, 'exit');

    const flows = await workbench.openView('OAuth Flows');
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
    assert.equal(await workbench.countDialogs(), 0);
  });
});
