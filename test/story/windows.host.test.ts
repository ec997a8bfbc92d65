import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { CONTAINER, type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { openWorkbench, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
const RUNS = (text: string): boolean => text.includes('signed out');

describe('two windows of VS Code', () => {
  let editor: Editor;
  let first: Workbench;
  let second: Workbench;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-second-'));
    editor = await openEditor({ userSettings: { 'signalbox.local.seed': 'none' } });
    first = editor.workbench;
    const url = new URL(editor.host.url);
    url.searchParams.set('folder', folder);
    second = await openWorkbench(editor.context, url.href, CONTAINER);
    for (const window of [first, second]) await window.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'activated');
  });
  after(async () => {
    await editor?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('two windows of VS Code share one local server and its data, and the server keeps running when the window that started it is closed', async () => {
    await first.run('Signalbox: Start Local Server');
    await first.untilStatus(STATUS, RUNS, 'server runs');
    await second.run('Signalbox: Start Local Server');
    await second.untilStatus(STATUS, RUNS, 'attached');
    const shared = await locatorOf('default');

    await first.untilSaved(/"local\.wasRunning":true/);
    const { ended } = await connectionEnd(shared.origin);
    await close(first);
    await ended;
    await until(
      async () => pidOf('default'),
      (pid) => pid !== undefined && pid !== shared.pid,
      'restarted by the other window',
    );
    await second.untilStatus(STATUS, RUNS, 'still running');
    const taken = await locatorOf('default');
    assert.deepEqual([taken.origin, taken.instanceId], [shared.origin, shared.instanceId]);

    // A window that had the server before finds it again automatically.
    first = await openWorkbench(editor.context, editor.host.url, CONTAINER);
    await first.untilStatus(STATUS, RUNS, 'attached automatically');
    assert.equal((await locatorOf('default')).pid, taken.pid);

    // The window that resets owns the new server; the other one finds it there.
    await first.run('Signalbox: Reset Local Server…');
    const asked = await first.dialog('Reset data profile');
    assert.match(`${asked.message} ${asked.detail}`, /“default”.*snapshot.*This server was started by another window/s);
    await first.clickDialogButton('Reset');
    await first.untilToast(({ message }) => message.includes('was reset'), 'reset');
    await first.clear();
    await second.untilStatus(STATUS, RUNS, 'attached to the new server');
    const afterReset = await locatorOf('default');
    assert.equal(afterReset.origin, shared.origin);
    assert.notEqual(afterReset.instanceId, shared.instanceId);

    await second.run('Signalbox: Restore Local Server Snapshot…');
    const [snapshot = ''] = await second.choices();
    await second.choose(snapshot);
    const question = await second.dialog('Restore snapshot');
    assert.match(`${question.message} ${question.detail}`, /“default”.*All data.*This server was started by another window/s);
    await second.clickDialogButton('Restore');
    await second.untilToast(({ message }) => message.includes('was restored from snapshot'), 'restored');
    await second.clear();
    assert.equal((await locatorOf('default')).instanceId, shared.instanceId);
    await first.untilStatus(STATUS, RUNS, 'attached again automatically');

    await first.run('Signalbox: Select Data Profile…');
    await first.choose('New data profile…');
    await first.fillInput('work');
    const work = await locatorOf('work');
    assert.notEqual(work.instanceId, shared.instanceId);
    await until(
      async () => pidOf('default'),
      (pid) => pid === undefined,
      'the server of the other profile has stopped',
    );
    for (const window of [first, second]) await window.untilStatus(STATUS, RUNS, 'attached to the server of the profile');

    await close(first);
    await second.untilStatus(STATUS, RUNS, 'still attached');
    await close(second);
    await until(
      async () => pidOf('work'),
      (pid) => pid === undefined,
      'the server has stopped with its windows',
    );
  });

  /** Closes the workbench like a user who closes the tab. */
  async function close({ page }: Workbench): Promise<void> {
    await page.goto('about:blank');
    await page.close();
  }

  type Locator = { readonly origin: string; readonly pid: number; readonly instanceId: string };

  /** Returns the locator of the server of a data profile. */
  function readLocator(profile: string): Locator | undefined {
    const pattern = `**/signalbox.signalbox/local/${profile}/server.json`;
    const [file] = globSync(pattern, { cwd: editor.userDataDir });
    if (file === undefined) return undefined;
    try {
      return JSON.parse(readFileSync(path.join(editor.userDataDir, file), 'utf8'));
    } catch {
      // A server that has just stopped removed it.
      return undefined;
    }
  }

  function pidOf(profile: string): number | undefined {
    return readLocator(profile)?.pid;
  }

  async function locatorOf(profile: string): Promise<Locator> {
    const found = await until(
      async () => readLocator(profile),
      (locator) => locator !== undefined,
      `a server of profile ${profile}`,
    );
    assert.ok(found !== undefined);
    return found;
  }
});

/** Connects to a server; `ended` settles when the server, or its process, closes the connection. */
async function connectionEnd(origin: string): Promise<{ readonly ended: Promise<unknown> }> {
  const { hostname, port } = new URL(origin);
  const socket = net.connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.resume().on('error', () => {});
  return { ended: once(socket, 'close') };
}
