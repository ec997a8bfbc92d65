import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import type { Locator } from 'playwright-core';
import { testEnvironment } from '../support/environment.ts';
import { MissingDependency, pythonPackages } from '../support/clientSuite.ts';
import { trackErrorsOf } from '../support/host/errorViews.ts';
import { picture, pictures } from '../support/host/pictures.ts';
import { startLocally } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { View } from '../support/host/view.ts';
import { THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const SDK = path.join(ROOT, 'test/clients/python/sentry/requirements.txt');
/** Fails in `load`, with a breadcrumb before it. */
const PROGRAM = `import sys

import sentry_sdk


def load(order):
    return order['crane'].lift()


sentry_sdk.init(dsn=sys.argv[1], release='ship@1.0.0', environment='test')
sentry_sdk.add_breadcrumb(category='lamp', message='Lamp 7 was lit')
load({'id': 7, 'crane': None})
`;
/** A project of the demo user without error tracking. */
const PROJECT = 'Billing';

describe('the replay of an error in the debugger', () => {
  let editor: Editor;
  let workbench: Workbench;
  let view: View;
  let container: string;
  before(async function (this: Context) {
    let packages: string;
    try {
      packages = await pythonPackages(SDK);
    } catch (error) {
      if (!(error instanceof MissingDependency)) throw error;
      console.log(`skipped: ${error.message}`);
      this.skip();
    }
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-replay-'));
    const workspace = path.join(container, 'open');
    cpSync(path.join(ROOT, 'media/demo-workspace'), workspace, { recursive: true });
    writeFileSync(path.join(workspace, 'ship.py'), PROGRAM);
    editor = await openEditor({ workspace, userSettings: { ...THEME_SETTINGS, 'editor.minimap.enabled': false } });
    workbench = editor.workbench;
    await workbench.openContainer();
    await startLocally(workbench);
    view = await workbench.openView('Tracked Errors');
    const dsn = await trackErrorsOf(PROJECT, workbench, view);
    const env = testEnvironment(['python3'], { PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: '1' });
    await assert.rejects(
      promisify(execFile)('python3', ['ship.py', dsn], { cwd: workspace, env }),
      /object has no attribute 'lift'/,
    );
    await view.untilRow(({ label }) => label === 'AttributeError', 'the error of the program');
  });
  after(async () => {
    await editor?.close();
    if (container !== undefined) rmSync(container, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

  beforeEach(async () => {
    await workbench.openContainer();
  });

  it('stops at the crash of a real program with its variables, steps back to a breadcrumb, and ends', async () => {
    await view.chooseFromRowMenu('AttributeError', 'Replay Error in Debugger');
    const frame = rowOf('.debug-call-stack', 'load');
    await frame.waitFor();
    assert.match(await frame.innerText(), /ship\.py/);
    await rowOf('.debug-variables', 'Captured Variables').waitFor();
    const variable = rowOf('.debug-variables', 'order');
    await variable.waitFor();
    assert.match((await variable.innerText()).replaceAll('\n', ''), /order *[:=] *\{id: .*7.*, crane: /);
    assert.equal(await workbench.page.locator('.tab.active').getAttribute('data-resource-name'), 'ship.py');
    await pictures(workbench, 'replay');

    await workbench.page
      .locator('.debug-toolbar')
      .getByRole('button', { name: /^Step Back/ })
      .click();
    await rowOf('.debug-call-stack', 'lamp: Lamp 7 was lit').first().waitFor();
    await rowOf('.debug-variables', 'Breadcrumb').waitFor();
    await picture(workbench, 'replay-breadcrumb');
    await workbench.run('Debug: Continue');
    await frame.waitFor();

    await workbench.run('Debug: Stop');
    await workbench.page.locator('.debug-toolbar').waitFor({ state: 'hidden' });
  });

  /** Returns the rows of a view of the debugger that contain a text. */
  function rowOf(viewClass: string, text: string): Locator {
    return workbench.page.locator(`${viewClass} .monaco-list-row`, { hasText: text }).first();
  }
});
