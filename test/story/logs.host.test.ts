import assert from 'node:assert/strict';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';

describe('the log commands', () => {
  let editor: Editor;
  before(async () => {
    editor = await openEditor({ userSettings: { 'signalbox.local.seed': 'none' } });
  });
  after(async () => {
    await editor?.close();
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('the log commands show in the Output panel what the extension and the local server logged', async () => {
    const { workbench } = editor;
    await workbench.untilStatus('signalbox.status', (text) => text === 'Signalbox: stopped', 'activated');
    await workbench.run('Signalbox: Start Local Server');
    await workbench.untilStatus('signalbox.status', (text) => text.includes('signed out'), 'server runs');

    await workbench.run('Signalbox: Show Log');
    const lines = await workbench.untilOutput(
      (all) => all.some((line) => line.includes('Local server: running')),
      'the log line of the running local server',
    );
    // VS Code prefixes each line of an extension with time and level.
    assert.match(lines.find((line) => line.includes('Local server: running')) ?? '', /^\d{4}-\d\d-\d\d [\d:.]{12} \[info\] /);

    await workbench.run('Signalbox: Show Local Server Log');
    await workbench.untilOutput(
      (all) => all.some((line) => /\[info\] .*127\.0\.0\.1:\d+/.test(line)),
      'a line of the local server with its address',
    );
  });
});
