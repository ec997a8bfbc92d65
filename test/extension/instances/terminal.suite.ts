import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Context } from 'mocha';
import * as vscode from 'vscode';
import { orSkip, programOnPath, pythonWith, rubyWith } from '../../support/clientSuite.ts';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { signInByCode } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { TERMINAL_SETTINGS } from '../../support/host/terminal.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';
const REQUIREMENTS = path.join(import.meta.dirname, '../../clients/python/requirements.txt');
/** A project that the demo user can push to. */
const PROJECT = 'amara/berth-api';

describe('the terminal for an instance', () => {
  let platform: RunningPlatform;
  let terminal: vscode.Terminal | undefined;
  before(async () => {
    platform = await startPlatform();
    await start({ settings: { 'signalbox.instances': [{ url: platform.origin }], ...TERMINAL_SETTINGS } });
  });
  after(() => platform?.close());
  afterEach(async () => {
    terminal?.dispose();
    terminal = undefined;
    await workbench.clear();
  });

  it('the terminal for an instance signs in python-gitlab, the Ruby gem and git to the local server, and its token ends with it', async function (this: Context) {
    const [python, ruby] = await orSkip(this, Promise.all([pythonWith(REQUIREMENTS), rubyWith('ruby-gitlab', '4.17.0')]));
    await signInToLocalServer();
    assert.match(
      await openTerminal(),
      /signed in to http:\/\/127\.0\.0\.1:\d+ as @amara\.\s*Their personal access token is revoked when/,
    );

    const [url = '', token = ''] = (await outputOf('printenv SIGNALBOX_URL GITLAB_TOKEN')).split('\n');
    const user = await outputOf(`${python} -m gitlab -o json current-user get`);
    assert.match(user, new RegExp(`"username": ?"${DEMO_USER.username}"`));
    assert.equal(await outputOf(`${ruby} -rgitlab -e 'puts Gitlab.user.username'`), `${DEMO_USER.username}\n`);
    await outputOf(`git clone --quiet $SIGNALBOX_URL/${PROJECT}.git clone`);
    await outputOf('git -C clone push --quiet origin HEAD:refs/heads/from-the-terminal');
    const project = `${url}/api/v4/projects/${encodeURIComponent(PROJECT)}`;
    const branch = await fetch(`${project}/repository/branches/from-the-terminal`, { headers: { 'private-token': token } });
    assert.equal(branch.status, 200);

    terminal?.sendText('exit');
    await until(
      async () => (await fetch(`${url}/api/v4/user`, { headers: { 'private-token': token } })).status,
      (status) => status === 401,
      'the token is revoked',
    );
  });

  it('the terminal for an instance signs in glab', async function (this: Context) {
    const glab = await orSkip(this, programOnPath('glab'));
    await signInToLocalServer();
    await openTerminal();
    assert.match(await outputOf(`${glab} api user`), new RegExp(`"username": ?"${DEMO_USER.username}"`));
  });

  it('the terminal for an instance that does not let users create tokens says so, and git uses the token of the sign-in', async () => {
    await signInByCode(platform, DEMO_USER.username);
    const text = await openTerminal();
    assert.match(text, new RegExp(`${platform.label} does not let your account create a personal access token for them`));
    assert.match(text, /Versions of glab from before 2026 cannot use it\. The token is valid until \d/);
    await outputOf(`git clone --quiet $SIGNALBOX_URL/${PROJECT}.git clone-by-oauth`);
    assert.ok(existsSync(path.join(workspaceFolder(), 'clone-by-oauth', '.git')));
    assert.deepEqual(await workbench.toasts(), []);
  });

  async function signInToLocalServer(): Promise<void> {
    await workbench.run('Signalbox: Sign In as Demo User…');
    await workbench.choose(DEMO_USER.name);
    await workbench.untilStatus(STATUS, (text) => text.endsWith(`@${DEMO_USER.username}`), 'signed in');
  }

  /** Opens a terminal and returns the text at its beginning. */
  async function openTerminal(): Promise<string> {
    const opened = Promise.withResolvers<vscode.Terminal>();
    const subscription = vscode.window.onDidOpenTerminal(opened.resolve);
    await workbench.run('Signalbox: Open Terminal for This Instance');
    terminal = await opened.promise.finally(() => subscription.dispose());
    const options = terminal.creationOptions;
    return 'message' in options ? (options.message ?? '') : '';
  }

  let commands = 0;
  /** Runs a command in the terminal, waits for its end, and returns what it wrote. */
  async function outputOf(command: string): Promise<string> {
    commands += 1;
    const file = path.join(workspaceFolder(), `output-${commands}`);
    terminal?.sendText(`${command} >${file} 2>&1; echo $? >${file}.code`);
    const code = await until(
      () => (existsSync(`${file}.code`) ? readFileSync(`${file}.code`, 'utf8').trim() : ''),
      (text) => text !== '',
      command,
    );
    const output = readFileSync(file, 'utf8');
    assert.equal(code, '0', `${command}: ${output}`);
    return output;
  }
});
