import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import { testEnvironment } from '../support/environment.ts';
import { MissingDependency, npmPackages } from '../support/clientSuite.ts';
import { chooseProject, type CreatedKey, createKey } from '../support/host/clientKeys.ts';
import { pictures } from '../support/host/pictures.ts';
import { DEMO_USER } from '../support/host/platform.ts';
import { startLocally } from '../support/host/signIn.ts';
import { type Editor, openEditor, screenshotsOfFailure } from '../support/host/vscode.ts';
import type { View } from '../support/host/view.ts';
import { THEME_SETTINGS, type Workbench } from '../support/host/workbench.ts';
import { until } from '../support/until.ts';

const STATUS = 'signalbox.status';
const ROOT = path.join(import.meta.dirname, '../..');
const SDK = path.join(ROOT, 'test/clients/node/sentry');
/** A project of the demo user with demo errors, whose code is in the demo workspace. */
const PROJECT = { path: 'amara/berth-api', name: 'Berth API' } as const;

describe('client keys', () => {
  let editor: Editor;
  let workbench: Workbench;
  let view: View;
  let container: string;
  let packages: string;
  /** Key that no test deletes. */
  let stored: CreatedKey;

  before(async function (this: Context) {
    try {
      packages = await npmPackages(SDK);
    } catch (error) {
      if (!(error instanceof MissingDependency)) throw error;
      console.log(`skipped: ${error.message}`);
      this.skip();
    }
    container = mkdtempSync(path.join(os.tmpdir(), 'signalbox-keys-'));
    cpSync(path.join(ROOT, 'media/demo-workspace'), path.join(container, 'open'), { recursive: true });
    editor = await openEditor({
      workspace: path.join(container, 'open'),
      userSettings: { ...THEME_SETTINGS, 'editor.minimap.enabled': false, 'signalbox.errorMarks.text': false },
    });
    workbench = editor.workbench;
    await workbench.openContainer();
    await startLocally(workbench);
    await workbench.run('Signalbox: Select Project…');
    await workbench.choose(PROJECT.name);
    view = await openErrors();
    stored = await createKey(workbench, PROJECT);
  });
  after(async () => {
    await editor?.close();
    if (container !== undefined) rmSync(container, { recursive: true, force: true });
  });
  afterEach(screenshotsOfFailure(() => editor));
  afterEach(async () => {
    await workbench.stepBack();
  });

  it('a key is rotated with a real SDK, interrupted by a reload of the window', async () => {
    const { id: first, dsn: oldDsn } = await createKey(workbench, PROJECT);
    await crash(oldDsn);
    view = await openErrors();
    await view.toggleRow('Client Keys');
    await view.clickTitleAction('Refresh Tracked Errors');
    const used = await view.untilRow(({ label }) => label === `Client key ${first}`, 'the key');
    assert.match(used.description, /^used .* · glet_/);

    await view.chooseFromRowMenu(`Client key ${first}`, 'Rotate Client Key…');
    await untilPlaceholder((text) => text.startsWith('Set up your program with the new key. Waiting'), 'waiting');
    const labels = await workbench.choices();
    const second = Number(/Show Set-Up with Client Key (\d+)…/.exec(labels[0] ?? '')?.[1]);
    assert.deepEqual(labels, [
      `Show Set-Up with Client Key ${second}…`,
      `Copy DSN of Client Key ${second}`,
      'Open Terminal with DSN',
      'Confirm That the New Key Works',
      'For programs whose events you have seen elsewhere',
      `Undo: Delete New Client Key ${second}`,
    ]);
    await pictures(workbench, 'keys-waiting');
    await workbench.setClipboard('');
    await workbench.choose(`Copy DSN of Client Key ${second}`);
    const newDsn = await until(workbench.clipboard, (text) => text.includes('glet_'), 'a DSN');
    await workbench.choose(`Show Set-Up with Client Key ${second}…`);
    await workbench.choose('Node.js');
    await untilPlaceholder((text) => text.startsWith('Set up your program'), 'waiting again');
    await until(workbench.visibleLines, (lines) => lines.some((line) => line.includes(newDsn)), 'the set-up');
    await workbench.untilSaved(/clientKeys\.rotations/);
    await workbench.stepBack();
    await workbench.untilToast(({ message }) => message.startsWith('Client keys '), 'both keys are in use');

    await workbench.run('View: Revert and Close Editor');
    await workbench.reload();
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in again');
    await workbench.run('Signalbox: Rotate Client Key…');
    await chooseProject(workbench, PROJECT);
    await until(
      () =>
        workbench.page
          .locator('.quick-input-list .label-description, .quick-input-list .quick-input-list-label-meta')
          .allInnerTexts(),
      (texts) => texts.some((text) => text.includes(`is being replaced by client key ${second}`)),
      'the unfinished rotation',
    );
    await workbench.choose(`Client key ${first}`);
    await untilPlaceholder((text) => text.startsWith('Set up your program'), 'waiting after the reload');

    await crash(newDsn);
    await untilPlaceholder((text) => text.startsWith('The new key works: lamps@1.0.0 '), 'the event of the program');
    assert.ok((await workbench.choices()).includes('No program has used it since the new key was created.'));
    await crash(oldDsn);
    await until(workbench.choices, (all) => all.includes('lamps@1.0.0'), 'the program that still uses the old key');
    await pictures(workbench, 'keys-remaining');
    await workbench.choose(`Delete Old Client Key ${first}`);
    const { detail } = await workbench.dialog('');
    assert.match(detail, /rejected, also those of lamps@1\.0\.0 · /);
    await workbench.clickDialogButton('Delete');
    await workbench.untilToast(({ message }) => message.endsWith(`was replaced by client key ${second}.`), 'replaced');
    await workbench.clear();
    view = await openErrors();
    await view.toggleRow('Client Keys');
    const rows = await view.untilRows((all) => all.some(({ label }) => label === `Client key ${second}`), 'the new key');
    assert.ok(!rows.some(({ label }) => label === `Client key ${first}`));
  });

  it('a test error is sent from the palette in the shape of a language, and opened', async () => {
    await workbench.run('Signalbox: Send Test Error…');
    await chooseProject(workbench, PROJECT);
    await workbench.choose(`Client key ${stored.id}`);
    await until(workbench.choices, (labels) => labels.length === 7, 'the languages');
    await workbench.choose('PHP');
    await until(workbench.choices, (labels) => labels.join() === 'store,envelope', 'the endpoints');
    await workbench.choose('store');
    await workbench.page.locator('.tab.active', { hasText: 'RuntimeException: Test error' }).waitFor();
    await pictures(workbench, 'keys-test-error');
    await workbench.run('View: Close All Editors');
  });

  it('a rotation is undone, and leaves the old key', async () => {
    await workbench.run('Signalbox: Rotate Client Key…');
    await chooseProject(workbench, PROJECT);
    await workbench.choose(`Client key ${stored.id}`);
    await untilPlaceholder((text) => text.startsWith('Set up your program'), 'waiting');
    const third = /\d+/.exec((await workbench.choices())[0] ?? '')?.[0];
    await workbench.choose(`Undo: Delete New Client Key ${third}`);
    await workbench.untilToast(({ message }) => message.startsWith(`Client key ${stored.id} of `), 'undone');
    await workbench.clear();
  });

  /** Runs a program that fails and reports it to a DSN. */
  async function crash(dsn: string): Promise<void> {
    const program = [path.join(import.meta.dirname, 'crash.mjs'), path.join(packages, 'package.json'), dsn];
    const file = path.join(container, 'open/greet.js');
    await assert.rejects(promisify(execFile)(process.execPath, [...program, file], { env: testEnvironment() }));
  }

  async function openErrors(): Promise<View> {
    const errors = await workbench.openView('Tracked Errors');
    for (const title of ['My Activity', 'Project Activity']) await workbench.view(title).collapse();
    return errors;
  }

  function untilPlaceholder(accept: (text: string) => boolean, what: string): Promise<string> {
    const input = workbench.page.locator('.quick-input-widget input.input');
    return until(async () => ((await input.isVisible()) ? ((await input.getAttribute('placeholder')) ?? '') : ''), accept, what);
  }
});
