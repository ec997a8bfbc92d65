import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Context } from 'mocha';
import { programPath, testEnvironment } from '../support/environment.ts';
import { type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { selectInstance } from '../support/host/signIn.ts';
import { CONTAINER, type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { openWorkbench, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
/** Stands for a password in the address of a remote. */
const PASSWORD = 'cleartext-5up3r';
/** Projects of the demo data. */
const [BERTH, SKIPPER, DESK] = ['amara/berth-api', 'mei/skipper-app', 'tomasz/harbour-desk'];

describe('a folder that is a git repository', () => {
  let platform: RunningPlatform;
  let editor: Editor;
  let workbench: Workbench;
  let folder: string;
  before(async function (this: Context) {
    if (programPath('git') === undefined) {
      console.log('skipped: git is not installed');
      this.skip();
    }
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-remotes-'));
    platform = await startPlatform();
    const repository = at('repository');
    git(folder, 'init', '--quiet', repository);
    git(repository, 'remote', 'add', 'mirror', `${platform.origin}/${SKIPPER}.git`);
    git(repository, 'remote', 'add', 'elsewhere', 'git@git.example.com:someone/else.git');
    git(repository, 'remote', 'add', 'origin', platform.origin.replace('//', `//me:${PASSWORD}@`).concat(`/${BERTH}.git`));
    git(repository, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--allow-empty', '-m', 'first');
    git(repository, 'worktree', 'add', '--quiet', at('worktree'));
    mkdirSync(path.join(repository, 'packages', 'inner'), { recursive: true });

    editor = await openEditor({ workspace: repository, userSettings: { 'signalbox.instances': [{ url: platform.origin }] } });
    workbench = editor.workbench;
    await selectInstance(workbench, platform.label);
    await workbench.run('Signalbox: Sign In');
    await workbench.choose('Sign in with an access token');
    await workbench.fillInput(platform.adminToken);
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in');
    await workbench.untilSaved(/"auth\.sessions":\[[^\]]*"http:\/\//);
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('a folder that is a git repository shows the activity of its project without asking, follows its remotes, and does not reveal passwords in their addresses', async () => {
    await untilProject(workbench, BERTH);
    const repository = at('repository');
    const host = new URL(platform.origin).hostname;
    git(repository, 'remote', 'set-url', 'origin', `ssh://git@${host}:2222/${SKIPPER}.git`);
    await untilProject(workbench, SKIPPER);
    git(repository, 'remote', 'set-url', 'origin', `git@${host}:${DESK}.git`);
    await untilProject(workbench, DESK);
    git(repository, 'remote', 'remove', 'origin');
    await untilProject(workbench, SKIPPER);
    assert.deepEqual(await workbench.toasts(), []);

    for (const part of [path.join('repository', 'packages', 'inner'), 'worktree']) {
      git(repository, 'remote', 'set-url', 'mirror', `${platform.origin}/${SKIPPER}.git`);
      const url = new URL(editor.host.url);
      url.searchParams.set('folder', at(part));
      const window = await openWorkbench(editor.context, url.href, CONTAINER);
      await untilProject(window, SKIPPER);
      git(repository, 'remote', 'set-url', 'mirror', `${platform.origin}/${BERTH}.git`);
      await untilProject(window, BERTH);
      assert.deepEqual(await window.toasts(), []);
      await window.page.close();
    }

    const written = globSync('**/*', { cwd: editor.userDataDir, withFileTypes: true }).filter(
      (entry) => entry.isFile() && /signalbox/i.test(path.join(entry.parentPath, entry.name)),
    );
    assert.ok(written.length > 0);
    for (const entry of written) {
      const file = path.join(entry.parentPath, entry.name);
      assert.ok(!readFileSync(file).includes(PASSWORD), `the password of a remote is in ${file}`);
    }
    const requests = JSON.stringify(await platform.apiRequests());
    assert.ok(!requests.includes(PASSWORD));
  });

  function at(name: string): string {
    return path.join(folder, name);
  }
});

function git(cwd: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8', env: testEnvironment(['git']) });
  assert.equal(status, 0, stderr);
}

async function untilProject(workbench: Workbench, project: string): Promise<void> {
  await workbench.page.bringToFront();
  const view = await workbench.openView('Project Activity');
  await until(
    () => view.pane.locator('.pane-header .description').innerText(),
    (text) => text === project,
    `activity of ${project}`,
  );
  await view.untilRows((rows) => rows.some(({ level }) => level === 2), `events of ${project}`);
}
