import assert from 'node:assert/strict';
import { type Editor, observed, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { until } from '../support/until.ts';

describe('a new user of VS Code', () => {
  let editor: Editor;
  before(async () => {
    editor = await openEditor();
  });
  after(async () => {
    await editor?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('a new user of VS Code can open every view without a message, a dialog or a request to any host, and the main bundle is loaded only then', async () => {
    const { workbench } = editor;
    // The extension is active once its status bar entry is shown.
    await workbench.untilStatus('signalbox.status', (text) => text === 'Signalbox: stopped', 'activated');
    assert.deepEqual(bundles(), ['extension']);
    for (const title of ['My Activity', 'Project Activity']) {
      const view = await workbench.openView(title);
      await view.untilWelcome((text) => /start (the )?local server/i.test(text), 'welcome text');
      assert.deepEqual(await view.rows(), []);
    }
    await until(bundles, (names) => names.includes('app'), 'the main bundle');
    await workbench.untilStatus('signalbox.status', (text) => text === 'Signalbox: stopped', 'welcome text unchanged');
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.countDialogs(), 0);
    assert.deepEqual(observed('connections'), ['extension host']);
    assert.deepEqual([...editor.foreignHosts], []);
  });
});

/** Returns the names of the bundles that the extension has loaded, in alphabetical order. */
function bundles(): readonly string[] {
  return [...new Set(observed('modules'))].toSorted();
}
