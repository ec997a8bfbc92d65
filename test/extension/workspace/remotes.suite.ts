import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Context } from 'mocha';
import { programPath, testEnvironment } from '../../support/environment.ts';
import { type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { reload, setSetting, start, storedTexts, workspaceFolder } from '../../support/host/suite/extension.ts';
import { signInAs } from '../../support/host/suite/signIn.ts';
import type { View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

/** Stands for a password in the address of a remote. */
const PASSWORD = 'cleartext-5up3r';
/** Projects of the demo data. */
const [BERTH, SKIPPER, DESK] = ['amara/berth-api', 'mei/skipper-app', 'tomasz/harbour-desk'];

describe('the git repository of the open folder', () => {
  let platform: RunningPlatform;
  let view: View;
  /** Folder for a repository that is outside of the open folder. */
  let elsewhere: string;
  before(async function (this: Context) {
    if (programPath('git') === undefined) {
      console.log('skipped: git is not installed');
      this.skip();
    }
    elsewhere = mkdtempSync(path.join(os.tmpdir(), 'signalbox-remotes-'));
    platform = await startPlatform();
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }] } });
    await signInAs(platform, 'root');
    view = await workbench.openView('Project Activity');
  });
  after(async () => {
    await platform?.close();
    if (elsewhere !== undefined) rmSync(elsewhere, { recursive: true, force: true });
  });
  afterEach(() => {
    for (const folder of [workspaceFolder(), path.dirname(workspaceFolder())])
      rmSync(path.join(folder, '.git'), { recursive: true, force: true });
  });

  it('a folder that is a git repository shows the activity of its project without asking, follows its remotes, and does not reveal passwords in their addresses', async () => {
    const folder = workspaceFolder();
    git(folder, 'init', '--quiet');
    git(folder, 'remote', 'add', 'mirror', addressOf(SKIPPER));
    git(folder, 'remote', 'add', 'elsewhere', 'git@git.example.com:someone/else.git');
    git(folder, 'remote', 'add', 'origin', addressOf(BERTH).replace('//', `//me:${PASSWORD}@`));
    await reload();
    await untilProject(BERTH);
    await assertNoPassword(BERTH);
    const host = new URL(platform.origin).hostname;
    await untilFollowed(folder, 'origin', `ssh://git@${host}:2222/${SKIPPER}.git`, SKIPPER);
    await untilFollowed(folder, 'origin', `git@${host}:${DESK}.git`, DESK);
    git(folder, 'remote', 'remove', 'origin');
    await untilNoticed(folder, SKIPPER);
    assert.deepEqual(await workbench.toasts(), []);

    await assertNoPassword(SKIPPER);
    const requests = JSON.stringify(await platform.apiRequests());
    assert.ok(!requests.includes(PASSWORD));
  });

  it('a folder inside of a git repository shows the activity of its project, and follows its remotes', async () => {
    const parent = path.dirname(workspaceFolder());
    git(parent, 'init', '--quiet');
    git(parent, 'remote', 'add', 'mirror', addressOf(SKIPPER));
    await reload();
    await untilProject(SKIPPER);
    await untilFollowed(parent, 'mirror', addressOf(BERTH), BERTH);
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('a work tree of a git repository shows the activity of its project, and follows its remotes', async () => {
    git(elsewhere, 'init', '--quiet');
    git(elsewhere, 'remote', 'add', 'mirror', addressOf(SKIPPER));
    git(elsewhere, '-c', 'user.name=A', '-c', 'user.email=a@example.com', 'commit', '--quiet', '--allow-empty', '-m', 'first');
    git(elsewhere, 'worktree', 'add', '--quiet', workspaceFolder());
    await reload();
    await untilProject(SKIPPER);
    await untilFollowed(elsewhere, 'mirror', addressOf(BERTH), BERTH);
    assert.deepEqual(await workbench.toasts(), []);
  });

  it('a remote with an alias that git finds under a condition shows the activity of its project, and follows the file with the alias', async () => {
    const folder = workspaceFolder();
    const aliases = path.join(elsewhere, 'aliases');
    const nameAlias = (project: string): void => writeFileSync(aliases, `[url "${addressOf(project)}"]\n\tinsteadOf = demo:it\n`);
    nameAlias(BERTH);
    git(folder, 'init', '--quiet');
    git(folder, 'config', 'includeIf.gitdir:**.path', aliases);
    git(folder, 'remote', 'add', 'origin', 'demo:it');
    await reload();
    await untilProject(BERTH);
    await until(
      () => {
        nameAlias(DESK);
        return until(view.description, (text) => text === DESK, 'noticed', 2_000).catch(view.description);
      },
      (text) => text === DESK,
      'the other alias is noticed',
    );
    await untilProject(DESK);
  });

  it('a remote at a host that only the setting knows shows the activity of its project', async () => {
    const folder = workspaceFolder();
    git(folder, 'init', '--quiet');
    git(folder, 'remote', 'add', 'origin', `git@git.corp.example:${SKIPPER}.git`);
    await setSetting('signalbox.gitHosts', { 'git.corp.example': platform.origin });
    await reload();
    await untilProject(SKIPPER);
    await setSetting('signalbox.gitHosts', undefined);
    await until(view.description, (text) => text !== SKIPPER, 'no project without the setting');
  });

  /** Checks what is stored once the project is, which is shortly after it is shown. */
  async function assertNoPassword(project: string): Promise<void> {
    const stored = await until(storedTexts, (texts) => texts.some((text) => text.includes(project)), 'the project is stored');
    assert.deepEqual(
      stored.filter((text) => text.includes(PASSWORD)),
      [],
    );
  }

  function addressOf(project: string): string {
    return `${platform.origin}/${project}.git`;
  }

  /** Changes the address of a remote, and waits for the activity of its project. */
  async function untilFollowed(folder: string, remote: string, address: string, project: string): Promise<void> {
    git(folder, 'remote', 'set-url', remote, address);
    await untilNoticed(folder, project);
  }

  /** Waits for the activity of a project after a change of the configuration of git. */
  async function untilNoticed(folder: string, project: string): Promise<void> {
    const isNoticed = (text: string): boolean => text === project;
    let writes = 0;
    await until(
      () => {
        // VS Code does not say when it has begun to watch the file. What was written before is not noticed, so it is written again.
        writes += 1;
        git(folder, 'config', 'signalbox.writes', String(writes));
        return until(view.description, isNoticed, 'noticed', 2_000).catch(view.description);
      },
      isNoticed,
      `activity of ${project}`,
    );
    await untilProject(project);
  }

  async function untilProject(project: string): Promise<void> {
    await until(view.description, (text) => text === project, `activity of ${project}`);
    await view.untilRows((rows) => rows.some(({ level }) => level === 2), `events of ${project}`);
  }
});

function git(cwd: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync('git', args, { cwd, encoding: 'utf8', env: testEnvironment(['git']) });
  assert.equal(status, 0, stderr);
}
