import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { clientTest, programOnPath, pythonWith, rubyWith } from '../support/clientSuite.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { outputOf as outputIn, TERMINAL_SETTINGS, typeCommand, untilPrompt } from '../support/host/terminal.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
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
        ...TERMINAL_SETTINGS,
      },
    });
    workbench = editor.workbench;
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
    rmSync(workspace, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

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

      await typeCommand(workbench, 'exit');
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
      await typeCommand(workbench, 'exit');
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
    await typeCommand(workbench, 'exit');
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
    return untilPrompt(workbench);
  }

  let commands = 0;
  function outputOf(command: string): Promise<string> {
    commands += 1;
    return outputIn(workbench, command, path.join(workspace, `output-${commands}`));
  }
});
