import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Editor, openEditor } from '../support/host/vscode.ts';

describe('a new user of VS Code', () => {
  let folder: string;
  let connections: string;
  let editor: Editor;
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-connections-'));
    connections = path.join(folder, 'connections');
    const preload = path.resolve(import.meta.dirname, '../support/host/connections.mjs');
    editor = await openEditor({ env: { CONNECTIONS_FILE: connections }, nodeArguments: [`--import=${preload}`] });
  });
  after(async () => {
    await editor?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('a new user of VS Code can open every view without a message, a dialog or a request to any host', async () => {
    const { workbench } = editor;
    for (const title of ['My Activity', 'Project Activity']) {
      const view = await workbench.openView(title);
      await view.untilWelcome((text) => /start (the )?local server/i.test(text), 'welcome text');
      assert.deepEqual(await view.rows(), []);
    }
    // The extension is active once its status bar entry is shown.
    await workbench.untilStatus('signalbox.status', (text) => text === 'Signalbox: stopped', 'activated');
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.countDialogs(), 0);
    assert.deepEqual(readFileSync(connections, 'utf8').split('\n').filter(Boolean), ['extension host']);
    assert.deepEqual([...editor.foreignHosts], []);
  });
});
