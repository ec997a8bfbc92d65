import assert from 'node:assert/strict';
import { pictures } from '../support/host/pictures.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { openedTab, THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';

describe('a server that another program runs on this machine', () => {
  let platform: RunningPlatform;
  let editor: Editor;
  let workbench: Workbench;
  before(async () => {
    platform = await startPlatform();
    // Views are loaded again only when the server says so.
    editor = await openEditor({ userSettings: { ...THEME_SETTINGS, 'signalbox.activity.pollSeconds': 3600 } });
    workbench = editor.workbench;
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('is connected with its admin token, and is then used like the server of VS Code until it is disconnected', async () => {
    await workbench.openContainer();
    await workbench.run('Signalbox: Connect to Local Server…');
    await workbench.fillInput(platform.origin);
    await untilPrompt(/Enter the admin token of the server/);
    await pictures(workbench, 'connected-token');
    await workbench.enterInput('not the token');
    await untilPrompt(/rejects this token/);
    await workbench.fillInput(platform.adminToken);
    const { buttons } = await workbench.untilToast(({ message }) => message.startsWith('Connected to'), 'connected');
    assert.deepEqual(buttons, ['Sign In as Demo User…']);
    await pictures(workbench, 'connected');
    await workbench.clickToast('Connected to', 'Sign In as Demo User…');
    await workbench.choose(DEMO_USER.name);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username} · ${platform.label}`), 'signed in');

    // The browser is not signed in yet.
    await workbench.run('Signalbox: Open Project in Browser…');
    const tab = await openedTab(editor.context, workbench, () => workbench.search('berth', 'Berth API'));
    await tab.waitForURL((url) => url.pathname === '/amara/berth-api');
    await tab.getByRole('heading', { level: 1, name: 'Berth API' }).waitFor();
    await tab.close();
    await workbench.page.bringToFront();

    const flows = await openedTab(editor.context, workbench, () => workbench.run('Signalbox: Open OAuth Flows in Browser'));
    await flows.getByRole('heading', { level: 1, name: 'OAuth flows' }).waitFor();
    await flows.close();
    await workbench.page.bringToFront();
    await workbench.untilToast(({ message }) => message === 'Opened in the browser as the administrator @root.', 'the account');
    await workbench.openView('OAuth Flows');
    await pictures(workbench, 'connected-flows');
    await workbench.clear();

    const mine = await workbench.openView('My Activity');
    await mine.pane.getByText('Without merge requests (documented dialect)').waitFor();
    await workbench.run('Signalbox: Show Activity in All My Projects');
    const all = workbench.view('Activity in All My Projects');
    await all.untilRows((rows) => rows.length > 0, 'the list');
    await platform.createIssue('Berth API', 'Seen without a refresh');
    await all.untilRow(({ label }) => label.includes('Seen without a refresh'), 'the new issue');
    await pictures(workbench, 'connected-activity');

    await workbench.clickStatus(STATUS);
    assert.ok((await workbench.choices()).includes('Disconnect'));
    await pictures(workbench, 'connected-menu');
    await workbench.choose('Disconnect');
    await workbench.untilToast(({ message }) => message.includes('was deleted from the secret storage'), 'disconnected');
    await until(
      () => workbench.view('OAuth Flows').pane.count(),
      (count) => count === 0,
      'no OAuth flows',
    );
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'still signed in');
  });

  function untilPrompt(pattern: RegExp): Promise<unknown> {
    return until(
      () => workbench.page.locator('.quick-input-widget').innerText(),
      (text) => pattern.test(text),
      `input box with ${pattern}`,
    );
  }
});
