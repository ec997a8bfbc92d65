import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import { Missing, npmPackages } from '../support/clientSuite.ts';
import { DEMO_PERSON } from '../support/host/platform.ts';
import { type Editor, openEditor } from '../support/host/vscode.ts';
import { THEME_SETTINGS, until, type View, type Workbench } from '../support/host/workbench.ts';

const STATUS = 'signalbox.status';
const ROOT = path.join(import.meta.dirname, '../..');
const DEMO = path.join(ROOT, 'media/demo-workspace');
const SDK = path.join(ROOT, 'test/clients/node/sentry');
/** A project of the demo person that nobody tracks. */
const PROJECT = { path: 'amara/billing', name: 'Billing' } as const;
/** `name?.trim()` of the demo workspace's greet.js. */
const [LINE, COLUMN] = [3, 26];

describe('errors of a program', () => {
  let editor: Editor;
  let workbench: Workbench;
  let view: View;
  let home: string;
  let packages: string;
  before(async function (this: Context) {
    try {
      packages = await npmPackages(SDK);
    } catch (error) {
      if (!(error instanceof Missing)) throw error;
      console.log(`skipped: ${error.message}`);
      this.skip();
    }
    home = mkdtempSync(path.join(os.tmpdir(), 'signalbox-errors-'));
    for (const place of ['open', 'deployed/demo']) cpSync(DEMO, path.join(home, place), { recursive: true });
    editor = await openEditor({ workspace: path.join(home, 'open'), userSettings: THEME_SETTINGS });
    workbench = editor.workbench;
    await workbench.openView('My Activity');
    await workbench.run('Signalbox: Start Local Server');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
    await workbench.run('Signalbox: Use Local Server as…');
    await workbench.choose(DEMO_PERSON.name);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_PERSON.username}`), 'signed in');
    await workbench.clear();
  });
  after(async () => {
    await editor?.close();
    if (home !== undefined) rmSync(home, { recursive: true, force: true });
  });
  afterEach(async function (this: Context) {
    if (this.currentTest?.state === 'failed')
      console.log(`pictures: ${(await editor.picture(this.currentTest.title)).join(', ')}`);
  });

  it('appear by themselves once they are tracked, open the line that failed, and are resolved', async () => {
    view = await workbench.openView('Tracked Errors');
    await view.untilWelcome((text) => text.includes('one of your projects'), 'no project');
    await view.clickWelcomeButton('Select Project…');
    await workbench.choose(PROJECT.name);
    await view.untilWelcome((text) => text.includes('are not tracked'), 'tracking is off');
    await view.clickWelcomeButton('Enable Error Tracking');
    await view.untilWelcome((text) => text.includes('No unresolved errors'), 'no errors yet');
    assert.ok((await view.pane.locator('.pane-header .description').innerText()).includes(PROJECT.path));
    await view.clickWelcomeButton('Create Client Key');
    await workbench.clickToast('a new client key', 'Copy DSN');
    const dsn = await until(workbench.clipboard, (text) => text.includes('glet_'), 'a DSN');
    await workbench.clear();

    const program = [path.join(import.meta.dirname, 'crash.mjs'), path.join(packages, 'package.json'), dsn];
    const file = path.join(home, 'deployed/demo/greet.js');
    await assert.rejects(promisify(execFile)(process.execPath, [...program, file]), /name\?\.trim is not a function/);

    const error = await view.untilRow(({ label }) => label.startsWith('TypeError'), 'the error, without a refresh');
    assert.equal(error.label, 'TypeError: name?.trim is not a function');
    assert.match(error.description, /^once · (?:1 user · )?(?:now|\d+ seconds? ago)$/);
    await view.toggleRow(error.label);
    const frame = await view.untilRow(({ label }) => label === 'greet', 'the frame that failed');
    assert.equal(frame.description, `greet.js:${LINE}`);
    await view.clickRow('greet');
    const position = workbench.page.locator('.statusbar-item', { hasText: `Ln ${LINE}, Col ${COLUMN}` });
    await position.waitFor();
    const tab = workbench.page.locator('.tab.active');
    assert.equal(await tab.getAttribute('data-resource-name'), 'greet.js');

    await view.chooseInMenuOfRow(error.label, 'Resolve');
    await view.untilWelcome((text) => text.includes('No unresolved errors'), 'resolved');
    assert.deepEqual(await workbench.toasts(), []);
  });
});
