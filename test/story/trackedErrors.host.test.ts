import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import { testEnvironment } from '../support/environment.ts';
import { MissingDependency, npmPackages } from '../support/clientSuite.ts';
import { viewsBadge } from '../support/host/errorViews.ts';
import { startLocally } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { View } from '../support/host/view.ts';
import type { Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const DEMO = path.join(ROOT, 'media/demo-workspace');
const SDK = path.join(ROOT, 'test/clients/node/sentry');
/** A project of the demo user without error tracking. */
const PROJECT = { path: 'amara/billing', name: 'Billing' } as const;
/** Position of `name?.trim()` in the demo workspace's greet.js. */
const [LINE, COLUMN] = [3, 26];

describe('tracked errors of an application', () => {
  let editor: Editor;
  let workbench: Workbench;
  let view: View;
  let container: string;
  let packages: string;
  before(async function (this: Context) {
    try {
      packages = await npmPackages(SDK);
    } catch (error) {
      if (!(error instanceof MissingDependency)) throw error;
      console.log(`skipped: ${error.message}`);
      this.skip();
    }
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-errors-'));
    for (const location of ['open', 'deployed/demo']) cpSync(DEMO, path.join(container, location), { recursive: true });
    editor = await openEditor({ workspace: path.join(container, 'open') });
    workbench = editor.workbench;
    await workbench.openView('My Activity');
    await startLocally(workbench);
    view = await workbench.openView('Tracked Errors');
    // Only visible rows are painted, so this view gets the space of the others.
    for (const title of ['My Activity', 'Project Activity']) await workbench.view(title).collapse();
    await view.untilWelcome((text) => text.includes('Select a project'), 'no project');
  });
  after(async () => {
    await editor?.close();
    if (container !== undefined) rmSync(container, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('tracked errors appear automatically when error tracking is enabled, open the line that failed, and can be resolved', async () => {
    await workbench.run('Signalbox: Select Project…');
    await workbench.choose(PROJECT.name);
    await view.untilWelcome((text) => text.includes('Error tracking is disabled'), 'error tracking disabled');
    await view.clickWelcomeButton('Enable Error Tracking');
    await until(view.message, (text) => text.startsWith('No unresolved errors'), 'no errors yet');
    assert.ok((await view.description()).includes(PROJECT.path));
    await workbench.setClipboard('');
    await workbench.clickToast('Error tracking enabled', 'Create Client Key');
    await workbench.clickToast(' created for ', 'Copy DSN');
    const dsn = await until(workbench.clipboard, (text) => text.includes('glet_'), 'a DSN');
    await workbench.clear();

    const program = [path.join(import.meta.dirname, 'crash.mjs'), path.join(packages, 'package.json'), dsn];
    const file = path.join(container, 'deployed/demo/greet.js');
    await assert.rejects(
      promisify(execFile)(process.execPath, [...program, file], { env: testEnvironment() }),
      /name\?\.trim is not a function/,
    );

    const error = await view.untilRow(({ label }) => label.startsWith('TypeError'), 'the error, without a refresh');
    assert.equal(error.label, 'TypeError');
    assert.match(
      error.description,
      /^● · .*greet.* · name\?\.trim is not a function · 1 event · (?:1 user · )?(?:now|\d+ seconds? ago)$/,
    );
    assert.match(error.name, /^New, TypeError: name\?\.trim is not a function, /);
    await until(
      () => viewsBadge(workbench),
      (text) => text.includes('1 new error'),
      'a badge for the new error',
    );
    await view.toggleRow(error.label);
    await view.untilRow(({ label, description }) => label === error.label && !description.startsWith('●'), 'read once opened');
    await until(
      () => viewsBadge(workbench),
      (text) => !text.includes('new error'),
      'no badge for an error that was opened',
    );
    const frame = await view.untilRow(({ label }) => label === 'greet', 'the frame that failed');
    assert.equal(frame.description, `greet.js:${LINE}`);
    await view.clickRow('greet');
    const position = workbench.page.locator('.statusbar-item', { hasText: `Ln ${LINE}, Col ${COLUMN}` });
    await position.waitFor();
    const tab = workbench.page.locator('.tab.active');
    assert.equal(await tab.getAttribute('data-resource-name'), 'greet.js');

    await view.chooseFromRowMenu(error.label, 'Resolve Error');
    await until(view.message, (text) => text.startsWith('No unresolved errors'), 'resolved');
    await workbench.clickToast('Resolved: TypeError: name?.trim is not a function', 'Undo');
    await view.untilRow(({ label }) => label === error.label, 'unresolved again');
    await view.chooseFromRowMenu(error.label, 'Resolve Error');
    await until(view.message, (text) => text.startsWith('No unresolved errors'), 'resolved again');
    assert.deepEqual(
      (await workbench.toasts()).map(({ severity, buttons }) => [severity, buttons]),
      [['info', ['Undo']]],
    );
    await workbench.clear();

    await view.chooseFromRowMenu('Client Keys', 'Disable Error Tracking…');
    assert.equal((await workbench.dialog('')).message, `Disable error tracking for ${PROJECT.path}?`);
    await workbench.clickDialogButton('Disable');
    await view.untilWelcome((text) => text.includes('Error tracking is disabled'), 'error tracking disabled again');
    await workbench.clear();
  });
});
