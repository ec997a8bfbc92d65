import assert from 'node:assert/strict';
import { renameSync } from 'node:fs';
import path from 'node:path';
import { type Editor, observed, openEditor, screenshotsOfFailure } from '../../support/host/vscode.ts';
import type { Workbench } from '../../support/host/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';

describe('the main bundle of the extension', () => {
  let editor: Editor;
  let workbench: Workbench;
  beforeEach(async () => {
    editor = await openEditor();
    workbench = editor.workbench;
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'activated');
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async () => {
    await editor?.close();
  });

  it('the main bundle of the extension is not loaded before a view is opened if the extension was never used', async () => {
    assert.deepEqual(loaded(), ['extension']);
    const view = await workbench.openView('My Activity');
    await view.untilWelcome((text) => /start (the )?local server/i.test(text), 'welcome text');
    await until(loaded, (names) => names.includes('app'), 'the bundle');
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'welcome text unchanged');
  });

  it('the main bundle of the extension is loaded when the first command runs', async () => {
    assert.deepEqual(loaded(), ['extension']);
    await workbench.run('Signalbox: Copy Diagnostics');
    await until(workbench.clipboard, (text) => text.includes('diagnostics'), 'the report');
    assert.deepEqual(loaded(), ['app', 'diagnostics', 'extension']);
  });

  it('the main bundle of the extension causes an error message when it cannot be loaded', async () => {
    const bundle = path.join(editor.extension, 'app.js');
    renameSync(bundle, `${bundle}.removed`);
    try {
      await workbench.run('Signalbox: Select Instance…');
      const [toast] = await until(workbench.toasts, (toasts) => toasts.length > 0, 'a message');
      assert.match(toast?.message ?? '', /^Signalbox could not be loaded\. Reload the window/);
      assert.equal((await workbench.toasts()).length, 1);
    } finally {
      renameSync(`${bundle}.removed`, bundle);
    }
  });

  function loaded(): readonly string[] {
    return [...new Set(observed('modules'))].toSorted();
  }
});
