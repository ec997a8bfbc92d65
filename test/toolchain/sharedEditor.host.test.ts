import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startLocally } from '../support/host/signIn.ts';
import { outputOf, TERMINAL_SETTINGS, untilPrompt } from '../support/host/terminal.ts';
import { type Editor, openEditor } from '../support/host/vscode.ts';

const STATUS = 'signalbox.status';

describe('the VS Code that tests share', () => {
  let folder: string;
  let editor: Editor | undefined;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-shared-'));
  });
  afterEach(async () => {
    await editor?.close();
    editor = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  it('the VS Code that tests share is that of a new user after the editor before was closed', async () => {
    writeFileSync(path.join(folder, 'left.txt'), 'left open');
    editor = await openEditor({
      workspace: folder,
      language: 'de',
      userSettings: { ...TERMINAL_SETTINGS, 'signalbox.local.seed': 'none' },
    });
    await editor.workbench.openFile('left.txt');
    await editor.workbench.run('Signalbox: Lokalen Server starten');
    await editor.workbench.untilStatus(STATUS, (text) => text === 'Signalbox: abgemeldet', 'signed out');
    await editor.close();

    editor = await openEditor();
    const { workbench, userDataDir } = editor;
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'activated');
    assert.equal(await workbench.page.locator('.tab').count(), 0);
    assert.deepEqual(await workbench.toasts(), []);
    assert.equal(await workbench.savedSecrets(), null);
    assert.ok(!existsSync(path.join(userDataDir, 'data', 'User', 'globalStorage', 'signalbox.signalbox', 'local')));
    assert.ok(!readFileSync(editor.host.settingsFile, 'utf8').includes('signalbox.local.seed'));
  });

  it('the VS Code that tests share reports what an editor leaves when it is closed: a program, a file and a secret in plain text', async () => {
    editor = await openEditor({ userSettings: TERMINAL_SETTINGS });
    const { workbench, userDataDir } = editor;
    await startLocally(workbench);
    await workbench.run('Terminal: Create New Terminal');
    await untilPrompt(workbench);
    const program = await outputOf(workbench, 'sleep 987654 >/dev/null 2>&1 & echo $!', path.join(folder, 'pid'));
    try {
      // Everything that the extension has received, with its tokens.
      copyFileSync(path.join(userDataDir, '..', 'responses'), path.join(userDataDir, 'strange'));
      await assert.rejects(editor.close(3_000), ({ message }: Error) => {
        assert.match(message, /has left something: .*sleep 987654/);
        assert.match(message, /contains a secret \(/);
        assert.match(message, /strange \d+$/);
        return true;
      });
    } finally {
      process.kill(Number(program), 'SIGKILL');
      editor = undefined;
    }
  });
});
