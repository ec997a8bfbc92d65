import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Context } from 'mocha';
import type { BrowserContext } from 'playwright-core';
import { targetOfMachine } from '../../scripts/packageContents.ts';
import { type Host, type HostOptions, installPackage, launchHost, uninstallPackage } from '../../scripts/vscode-host.ts';
import { testEnvironment } from '../support/environment.ts';
import { openContext } from '../support/host/browser.ts';
import { pictures } from '../support/host/pictures.ts';
import { DEMO_USER } from '../support/host/platform.ts';
import { sharedBrowser } from '../support/host/sharedBrowser.ts';
import { CONTAINER } from '../support/host/vscode.ts';
import { openWorkbench, THEME_SETTINGS } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const STATUS = 'signalbox.status';
/** What README.md says: logs of VS Code, and the compiled code of the server. VS Code itself deletes the data of the local server. */
const LEFT: readonly string[] = ['data/data/logs/TIME/exthost1/signalbox.signalbox', 'person/.cache/signalbox'];

describe('the packaged extension', () => {
  let home: string;
  let host: Host | undefined;
  let context: BrowserContext | undefined;
  before(() => {
    home = mkdtempSync(path.join(os.tmpdir(), 'signalbox-package-'));
  });
  after(async () => {
    await context?.close();
    await host?.stop();
    rmSync(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  });

  it('the packaged extension is installed into a new VS Code, signs in to its local server, and leaves only what README.md says', async function (this: Context) {
    if (targetOfMachine() === undefined) return this.skip();
    const [userDataDir, extensionsDir, person, workspace] = ['data', 'extensions', 'person', 'workspace'].map((name) => {
      const folder = path.join(home, name);
      mkdirSync(folder);
      return folder;
    }) as [string, string, string, string];
    const script = path.join(ROOT, 'scripts/package.ts');
    const { status, stderr } = spawnSync(process.execPath, [script, '--no-build', '--out', home], {
      encoding: 'utf8',
      env: testEnvironment(),
    });
    assert.equal(status, 0, stderr);
    const [file = ''] = globSync('*.vsix', { cwd: home });
    const environment = testEnvironment(['git'], { HOME: person });
    installPackage(path.join(home, file), { userDataDir, extensionsDir, environment });

    const options: HostOptions = {
      version: 'current',
      workspace,
      userDataDir,
      extensionsDir,
      userSettings: THEME_SETTINGS,
      environment,
      env: { EXTENSIONS_GALLERY: '{}' },
    };
    host = await launchHost(options);
    context = await openContext(await sharedBrowser());
    const workbench = await openWorkbench(context, host.url, CONTAINER);
    await workbench.run('Signalbox: Start Local Server');
    await workbench.run('Signalbox: Sign In as Demo User…');
    await workbench.choose(DEMO_USER.name);
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in');
    const mine = await workbench.openView('My Activity');
    await mine.untilRows((rows) => rows.some(({ level }) => level === 2), 'events');

    await workbench.run('Extensions: Show Installed Extensions');
    await workbench.page.locator('.extension-list-item', { hasText: 'Signalbox' }).first().click();
    const page = workbench.page.frameLocator('iframe.webview.ready').frameLocator('iframe');
    await page.getByRole('heading', { level: 1, name: 'Signalbox' }).waitFor();
    assert.equal(await page.getByRole('img').count(), 0, 'VS Code shows no images of a package');
    await pictures(workbench, 'package');

    assert.ok(traces(home).includes('data/data/User/globalStorage/signalbox.signalbox'), 'the data of the local server');
    await workbench.run('Signalbox: Stop Local Server');
    await workbench.untilStatus(STATUS, (text) => text.includes('stopped'), 'server stopped');
    await context.close();
    await host.stop();
    uninstallPackage('signalbox.signalbox', { userDataDir, extensionsDir, environment });

    // VS Code deletes the files of the extension when it starts the next time.
    host = await launchHost(options);
    await until(
      async () => readdirSync(extensionsDir),
      (names) => !names.some((name) => name.startsWith('signalbox')),
      'deleted',
    );
    assert.deepEqual(traces(home), LEFT);
  });
});

/** Returns the outermost files and folders below a folder whose names contain that of the extension, except packages. */
function traces(folder: string): readonly string[] {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => /signalbox[^/]*$/.test(name) && !/signalbox[^/]*\//.test(name) && !name.endsWith('.vsix'));
  return found.map((name) => name.replace(/\d{8}T\d{6}/, 'TIME')).toSorted();
}
