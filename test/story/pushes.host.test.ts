import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pictures } from '../support/host/pictures.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const PROJECT = 'amara/berth-api';
const BRANCH = 'foghorn';
const FILE = 'foghorn.txt';
const MESSAGE = 'Add a foghorn';

/** VS Code commits without questions and with a message from an input box. */
const GIT_SETTINGS = { 'git.enableSmartCommit': true, 'git.useEditorAsCommitInput': false, 'git.confirmSync': false };

describe('git in VS Code with a sign-in', () => {
  let home: string;
  let platform: RunningPlatform;
  let editor: Editor;
  let workbench: Workbench;
  before(async () => {
    home = mkdtempSync(path.join(os.tmpdir(), 'signalbox-clones-'));
    mkdirSync(path.join(home, 'projects', 'earlier'), { recursive: true });
    platform = await startPlatform();
    editor = await openEditor({
      userSettings: {
        ...THEME_SETTINGS,
        ...GIT_SETTINGS,
        'signalbox.instances': [{ url: platform.origin }],
      },
    });
    workbench = editor.workbench;
    await selectInstance(workbench, platform.label);
    await signInAs(workbench, editor.context, platform, DEMO_USER.username);
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
    rmSync(home, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('a project is cloned, a commit is pushed, and the push appears in the activity and opens as a diff', async () => {
    const { page } = workbench;
    const parent = path.join(home, 'projects');
    await workbench.run('Signalbox: Clone…');
    await workbench.search('berth-api', 'Berth API');
    // VS Code asks for the parent folder. Once it shows the home folder, which is empty, the path can be typed.
    const entries = page.locator('.quick-input-list .monaco-list-row');
    await untilInput((value) => value.startsWith('/'));
    await entries.getByText('..', { exact: true }).waitFor();
    await page.locator('.quick-input-widget input.input').fill(`${parent}/`);
    await entries.getByText('earlier', { exact: true }).waitFor();
    await page.locator('.quick-input-widget').getByRole('button', { name: 'Select as Repository Destination' }).click();
    await workbench.dialog('open the repository');
    const clone = path.join(parent, 'berth-api');
    const configuration = readFileSync(path.join(clone, '.git', 'config'), 'utf8');
    assert.ok(configuration.includes(`url = ${platform.origin}/${PROJECT}.git`), configuration);
    assert.doesNotMatch(configuration, /oauth2|token|credential/i);
    appendFileSync(path.join(clone, '.git', 'config'), `[user]\n\tname = ${DEMO_USER.name}\n\temail = amara@example.com\n`);
    await workbench.clickDialogButton('Open');
    await page.waitForURL((url) => url.href.includes('berth-api'));
    await workbench.ready();
    await workbench.untilStatus('signalbox.status', (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');

    await workbench.run('Git: Create Branch...');
    await workbench.fillInput(BRANCH);
    await workbench.untilStatus('status.scm', (text) => text.includes(BRANCH), 'the new branch');
    writeFileSync(path.join(clone, FILE), 'Two blasts every minute.\n');
    writeFileSync(path.join(clone, 'README.md'), '# Berth API\n\nListen for the foghorn.\n');
    await workbench.untilStatus('status.scm', (text) => text.includes(`${BRANCH}*`), 'the changes');
    await workbench.run('Git: Commit All');
    await untilInput((value) => value === '');
    await workbench.fillInput(MESSAGE);
    await until(
      async () => readFileSync(path.join(clone, '.git', 'logs', 'HEAD'), 'utf8'),
      (log) => log.includes(MESSAGE),
      'the commit',
    );
    await workbench.run('Git: Publish Branch...');
    await until(
      () => existsSync(path.join(clone, '.git', 'refs', 'remotes', 'origin', BRANCH)),
      (isPushed) => isPushed,
      'the instance has the branch',
    );

    // Activity that was loaded before is only loaded again after the pause that the settings say.
    await workbench.run('Signalbox: Refresh Activity');
    const mine = await workbench.openView('My Activity');
    await workbench.widenSideBar(420);
    const push = await mine.untilRow(({ label }) => label.includes(BRANCH), 'the push');
    assert.deepEqual((await mine.rowActions(push.label)).slice(0, 1), ['Show Changes']);
    await mine.clickRow(push.label);
    await page.locator('.tab.active[aria-label*="foghorn"]').waitFor();
    await until(workbench.visibleLines, (lines) => lines.some((line) => line.includes('Two blasts')), 'the new file');
    assert.deepEqual(
      (await workbench.toasts()).filter(({ severity }) => severity !== 'info'),
      [],
    );
    await workbench.clear();
    await pictures(workbench, 'push-diff');
  });

  function untilInput(accept: (value: string) => boolean): Promise<unknown> {
    const input = workbench.page.locator('.quick-input-widget input.input');
    return until(
      async () => ((await input.isVisible()) ? await input.inputValue() : undefined),
      (value) => value !== undefined && accept(value),
      'input box',
    );
  }
});
