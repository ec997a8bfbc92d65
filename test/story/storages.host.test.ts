import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Context } from 'mocha';
import { type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { type Editor, openEditor } from '../support/host/vscode.ts';
import { type Row, THEME_SETTINGS, THEMES, type Theme, type View, type Workbench } from '../support/host/workbench.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const PROJECT = 'amara/berth-api';
/** Pause before the first step of a move in seconds. The token of the sign-in is valid for longer. */
const STEP = 3600;

describe('the storages of an instance', () => {
  let home: string;
  let platform: RunningPlatform;
  let editor: Editor;
  let workbench: Workbench;
  let storages: View;
  before(async () => {
    home = mkdtempSync(path.join(os.tmpdir(), 'signalbox-storages-'));
    platform = await startPlatform('demo', ['--storage', `archive=${path.join(home, 'archive')}`], path.join(home, 'data'));
    await setStepSeconds(STEP);
    editor = await openEditor({
      userSettings: { ...THEME_SETTINGS, 'signalbox.instances': [{ url: platform.origin }] },
    });
    workbench = editor.workbench;
    await selectInstance(workbench, platform.label);
    await signInAs(workbench, editor.context, platform, 'root');
    storages = await workbench.openView('Storages');
    await workbench.widenSideBar(420);
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
    rmSync(home, { recursive: true, force: true });
  });
  afterEach(async function (this: Context) {
    if (this.currentTest?.state === 'failed')
      console.log(`screenshots: ${(await editor.screenshot(this.currentTest.title)).join(', ')}`);
  });

  it('all projects of a storage move while their progress is watched, and a push is refused until its project has moved', async () => {
    const clone = cloneOf(PROJECT);
    const before = await storages.untilRow(({ label }) => label === 'default', 'the storage');
    const count = /^(\d+) projects$/.exec(before.description)?.[1] ?? '';
    assert.notEqual(count, '', before.description);
    await storages.untilRow((row) => row.label === 'archive' && row.description === '0 projects', 'the empty storage');
    await pictures('storages');

    await storages.chooseFromRowMenu('default', 'Move All Projects of a Storage…');
    assert.deepEqual(await workbench.choices(), ['archive', 'Select by weight']);
    await workbench.choose('archive');
    const asked = await workbench.dialog('from default');
    assert.equal(asked.message, `Move ${count} projects from default to archive?`);
    assert.match(asked.detail, /^Each project is read-only while its repository moves\./);
    await pictures('storages-confirm');
    await workbench.clickDialogButton('Move');
    await workbench.untilToast(({ message }) => message.startsWith('Moving the projects of default'), 'the progress');
    await storages.untilRow(isMoving(count), 'all projects are moving');
    const refused = push(clone);
    assert.notEqual(refused.status, 0);
    assert.match(refused.stderr, /The repository is temporarily read-only\. Please try again later\./);
    await storages.toggleRow('default');
    await storages.untilRow(({ label }) => label.includes('/'), 'the moves');
    await pictures('storages-moving');
    await storages.chooseFromRowMenu('default', 'Is the Storage Empty?');
    const left = await workbench.untilToast(({ message }) => message.startsWith('Still on default'), 'the check');
    assert.match(left.message, new RegExp(`: ${count} projects \\(.*, …\\)\\. Running moves: ${count}\\.$`));

    // The first step is due after the pause, and the others follow at once.
    await setStepSeconds(0);
    await platform.advance(STEP);
    await workbench.untilToast(({ message }) => message === `Moved from default: ${count} projects.`, 'the end of the moves');
    await storages.untilRow((row) => row.label === 'archive' && row.description === `${count} projects`, 'the full storage');
    await storages.untilRow((row) => row.label === 'default' && row.description === '0 projects', 'the empty storage');
    const accepted = push(clone);
    assert.equal(accepted.status, 0, accepted.stderr);
    await workbench.clear();
    await storages.chooseFromRowMenu('default', 'Is the Storage Empty?');
    await workbench.untilToast(
      ({ message }) => message === 'No project is left on default, and all recent moves have finished.',
      'the check',
    );
    await pictures('storages-moved');
  });

  async function setStepSeconds(seconds: number): Promise<void> {
    const response = await fetch(`${platform.origin}/_local/storage-moves`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${platform.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ step_seconds: seconds }),
    });
    assert.ok(response.ok, await response.text());
  }

  function isMoving(count: string): (row: Row) => boolean {
    return ({ label, description }) => label === 'default' && description.endsWith(` · ${count} moving`);
  }

  function cloneOf(project: string): string {
    const clone = path.join(home, 'clone');
    const { status, stderr } = git(home, 'clone', `${platform.origin}/${project}.git`, clone);
    assert.equal(status, 0, stderr);
    return clone;
  }

  /** Commits a change to a new branch and pushes it. */
  function push(clone: string) {
    appendFileSync(path.join(clone, 'log.txt'), 'A line.\n');
    git(clone, 'checkout', '-B', 'log');
    git(clone, 'add', '.');
    git(clone, 'commit', '-m', 'Write the log');
    return git(clone, 'push', 'origin', 'log');
  }

  function git(cwd: string, ...args: readonly string[]) {
    const credentials = Buffer.from(`oauth2:${platform.adminToken}`).toString('base64');
    const settings = {
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: path.join(home, 'gitconfig'),
      GIT_TERMINAL_PROMPT: '0',
      GIT_CONFIG_COUNT: '3',
      GIT_CONFIG_KEY_0: 'http.extraHeader',
      GIT_CONFIG_VALUE_0: `Authorization: Basic ${credentials}`,
      GIT_CONFIG_KEY_1: 'user.name',
      GIT_CONFIG_VALUE_1: 'Root',
      GIT_CONFIG_KEY_2: 'user.email',
      GIT_CONFIG_VALUE_2: 'root@example.com',
    };
    return spawnSync('git', args, { cwd, encoding: 'utf8', env: { ...process.env, ...settings } });
  }

  async function pictures(name: string): Promise<void> {
    // Nothing is under the pointer.
    await workbench.page.mouse.move(900, 850);
    for (const theme of Object.keys(THEMES) as Theme[]) {
      await workbench.setTheme(theme);
      await workbench.screenshot(path.join(ROOT, '.cache/storage-pictures', `${name}-${theme}.png`));
    }
  }
});
