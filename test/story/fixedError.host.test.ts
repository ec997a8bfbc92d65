import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import type { FrameLocator } from 'playwright-core';
import { testEnvironment } from '../support/environment.ts';
import { MissingDependency, npmPackages, pythonPackages } from '../support/clientSuite.ts';
import { errorPage, markedLines, trackErrorsOf, untilErrorText, viewsBadge } from '../support/host/errorViews.ts';
import { pictures } from '../support/host/pictures.ts';
import { startLocally } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { View } from '../support/host/view.ts';
import { THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const ROOT = path.join(import.meta.dirname, '../..');
/** A project of the demo user without error tracking. */
const PROJECT = 'Billing';

/** Programs that fail, in the folder that is open. */
const PYTHON = {
  file: 'ship.py',
  name: 'ship',
  type: 'AttributeError',
  code: "return order['crane'].lift()",
  source: `import sys

import sentry_sdk


def load(order):
    return order['crane'].lift()


sentry_sdk.init(dsn=sys.argv[1], release=sys.argv[2])
load({'id': 7, 'crane': None})
`,
};
const NODE = {
  file: 'quay.mjs',
  name: 'quay',
  type: 'RangeError',
  code: "throw new RangeError('no such quay');",
  source: `import { createRequire } from 'node:module';

const [, , packages, dsn, release] = process.argv;
const { init } = createRequire(packages)('@sentry/node');
init({ dsn, release });

function berth() {
  throw new RangeError('no such quay');
}
setTimeout(berth);
`,
};

describe('an error of a program', () => {
  let editor: Editor;
  let workbench: Workbench;
  let view: View;
  let container: string;
  let workspace: string;
  let dsn: string;
  let python: string;
  let node: string;
  before(async function (this: Context) {
    try {
      [python, node] = await Promise.all([
        pythonPackages(path.join(ROOT, 'test/clients/python/sentry/requirements.txt')),
        npmPackages(path.join(ROOT, 'test/clients/node/sentry')),
      ]);
    } catch (error) {
      if (!(error instanceof MissingDependency)) throw error;
      console.log(`skipped: ${error.message}`);
      this.skip();
    }
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-fixed-'));
    workspace = path.join(container, 'open');
    cpSync(path.join(ROOT, 'media/demo-workspace'), workspace, { recursive: true });
    for (const { file, source } of [PYTHON, NODE]) writeFileSync(path.join(workspace, file), source);
    editor = await openEditor({ workspace, userSettings: { ...THEME_SETTINGS, 'editor.minimap.enabled': false } });
    workbench = editor.workbench;
    await workbench.openContainer();
    await startLocally(workbench);
    view = await workbench.openView('Tracked Errors');
    dsn = await trackErrorsOf(PROJECT, workbench, view);
  });
  after(async () => {
    await editor?.close();
    if (container !== undefined) rmSync(container, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

  beforeEach(async () => {
    // VS Code does not know that the window has the focus after a panel that had it was closed.
    await workbench.run('View: Focus into Primary Side Bar');
    await view.toStart();
  });

  for (const [language, program, crash] of [
    ['Python', PYTHON, crashPython],
    ['Node.js', NODE, crashNode],
  ] as const) {
    it(`marks its line, is fixed and resolved, stays resolved for its release, and comes back with a newer one (${language})`, async () => {
      await crash(`${program.name}@1.0.0`);
      const row = await view.untilRow(({ label }) => label === program.type, 'the error, without a refresh');
      assert.match(row.name, /^New, /);
      await until(
        () => viewsBadge(workbench),
        (text) => text.includes('new error'),
        'a badge for the new error',
      );
      await workbench.openFile(program.file);
      await until(
        () => markedLines(workbench),
        (all) => all.some(({ code, text }) => code.includes(program.code) && text.startsWith('1 event · ')),
        'the marked line',
      );

      await view.clickRowAction(program.type, 'Show Error');
      await untilText('h1', (text) => text.startsWith(`${program.type}: `), 'the error');
      await page().locator('.frame', { hasText: program.file }).first().waitFor();
      await page().getByRole('button', { name: 'Resolve in Next Release', exact: true }).click();
      await untilText('.notice', (text) => text.includes('shows that the fix works'), 'what comes next');
      await view.untilRows((rows) => !rows.some(({ label }) => label === program.type), 'no row');

      await crash(`${program.name}@1.0.0`);
      await page().getByRole('button', { name: 'Refresh', exact: true }).click();
      await untilText('.numbers', (text) => /\b2\b/.test(text), 'the second event of the same release');
      await untilText('.badges', (text) => text.includes('Resolved'), 'still resolved');

      await crash(`${program.name}@1.1.0`);
      await untilText(
        '.notice',
        (text) => text.includes(`The error came back in release ${program.name}@1.1.0.`),
        'the regression',
      );
      const back = await view.untilRow(({ label }) => label === program.type, 'the error that came back');
      assert.match(back.name, /^New, /);
      await pictures(workbench, `back-${language}`);
      await page().getByRole('button', { name: 'Resolve', exact: true }).click();
      await untilText('.badges', (text) => text.includes('Resolved'), 'resolved again');
      await workbench.run('View: Close All Editors');
    });
  }

  async function crashPython(release: string): Promise<void> {
    const env = testEnvironment(['python3'], { PYTHONPATH: python, PYTHONDONTWRITEBYTECODE: '1' });
    const running = promisify(execFile)('python3', [PYTHON.file, dsn, release], { cwd: workspace, env });
    await assert.rejects(running, /object has no attribute 'lift'/);
  }

  async function crashNode(release: string): Promise<void> {
    const running = promisify(execFile)(process.execPath, [NODE.file, path.join(node, 'package.json'), dsn, release], {
      cwd: workspace,
      env: testEnvironment(),
    });
    await assert.rejects(running, /no such quay/);
  }

  function page(): FrameLocator {
    return errorPage(workbench);
  }

  function untilText(selector: string, has: (text: string) => boolean, what: string): Promise<void> {
    return untilErrorText(workbench, selector, has, what);
  }
});
