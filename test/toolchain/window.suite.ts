import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands } from '../../src/ids.ts';
import { reset, start, stop, workspaceFolder } from '../support/host/suite/extension.ts';
import { workbench } from '../support/host/suite/workbench.ts';

describe('the window of suites', () => {
  beforeEach(() => start());
  afterEach(() => reset().catch(() => {}));

  it('the window of suites answers a list of the extension, which has the same vscode object', async () => {
    await workbench.run('Signalbox: Select Instance…');
    assert.ok((await workbench.choices()).includes('Managed server'));
    await workbench.choose('Managed server');
    await workbench.run('Signalbox: Sign In');
    await workbench.choose('Sign in with an access token');
    await workbench.untilInput(({ isPassword }) => isPassword, 'a token is asked for');
    await workbench.enterInput(' ');
    await workbench.untilInput(({ problem }) => problem.startsWith('Enter a token'), 'it is refused');
  });

  it('the window of suites fails at the end of a suite that leaves a list or a dialog open', async () => {
    await workbench.run('Signalbox: Select Instance…');
    await workbench.choices();
    void vscode.window.showWarningMessage('Really?', { modal: true }, 'Yes');
    await assert.rejects(reset(), /the suite has left: list “[^;]*Managed server[^;]*; dialog “Really\?”/);
    await start();
    await reset();
  });

  it('the window of suites forgets state, secrets, settings and files at the end of a suite', async () => {
    await workbench.setSetting('signalbox.instances', [{ url: 'https://gitlab.example.com' }]);
    await workbench.run('Signalbox: Select Instance…');
    await workbench.choose('gitlab.example.com');
    await workbench.untilStatus('signalbox.status', (_text, spoken) => spoken.includes('gitlab.example.com'), 'the instance');
    workbench.writeFile('notes.txt', 'hello');
    await workbench.openFile('notes.txt');
    await reset();
    assert.deepEqual(await vscode.workspace.fs.readDirectory(vscode.Uri.file(workspaceFolder())), []);
    assert.equal(vscode.window.activeTextEditor, undefined);
    await start();
    await vscode.commands.executeCommand(commands.logShow);
    await workbench.untilStatus('signalbox.status', (_text, spoken) => spoken.includes('Managed server'), 'a new user');
  });

  it('the window of suites keeps what the extension has stored when it is reloaded', async () => {
    await workbench.setSetting('signalbox.instances', [{ url: 'https://gitlab.example.com' }]);
    await workbench.run('Signalbox: Select Instance…');
    await workbench.choose('gitlab.example.com');
    const isShown = (_text: string, spoken: string): boolean => spoken.includes('gitlab.example.com');
    await workbench.untilStatus('signalbox.status', isShown, 'the instance');
    await stop();
    assert.ok(!(await workbench.hasStatus('signalbox.status')));
    await start();
    await workbench.untilStatus('signalbox.status', isShown, 'the instance after a reload');
  });
});
