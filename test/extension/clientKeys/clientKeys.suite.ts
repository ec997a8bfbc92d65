import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Context } from 'mocha';
import { npmPackages, orSkip } from '../../support/clientSuite.ts';
import { testEnvironment } from '../../support/environment.ts';
import { DEMO_USER } from '../../support/host/platform.ts';
import { chooseProject, type CreatedKey, createKey } from '../../support/host/suite/clientKeys.ts';
import { activeDocument, untilEditor } from '../../support/host/suite/errors.ts';
import { start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { panelOf } from '../../support/host/suite/panels.ts';
import { startLocally } from '../../support/host/suite/signIn.ts';
import type { View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const STATUS = 'signalbox.status';
const ROOT = path.join(import.meta.dirname, '../../..');
const SDK = path.join(ROOT, 'test/clients/node/sentry');
/** A project of the demo user with demo errors, whose code is in the demo workspace. */
const PROJECT = { path: 'amara/berth-api', name: 'Berth API' } as const;

describe('client keys', () => {
  let view: View;
  let packages: string;
  /** Key that no test deletes. */
  let stored: CreatedKey;

  before(async function (this: Context) {
    packages = await orSkip(this, npmPackages(SDK));
    cpSync(path.join(ROOT, 'media/demo-workspace'), workspaceFolder(), { recursive: true });
    await start();
    await startLocally();
    await workbench.run('Signalbox: Select Project…');
    await workbench.choose(PROJECT.name);
    view = await workbench.openView('Tracked Errors');
    stored = await createKey(PROJECT);
  });
  afterEach(() => workbench.clear());

  it('a key is rotated with a real SDK, interrupted by a reload of the window', async () => {
    const { id: first, dsn: oldDsn } = await createKey(PROJECT);
    await crash(oldDsn);
    await view.toggleRow('Client Keys');
    await view.clickTitleAction('Refresh Tracked Errors');
    const used = await view.untilRow(({ label }) => label === `Client key ${first}`, 'the key');
    assert.match(used.description, /^used .* · glet_/);

    await view.chooseFromRowMenu(`Client key ${first}`, 'Rotate Client Key…');
    await workbench.untilText((text) => text.startsWith('Set up your program with the new key. Waiting'), 'waiting');
    const labels = await workbench.choices();
    const second = Number(/Show Set-Up with Client Key (\d+)…/.exec(labels[0] ?? '')?.[1]);
    assert.deepEqual(labels, [
      `Show Set-Up with Client Key ${second}…`,
      `Copy DSN of Client Key ${second}`,
      'Open Terminal with DSN',
      'Confirm That the New Key Works',
      `Undo: Delete New Client Key ${second}`,
    ]);
    const [, , , confirm] = await workbench.entries();
    assert.equal(confirm?.detail, 'For programs whose events you have seen elsewhere');
    await workbench.setClipboard('');
    await workbench.choose(`Copy DSN of Client Key ${second}`);
    const newDsn = await until(workbench.clipboard, (text) => text.includes('glet_'), 'a DSN');
    await workbench.choose(`Show Set-Up with Client Key ${second}…`);
    await workbench.choose('Node.js');
    await workbench.untilText((text) => text.startsWith('Set up your program'), 'waiting again');
    await untilEditor((text) => text.includes(newDsn), 'the set-up');
    const setUp = activeDocument();
    await workbench.cancel();
    await workbench.untilToast(({ message }) => message.startsWith('Client keys '), 'both keys are in use');

    await workbench.discard(setUp);
    await workbench.clear();
    await workbench.reload();
    await workbench.untilStatus(STATUS, (text) => text.includes(`@${DEMO_USER.username}`), 'signed in again');
    await workbench.run('Signalbox: Rotate Client Key…');
    await chooseProject(PROJECT);
    await until(
      workbench.entries,
      (entries) => entries.some(({ detail }) => detail.includes(`is being replaced by client key ${second}`)),
      'the unfinished rotation',
    );
    await workbench.choose(`Client key ${first}`);
    await workbench.untilText((text) => text.startsWith('Set up your program'), 'waiting after the reload');

    await crash(newDsn);
    await workbench.untilText((text) => text.startsWith('The new key works: lamps@1.0.0 '), 'the event of the program');
    const texts = (await workbench.entries()).map(({ label, detail }) => `${label}\n${detail}`).join('\n');
    assert.match(texts, /Delete Old Client Key \d+\nLast used .+ by lamps@1\.0\.0 · /);
    await crash(oldDsn);
    await until(workbench.choices, (all) => all.includes('lamps@1.0.0'), 'the program that still uses the old key');
    await workbench.choose(`Delete Old Client Key ${first}`);
    const { detail } = await workbench.dialog('');
    assert.match(detail, /rejected, also those of lamps@1\.0\.0 · /);
    await workbench.clickDialogButton('Delete');
    const again = await workbench.dialog('was used after the new key was created');
    assert.match(again.detail, /^Last used .+ by lamps@1\.0\.0 · /);
    await workbench.clickDialogButton('Delete Anyway');
    await workbench.untilToast(({ message }) => message.endsWith(`was replaced by client key ${second}.`), 'replaced');
    await workbench.clear();
    await view.toggleRow('Client Keys');
    const rows = await view.untilRows((all) => all.some(({ label }) => label === `Client key ${second}`), 'the new key');
    assert.ok(!rows.some(({ label }) => label === `Client key ${first}`));
  });

  it('a test error is sent from the palette in the shape of a language, and opened', async () => {
    await workbench.run('Signalbox: Send Test Error…');
    await chooseProject(PROJECT);
    await workbench.choose(`Client key ${stored.id}`);
    await until(workbench.choices, (labels) => labels.length === 7, 'the languages');
    await workbench.choose('PHP');
    await until(workbench.choices, (labels) => labels.join() === 'store,envelope', 'the endpoints');
    await workbench.choose('store');
    await panelOf((title) => title.includes('RuntimeException: Test error'), 'the test error');
  });

  it('a rotation is undone, and leaves the old key', async () => {
    await workbench.run('Signalbox: Rotate Client Key…');
    await chooseProject(PROJECT);
    await workbench.choose(`Client key ${stored.id}`);
    await workbench.untilText((text) => text.startsWith('Set up your program'), 'waiting');
    const third = /\d+/.exec((await workbench.choices())[0] ?? '')?.[0];
    await workbench.choose(`Undo: Delete New Client Key ${third}`);
    await workbench.untilToast(({ message }) => message.startsWith(`Client key ${stored.id} of `), 'undone');
    await workbench.clear();
  });

  /** Runs a program that fails and reports it to a DSN. */
  async function crash(dsn: string): Promise<void> {
    const program = [path.join(ROOT, 'test/story/crash.mjs'), path.join(packages, 'package.json'), dsn];
    const file = path.join(workspaceFolder(), 'greet.js');
    await assert.rejects(promisify(execFile)(process.execPath, [...program, file], { env: testEnvironment() }));
  }
});
