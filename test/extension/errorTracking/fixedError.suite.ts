import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import { npmPackages, orSkip } from '../../support/clientSuite.ts';
import { testEnvironment } from '../../support/environment.ts';
import { failInPython, installPythonSdk, PYTHON_FAILURE, writeFailingProgram } from '../../support/host/failingProgram.ts';
import { errorPage, lensesOf, trackErrorsOf } from '../../support/host/suite/errors.ts';
import { start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { startLocally } from '../../support/host/suite/signIn.ts';
import type { View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const CLIENTS = path.join(import.meta.dirname, '../../clients');
/** A project of the demo user without error tracking. */
const PROJECT = { path: 'amara/billing', name: 'Billing' } as const;

/** Programs that fail, in the folder that is open. */
const PYTHON = { ...PYTHON_FAILURE, name: 'ship' };
const NODE = {
  file: 'quay.mjs',
  name: 'quay',
  type: 'RangeError',
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

describe('an error of a program that is fixed', () => {
  let view: View;
  let dsn: string;
  let python: string;
  let node: string;
  before(async function (this: Context) {
    [python, node] = await orSkip(this, Promise.all([installPythonSdk(), npmPackages(path.join(CLIENTS, 'node/sentry'))]));
    writeFailingProgram(workspaceFolder());
    workbench.writeFile(NODE.file, NODE.source);
    await start({ settings: { 'signalbox.errorMarks.codeLens': true } });
    await startLocally();
    view = await workbench.openView('Tracked Errors');
    dsn = await trackErrorsOf(PROJECT, view);
  });
  afterEach(() => workbench.clear());

  for (const [language, program, crash] of [
    ['Python', PYTHON, crashPython],
    ['Node.js', NODE, crashNode],
  ] as const) {
    it(`marks its line, is fixed and resolved, stays resolved for its release, and comes back with a newer one (${language})`, async () => {
      await crash(`${program.name}@1.0.0`);
      const row = await view.untilRow(({ label }) => label === program.type, 'the error, without a refresh');
      assert.match(row.name, /^New, /);
      await until(workbench.badge, (text) => text.includes('new error'), 'a badge for the new error');
      const { document } = await workbench.openFile(program.file);
      await until(
        () => lensesOf(document),
        (titles) => titles.some((title) => title.includes('1 event')),
        'the marked line',
      );

      await view.clickRowAction(program.type, 'Show Error');
      const page = await errorPage(program.type);
      const { event } = await page.untilShown((state) => state.event !== null, 'the error');
      assert.ok(JSON.stringify(event).includes(program.file));
      page.send({ type: 'action', action: 'resolveInNextRelease' });
      await page.untilShown(({ fix }) => fix?.kind === 'waiting', 'what comes next');
      await view.untilRows((rows) => !rows.some(({ label }) => label === program.type), 'no row');

      await crash(`${program.name}@1.0.0`);
      page.send({ type: 'refresh' });
      const { detail } = await page.untilShown((state) => state.detail.count === 2, 'the second event of the same release');
      assert.match(detail.status, /^resolved/);

      await crash(`${program.name}@1.1.0`);
      await page.untilShown(
        ({ fix }) => fix?.kind === 'cameBack' && fix.release === `${program.name}@1.1.0`,
        'the regression, without a refresh',
      );
      const back = await view.untilRow(({ label }) => label === program.type, 'the error that came back');
      assert.match(back.name, /^New, /);
      page.send({ type: 'action', action: 'resolve' });
      await page.untilShown((state) => state.detail.status === 'resolved', 'resolved again');
      page.close();
    });
  }

  function crashPython(release: string): Promise<void> {
    return failInPython(workspaceFolder(), python, dsn, release);
  }

  async function crashNode(release: string): Promise<void> {
    const running = promisify(execFile)(process.execPath, [NODE.file, path.join(node, 'package.json'), dsn, release], {
      cwd: workspaceFolder(),
      env: testEnvironment(),
    });
    await assert.rejects(running, /no such quay/);
  }
});
