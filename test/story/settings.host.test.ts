import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { DEMO_USER, type RunningPlatform, startPlatform } from '../support/host/platform.ts';
import { selectInstance, signInAs } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import { type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

/** Malicious settings of the folder. */
const FOREIGN = {
  'signalbox.instances': [{ url: 'https://stranger.example.com' }],
  'signalbox.local.profile': 'strange',
  'signalbox.local.seed': 'none',
  'signalbox.local.release': '15.1',
  'signalbox.local.tier': 'free',
  'signalbox.local.offering': 'dedicated',
  'signalbox.local.dialect': 'observed',
  'signalbox.activity.pollSeconds': 3600,
};

describe('an untrusted folder', () => {
  let platform: RunningPlatform;
  let workspace: string;
  let editor: Editor;
  let workbench: Workbench;
  before(async () => {
    platform = await startPlatform();
    workspace = mkdtempSync(path.join(os.tmpdir(), 'signalbox-stranger-'));
    mkdirSync(path.join(workspace, '.vscode'));
    mkdirSync(path.join(workspace, '.git'));
    writeFileSync(path.join(workspace, '.vscode', 'settings.json'), JSON.stringify(FOREIGN));
    writeFileSync(path.join(workspace, '.git', 'config'), `[remote "origin"]\n\turl = ${platform.origin}/amara/berth-api.git\n`);
    editor = await openEditor({
      workspace,
      isUntrusting: true,
      userSettings: { 'signalbox.instances': [{ url: platform.origin }] },
    });
    workbench = editor.workbench;
  });
  after(async () => {
    await editor?.close();
    await platform?.close();
    rmSync(workspace, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));

  it('an untrusted folder cannot configure instances or the local server, even after it is trusted; its remotes are read, and its programs get no token before it is trusted', async () => {
    await selectInstance(workbench, platform.label);
    await signInAs(workbench, editor.context, platform, DEMO_USER.username);
    const project = await workbench.openView('Project Activity');
    await project.untilRows((rows) => rows.some(({ level }) => level === 2), 'activity of the project of the folder');
    assert.equal(await project.pane.locator('.pane-header .description').innerText(), 'amara/berth-api');

    const untrusted = await diagnostics();
    assert.match(untrusted, /^- Trusted workspace: `no`$/m);
    assertOwnSettings(untrusted);
    const view = await workbench.openView('My Activity');
    assert.ok(!(await view.titleMenu()).includes('Open Terminal for This Instance'));

    await workbench.run('Workspaces: Manage Workspace Trust');
    const trust = workbench.page.locator('.workspace-trust-editor');
    await trust.getByRole('button', { name: 'Trust', exact: true }).click();
    await trust.getByText('You trust this folder', { exact: true }).waitFor();
    await workbench.page.getByRole('button', { name: /^Close Modal Editor/ }).click();
    await trust.waitFor({ state: 'hidden' });
    const trusted = await until(diagnostics, (text) => text.includes('Trusted workspace: `yes`'), 'trusted');
    assertOwnSettings(trusted);
    await workbench.run('Signalbox: Open Terminal for This Instance');
    await workbench.page.locator('.terminal-wrapper.active .xterm-screen').waitFor();
    await workbench.clear();
  });

  async function diagnostics(): Promise<string> {
    await workbench.setClipboard('');
    await workbench.run('Signalbox: Copy Diagnostics');
    return until(workbench.clipboard, (text) => text.startsWith('## Signalbox diagnostics'), 'diagnostics in the clipboard');
  }

  function assertOwnSettings(report: string): void {
    const settings = /^### Settings\n\n((?:- .*\n)*)/m.exec(report)?.[1];
    assert.equal(
      settings,
      `- \`signalbox.instances\` (user): \`${platform.origin}\`\n- \`signalbox.activity.pollSeconds\` (workspace): \`3600\`\n`,
    );
    assert.match(report, /^- data profile: `default`$/m);
    assert.doesNotMatch(report, /strange/);
  }
});
