import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DIST, type Editor, openEditor } from '../../support/host/vscode.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';

describe('the main bundle of the extension', () => {
  let folder: string;
  let editor: Editor | undefined;
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-modules-'));
  });
  afterEach(async () => {
    await editor?.close();
    editor = undefined;
    rmSync(folder, { recursive: true, force: true });
  });

  async function openWatched(extension = DIST): Promise<{ readonly opened: Editor; readonly loaded: () => readonly string[] }> {
    const file = path.join(folder, 'modules');
    const preload = path.resolve(import.meta.dirname, '../../support/host/modules.mjs');
    const opened = await openEditor({ extension, env: { MODULES_FILE: file }, nodeArguments: [`--import=${preload}`] });
    editor = opened;
    const loaded = () => [...new Set(readFileSync(file, 'utf8').split('\n').filter(Boolean))].toSorted();
    return { opened, loaded };
  }

  it('the main bundle of the extension is not loaded before a view is opened if the extension was never used', async () => {
    const { opened, loaded } = await openWatched();
    const { workbench } = opened;
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'activated');
    assert.deepEqual(loaded(), ['extension']);
    const view = await workbench.openView('My Activity');
    await view.untilWelcome((text) => /start (the )?local server/i.test(text), 'welcome text');
    await until(
      () => Promise.resolve(loaded()),
      (names) => names.includes('app'),
      'the bundle',
    );
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'welcome text unchanged');
  });

  it('the main bundle of the extension is loaded when the first command runs', async () => {
    const { opened, loaded } = await openWatched();
    const { workbench } = opened;
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'activated');
    assert.deepEqual(loaded(), ['extension']);
    await workbench.run('Signalbox: Copy Diagnostics');
    await until(workbench.clipboard, (text) => text.includes('diagnostics'), 'the report');
    assert.deepEqual(loaded(), ['app', 'diagnostics', 'extension']);
  });

  it('the main bundle of the extension causes an error message when it cannot be loaded', async () => {
    const broken = path.join(folder, 'broken');
    cpSync(DIST, broken, { recursive: true });
    rmSync(path.join(broken, 'app.js'));
    const { opened } = await openWatched(broken);
    const { workbench } = opened;
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'activated');
    await workbench.run('Signalbox: Select Instance…');
    const [toast] = await until(workbench.toasts, (toasts) => toasts.length > 0, 'a message');
    assert.match(toast?.message ?? '', /^Signalbox could not be loaded\. Reload the window/);
    assert.equal((await workbench.toasts()).length, 1);
  });
});
