import assert from 'node:assert/strict';
import { copyFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { ask, type RunningPlatform, startPlatform } from '../../support/host/platform.ts';
import { reset, start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { until } from '../../support/until.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const STATUS = 'signalbox.status';
const SEED = 'harbour.signalbox.yaml';
const NAME = 'Harbour test';
const MANAGED = 'Managed server';

const RESET = 'Signalbox: Reset Local Server…';
const RESTORE = 'Signalbox: Restore Local Server Snapshot…';
const SNAPSHOT = 'Signalbox: Take Snapshot…';
const CLOCK = 'Signalbox: Set Clock…';
const LOG = 'Signalbox: Show Local Server Log';
const FOLDER = 'Signalbox: Open Local Server Data Folder';
const RELEASE = 'Signalbox: Emulate Release…';
const ADDRESS = 'Signalbox: Copy Server Address';

describe('the commands of two local servers', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let connected: RunningPlatform;
  let plain: RunningPlatform;
  let managed = '';
  before(async () => {
    plain = await startPlatform('none');
  });
  after(() => plain?.close());
  beforeEach(async () => {
    folder = temporaryFolder();
    connected = await startPlatform('none', [], path.join(folder.path, 'data'));
    await start({
      settings: {
        'signalbox.local.seed': 'none',
        'signalbox.instances': [{ url: connected.origin, name: NAME }, { url: plain.origin }],
        // Views are loaded again only when the server says so.
        'signalbox.activity.pollSeconds': 3600,
      },
    });
    copyFileSync(path.join(ROOT, 'media/seeds', SEED), path.join(workspaceFolder(), SEED));
    await workbench.run('Signalbox: Start Local Server');
    await workbench.untilStatus(STATUS, (text) => text === 'Signalbox: signed out', 'the managed server runs');
    await workbench.run(ADDRESS);
    managed = await until(workbench.clipboard, (text) => text.startsWith('http'), 'the address of the managed server');
    await workbench.run('Signalbox: Connect to Local Server…');
    await workbench.choose(NAME);
    await workbench.fillInput(connected.adminToken);
    await workbench.untilStatus(STATUS, (text) => text === `Signalbox: signed out · ${NAME}`, 'connected');
    await workbench.clear();
  });
  afterEach(async () => {
    await workbench.clear();
    await reset();
    await connected?.close();
    folder[Symbol.dispose]();
  });

  const show = async (name: string): Promise<void> => {
    await workbench.run('Signalbox: Select Instance…');
    await workbench.choose(name);
    await workbench.untilStatus(STATUS, (_, spoken) => spoken.startsWith(`Signalbox, ${name}: `), `${name} is on screen`);
    await until(
      () => workbench.isInPalette(SNAPSHOT),
      (isShown) => isShown,
      'commands of servers',
    );
  };
  const idOf = async (origin: string): Promise<string> => {
    const health = (await (await fetch(`${origin}/_local/health`)).json()) as { readonly instance_id: string };
    return health.instance_id;
  };
  const clockOf = async (): Promise<unknown> => ask(connected, 'GET', '/_local/clock');

  it('act on the connected server while it is on screen, and leave the managed one as it is', async () => {
    await show(NAME);
    const [id, managedId] = [await idOf(connected.origin), await idOf(managed)];
    await workbench.run(RESTORE);
    await workbench.clickToast(`“${NAME}” has no snapshots yet.`, 'Take Snapshot…');
    await workbench.fillInput('monday');
    await workbench.untilToast(({ message }) => message.startsWith(`Snapshot monday was taken of “${NAME}”.`), 'taken');
    await workbench.clear();

    await workbench.openFile(SEED);
    await workbench.run('Signalbox: Apply Seed File…');
    await workbench.choose(SEED);
    await workbench.untilToast(({ message }) => message.startsWith(`Seed file ${SEED} was applied to “${NAME}”`), 'applied');
    assert.notDeepEqual(await ask(connected, 'GET', '/api/v4/projects'), []);
    await workbench.clear();

    await workbench.run(CLOCK);
    await workbench.choose('Stop the clock at…');
    await workbench.fillInput('2030-01-31 14:30');
    await workbench.untilToast(
      ({ message }) => message === `The clock of “${NAME}” is stopped at 2030-01-31 14:30:00 UTC`,
      'stopped',
    );
    assert.partialDeepStrictEqual(await clockOf(), { frozen: true });
    await workbench.clear();

    await workbench.run(RELEASE);
    await workbench.choose('17.0');
    await until(
      () => ask(connected, 'GET', '/_local/profile'),
      (profile) => JSON.stringify(profile).includes('"17.0"'),
      'the release of the connected server',
    );
    assert.equal(vscode.workspace.getConfiguration('signalbox.local').inspect('release')?.globalValue, undefined);

    await workbench.run(RESTORE);
    const [snapshot = ''] = await workbench.choices();
    await workbench.choose(snapshot);
    const question = await workbench.dialog(`Restore snapshot “monday” of “${NAME}”?`);
    assert.match(question.detail, /at the same address/);
    await workbench.clickDialogButton('Restore');
    await workbench.untilToast(({ message }) => message === `“${NAME}” was restored from snapshot monday.`, 'restored');
    assert.deepEqual(await ask(connected, 'GET', '/api/v4/projects'), []);
    assert.partialDeepStrictEqual(await clockOf(), { frozen: false });
    assert.equal(await idOf(connected.origin), id);
    await workbench.clear();

    await workbench.run(RESET);
    await workbench.dialog(`Reset “${NAME}”?`);
    await workbench.clickDialogButton('Reset');
    await workbench.untilToast(({ message }) => message.startsWith(`“${NAME}” was reset.`), 'reset');
    assert.notEqual(await idOf(connected.origin), id);
    await workbench.clear();

    await workbench.run(ADDRESS);
    await until(workbench.clipboard, (text) => text === connected.origin, 'the address of the connected server');
    await workbench.run(LOG);
    const logged = await untilOutput((text) =>
      text.includes('[info] reset; the previous data was saved as snapshot before-reset-'),
    );
    assert.ok(!logged.includes('aborted'), logged);
    assert.equal(await idOf(managed), managedId, 'the managed server has its data');
  });

  it('of the process of the managed server are not in the palette while the connected one is on screen', async () => {
    await show(NAME);
    for (const title of ['Restart Local Server', 'Stop Local Server', 'Select Data Profile…'])
      assert.ok(!workbench.isInPalette(`Signalbox: ${title}`), title);
    await until(
      () => workbench.isInPalette(FOLDER),
      (isShown) => isShown,
      'the data folder of the connected server',
    );
    await workbench.clickStatus(STATUS);
    const items = await workbench.choices();
    await workbench.cancel();
    for (const label of ['Disconnect', 'Restore snapshot…', 'Reset…', 'Copy address', 'Show log'])
      assert.ok(items.includes(label), label);
    for (const label of ['Restart', 'Stop', 'Select data profile…']) assert.ok(!items.includes(label), label);
    await show(MANAGED);
    for (const title of ['Restart Local Server', 'Stop Local Server', 'Select Data Profile…'])
      assert.ok(workbench.isInPalette(`Signalbox: ${title}`), title);
  });

  it('act on the managed server while it is on screen, and leave the connected one as it is', async () => {
    await show(MANAGED);
    const [id, managedId] = [await idOf(connected.origin), await idOf(managed)];
    const before = await ask(connected, 'GET', '/_local/snapshots');
    await workbench.run(SNAPSHOT);
    await workbench.fillInput('tuesday');
    await workbench.untilToast(({ message }) => message.startsWith(`Snapshot tuesday was taken of “${MANAGED}”.`), 'taken');
    await workbench.clear();
    await workbench.run(CLOCK);
    await workbench.choose('Stop the clock at…');
    await workbench.fillInput('2031-01-31 14:30');
    await workbench.untilToast(({ message }) => message.startsWith(`The clock of “${MANAGED}” is stopped at 2031`), 'stopped');
    await workbench.clear();
    await workbench.run(RESET);
    await workbench.dialog('Reset data profile “default” of the managed server?');
    await workbench.clickDialogButton('Reset');
    await workbench.untilToast(({ message }) => message.startsWith('Data profile “default” was reset.'), 'reset');
    assert.notEqual(await idOf(managed), managedId);
    await workbench.clear();
    assert.equal(await idOf(connected.origin), id);
    assert.partialDeepStrictEqual(await clockOf(), { frozen: false });
    assert.deepEqual(await ask(connected, 'GET', '/_local/snapshots'), before);
  });

  it('ask which server is meant while another instance is on screen', async () => {
    await show(plain.label);
    const managedId = await idOf(managed);
    await workbench.run(SNAPSHOT);
    assert.deepEqual((await workbench.choices()).toSorted(), [NAME, MANAGED]);
    await workbench.choose(NAME);
    await workbench.fillInput('wednesday');
    await workbench.untilToast(({ message }) => message.startsWith(`Snapshot wednesday was taken of “${NAME}”.`), 'taken');
    await workbench.clear();
    await workbench.run(RESET);
    await workbench.choose(NAME);
    await workbench.dialog(`Reset “${NAME}”?`);
    await workbench.clickDialogButton('Reset');
    await workbench.untilToast(({ message }) => message.startsWith(`“${NAME}” was reset.`), 'reset');
    await workbench.clear();
    await workbench.run(ADDRESS);
    await workbench.choose(MANAGED);
    await until(workbench.clipboard, (text) => text === managed, 'the address of the managed server');
    await workbench.run(RELEASE);
    await workbench.choose(NAME);
    await workbench.choose('16.0');
    await until(
      () => ask(connected, 'GET', '/_local/profile'),
      (profile) => JSON.stringify(profile).includes('"16.0"'),
      'the release of the connected server',
    );
    assert.equal(await idOf(managed), managedId);
  });

  it('leave a sign-in that the restored snapshot has, and show that a newer one has ended', async () => {
    await show(NAME);
    await ask(connected, 'POST', '/_local/snapshots', { name: 'before' });
    await workbench.run('Signalbox: Sign In as Demo User…');
    await workbench.choose('Administrator');
    await workbench.untilStatus(STATUS, (text) => text === `@root · ${NAME}`, 'signed in');
    const mine = await workbench.openView('My Activity');
    await ask(connected, 'POST', '/_local/snapshots', { name: 'signed-in' });
    await ask(connected, 'POST', '/api/v4/projects', { name: 'Lamps' });
    await mine.untilRow(({ label }) => label.includes('Created the project'), 'the new project');
    await ask(connected, 'POST', '/_local/restore', { name: 'signed-in' });
    await mine.untilRows((rows) => !rows.some(({ label }) => label.includes('Created the project')), 'the data of the snapshot');
    await ask(connected, 'POST', '/api/v4/projects', { name: 'Buoys' });
    await mine.untilRow(({ label }) => label.includes('Created the project'), 'live updates of the new data');
    await ask(connected, 'POST', '/_local/restore', { name: 'before' });
    await workbench.untilStatus(STATUS, (_, spoken) => /no longer/.test(spoken), 'the sign-in has ended');
    mine.close();
  });

  it('open the data folder of the server on screen', async () => {
    await show(NAME);
    const data = realpathSync(path.join(folder.path, 'data'));
    const health = (await ask(connected, 'GET', '/_local/health')) as { readonly data_folder: string };
    assert.equal(realpathSync(health.data_folder), data);
  });
});

function untilOutput(accept: (text: string) => boolean): Promise<string> {
  return until(
    () =>
      vscode.window.visibleTextEditors
        .filter(({ document }) => document.uri.scheme === 'output')
        .map(({ document }) => document.getText())
        .join('\n'),
    accept,
    'the Output panel',
  );
}
