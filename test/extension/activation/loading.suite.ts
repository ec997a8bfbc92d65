import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import path from 'node:path';
import { extensionFolder, loadedBundles, reset, start } from '../../support/host/suite/extension.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';

describe('the main bundle of the extension', () => {
  beforeEach(async () => {
    await start();
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'activated');
  });
  afterEach(reset);

  it('the main bundle of the extension is not loaded before a view is opened if the extension was never used', async () => {
    assert.deepEqual(loadedBundles(), ['extension']);
    const view = await workbench.openView('My Activity');
    await view.untilWelcome((text) => /start (the )?local server/i.test(text), 'welcome text');
    await until(loadedBundles, (names) => names.includes('app'), 'the bundle');
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'welcome text unchanged');
  });

  it('the main bundle of the extension is loaded when the first command runs', async () => {
    assert.deepEqual(loadedBundles(), ['extension']);
    await workbench.run('Signalbox: Copy Diagnostics');
    await until(workbench.clipboard, (text) => text.includes('diagnostics'), 'the report');
    assert.deepEqual(loadedBundles(), ['app', 'diagnostics', 'extension']);
  });

  it('the main bundle of the extension causes an error message when it cannot be loaded', async () => {
    const bundle = path.join(extensionFolder(), 'app.js');
    renameSync(bundle, `${bundle}.removed`);
    try {
      await workbench.run('Signalbox: Select Instance…');
      const { message } = await workbench.untilToast(() => true, 'a message');
      assert.match(message, /^Signalbox could not be loaded\. Reload the window/);
      assert.equal((await workbench.toasts()).length, 1);
    } finally {
      renameSync(`${bundle}.removed`, bundle);
    }
  });
});
