import assert from 'node:assert/strict';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { CONTAINER, type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { Row, View } from '../support/host/view.ts';
import { openWorkbench, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
const RUNS = (text: string): boolean => text.includes('signed out');
const ALL = 'Activity in All My Projects';
/** A second demo user with some of the same projects. */
const OTHER_USER = 'mei';
/** A project of both users. */
const PROJECT = 'Berth API';
const ISSUE = /^@\S+ opened #\d+ /;

describe('two windows of VS Code', () => {
  let one: RunningPlatform;
  let two: RunningPlatform;
  let editor: Editor;
  let first: Workbench;
  let second: Workbench;
  let folder: string;
  before(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-second-'));
    [one, two] = await Promise.all([startPlatform(), startPlatform()]);
    await Promise.all([one.createIssue(PROJECT, 'Only on the first'), two.createIssue(PROJECT, 'Only on the second')]);
    const userSettings = { 'signalbox.local.seed': 'none', 'signalbox.instances': [{ url: one.origin }, { url: two.origin }] };
    editor = await openEditor({ userSettings });
    first = editor.workbench;
  });
  after(async () => {
    await editor?.close();
    await Promise.all([one?.close(), two?.close()]);
    rmSync(folder, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('two windows of VS Code each have their own instance and account, and share one local server and its data, which keeps running when the window that started it is closed', async () => {
    await signIn(first, one, DEMO_USER.username);
    // The browser passes secrets to a window only when it opens.
    await first.untilSaved(/"auth\.sessions":\[[^\]]*"http:\/\//);
    const url = new URL(editor.host.url);
    url.searchParams.set('folder', folder);
    second = await openWorkbench(editor.context, url.href, CONTAINER);
    await second.untilStatus(STATUS, isOn(DEMO_USER.username, one), 'starts with the last selected instance');
    await signIn(second, two, OTHER_USER);
    await untilTitles(await showAll(first), ['Only on the first']);
    await untilTitles(await showAll(second), ['Only on the second']);

    await selectInstance(first, 'Managed server');
    await first.untilStatus(STATUS, (text) => text === 'Signalbox: stopped', 'the local server');
    await first.run('Signalbox: Start Local Server');
    await first.untilStatus(STATUS, RUNS, 'server runs');
    // The window refreshes, which is when it would notice that another window has selected another instance.
    await two.createIssue(PROJECT, 'Second again');
    await second.run('Signalbox: Refresh Activity');
    await untilTitles(second.view(ALL), ['Second again', 'Only on the second']);
    await second.untilStatus(STATUS, isOn(OTHER_USER, two), 'still on its own instance');

    await selectInstance(second, 'Managed server');
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

    // A window that had the server before finds it again automatically, and has its account.
    first = await openWorkbench(editor.context, editor.host.url, CONTAINER);
    await first.untilStatus(STATUS, RUNS, 'attached automatically');
    assert.equal((await locatorOf('default')).pid, taken.pid);
    await selectInstance(first, one.label);
    await first.untilStatus(STATUS, isOn(DEMO_USER.username, one), 'still signed in');

    // The second window knows the first account as well because it started with it.
    await first.run('Signalbox: Sign Out');
    await first.untilStatus(STATUS, (text) => text.includes('signed out'), 'signed out');
    await selectInstance(second, one.label);
    await second.untilStatus(STATUS, (text) => /signed out|sign in again/.test(text), 'the other window sees it');
    await selectInstance(second, two.label);
    await second.untilStatus(STATUS, isOn(OTHER_USER, two), 'the other account is still signed in');
    for (const window of [first, second]) {
      assert.deepEqual(await window.toasts(), []);
      assert.equal(await window.countDialogs(), 0);
      await selectInstance(window, 'Managed server');
      await window.untilStatus(STATUS, RUNS, 'the local server');
    }

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

  async function signIn(workbench: Workbench, platform: RunningPlatform, username: string): Promise<void> {
    await workbench.page.bringToFront();
    await selectInstance(workbench, platform.label);
    await workbench.untilStatus(STATUS, (text, spoken) => spoken.includes(platform.label), 'selected');
    await signInAs(workbench, editor.context, platform, username);
    await workbench.untilStatus(STATUS, isOn(username, platform), 'signed in');
  }

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

async function showAll(workbench: Workbench): Promise<View> {
  await workbench.page.bringToFront();
  await workbench.openView('My Activity');
  await workbench.run('Signalbox: Show Activity in All My Projects');
  return workbench.view(ALL);
}

function isOn(username: string, { label }: RunningPlatform): (text: string) => boolean {
  return (text) => text.includes(`@${username}`) && text.includes(label);
}

/** Waits until a view shows these issues. Those of the demo data are older than the first page. */
async function untilTitles(view: View, expected: readonly string[]): Promise<void> {
  const titles = (rows: readonly Row[]): readonly string[] =>
    rows.flatMap(({ label }) => (/\bonly on\b|\bagain$/i.test(label) ? [label.replace(ISSUE, '')] : []));
  await view.untilRows((rows) => isDeepStrictEqual(titles(rows), expected), expected.join(', '));
}

/** Connects to a server; `ended` settles when the server, or its process, closes the connection. */
async function connectionEnd(origin: string): Promise<{ readonly ended: Promise<unknown> }> {
  const { hostname, port } = new URL(origin);
  const socket = net.connect({ host: hostname, port: Number(port) });
  await once(socket, 'connect');
  socket.resume().on('error', () => {});
  return { ended: once(socket, 'close') };
}
