import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Context } from 'mocha';
import { clientTest, programOnPath, pythonWith, rubyWith } from '../support/clientSuite.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { type Editor, openEditor } from '../support/host/vscode.ts';
import type { Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
const REQUIREMENTS = path.join(import.meta.dirname, '../clients/python/requirements.txt');
/** A project that the demo user can push to. */
const PROJECT = 'amara/berth-api';

describe('the terminal for an instance', () => {
  let platform: RunningPlatform;
  let editor: Editor;
  let workbench: Workbench;
  let workspace: string;
  before(async () => {
    platform = await startPlatform();
    workspace = mkdtempSync(path.join(os.tmpdir(), 'signalbox-terminal-'));
    editor = await openEditor({
      workspace,
      userSettings: {
        'signalbox.instances': [{ url: platform.origin }],
        // The text is in the page only without a canvas.
        'terminal.integrated.gpuAcceleration': 'off',
        // A shell without the start-up files of the user who runs the tests.
        'terminal.integrated.profiles.linux': { plain: { path: '/bin/sh' } },
        'terminal.integrated.defaultProfile.linux': 'plain',
        'terminal.integrated.profiles.osx': { plain: { path: '/bin/sh' } },
        'terminal.integrated.defaultProfile.osx': 'plain',
      },
    });
    workbench = editor.workbench;
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
    rmSync(workspace, { recursive: true, force: true });
  });
  afterEach(async function (this: Context) {
    if (this.currentTest?.state === 'failed')
      console.log(`screenshots: ${(await editor.screenshot(this.currentTest.title)).join(', ')}`);
  });

  clientTest(
    'the terminal for an instance signs in python-gitlab, the Ruby gem and git to the local server, and its token ends with it',
    async () => ({ python: await pythonWith(REQUIREMENTS), ruby: await rubyWith('ruby-gitlab', '4.17.0') }),
    async ({ python, ruby }) => {
      await signInToLocalServer();
      const text = await openTerminal();
      assert.match(text, /signed in to http:\/\/127\.0\.0\.1:\d+ as @amara\.\s*Their personal access token is revoked when/);

      const [url = '', token = ''] = (await outputOf('printenv SIGNALBOX_URL GITLAB_TOKEN')).split('\n');
      const user = await outputOf(`${python} -m gitlab -o json current-user get`);
      assert.match(user, new RegExp(`"username": ?"${DEMO_USER.username}"`));
      assert.equal(await outputOf(`${ruby} -rgitlab -e 'puts Gitlab.user.username'`), `${DEMO_USER.username}\n`);
      await outputOf(`git clone --quiet $SIGNALBOX_URL/${PROJECT}.git clone`);
      await outputOf('git -C clone push --quiet origin HEAD:refs/heads/from-the-terminal');
      const project = `${url}/api/v4/projects/${encodeURIComponent(PROJECT)}`;
      const branch = await fetch(`${project}/repository/branches/from-the-terminal`, { headers: { 'private-token': token } });
      assert.equal(branch.status, 200);

      await type('exit');
      await until(
        async () => (await fetch(`${url}/api/v4/user`, { headers: { 'private-token': token } })).status,
        (status) => status === 401,
        'the token is revoked',
      );
    },
  );

  clientTest(
    'the terminal for an instance signs in glab',
    () => programOnPath('glab'),
    async () => {
      await signInToLocalServer();
      await openTerminal();
      assert.match(await outputOf('glab api user'), new RegExp(`"username": ?"${DEMO_USER.username}"`));
      await type('exit');
    },
  );

  it('the terminal for an instance that does not let users create tokens says so, and git uses the token of the sign-in', async () => {
    await selectInstance(workbench, platform.label);
    await signInAs(workbench, editor.context, platform, DEMO_USER.username);
    const text = await openTerminal();
    assert.match(text, new RegExp(`${platform.label} does not let your account create a personal access token for them`));
    assert.match(text, /Versions of glab from before 2026 cannot use it\. The token is valid until \d/);
    await outputOf(`git clone --quiet $SIGNALBOX_URL/${PROJECT}.git clone-by-oauth`);
    assert.ok(existsSync(path.join(workspace, 'clone-by-oauth', '.git')));
    await type('exit');
    assert.deepEqual(await workbench.toasts(), []);
  });

  async function signInToLocalServer(): Promise<void> {
    await workbench.run('Signalbox: Sign In as Demo User…');
    await workbench.choose(DEMO_USER.name);
    await workbench.untilStatus(STATUS, (text) => text.endsWith(`@${DEMO_USER.username}`), 'signed in');
  }

  /** Opens a terminal and returns the text at its beginning. */
  async function openTerminal(): Promise<string> {
    await workbench.run('Signalbox: Open Terminal for This Instance');
    const rows = workbench.page.locator('.terminal-wrapper.active .xterm-rows');
    const read = async (): Promise<string> => (await rows.innerText()).replaceAll('\u00a0', ' ').replaceAll('\n', '');
    return until(read, (text) => /[#$] ?$/.test(text.trim()), 'the prompt');
  }

  async function type(command: string): Promise<void> {
    await workbench.page.keyboard.type(command);
    await workbench.page.keyboard.press('Enter');
  }

  let commands = 0;
  /** Types a command into the terminal, waits for its end, and returns what it printed. */
  async function outputOf(command: string): Promise<string> {
    commands += 1;
    const file = path.join(workspace, `output-${commands}`);
    await type(`${command} >${file} 2>&1; echo $? >${file}.code`);
    const code = await until(
      async () => (existsSync(`${file}.code`) ? readFileSync(`${file}.code`, 'utf8').trim() : ''),
      (text) => text !== '',
      command,
    );
    const output = readFileSync(file, 'utf8');
    assert.equal(code, '0', `${command}: ${output}`);
    return output;
  }
});
