import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { start, workspaceFolder } from '../../support/host/suite/extension.ts';
import { visit } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';
import { until } from '../../support/until.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const STATUS = 'signalbox.status';
const SEED = 'harbour.signalbox.yaml';

describe('the commands of the running local server', () => {
  before(async () => {
    copyFileSync(path.join(ROOT, 'media/seeds', SEED), path.join(workspaceFolder(), SEED));
    await start({ settings: { 'signalbox.local.seed': 'none' } });
  });
  after(() => workbench.clear());

  it('the commands of the running local server take and restore a snapshot, set the clock, apply a seed file and open the home page', async () => {
    await workbench.run('Signalbox: Start Local Server');
    await workbench.untilStatus(STATUS, (text) => text.includes('signed out'), 'server runs');

    await workbench.run('Signalbox: Restore Local Server Snapshot…');
    await workbench.clickToast('has no snapshots yet', 'Take Snapshot…');
    await workbench.fillInput('before');
    await workbench.untilToast(({ message }) => message.includes('Snapshot before was taken'), 'snapshot taken');
    await workbench.clear();

    await workbench.run('Signalbox: Set Clock…');
    assert.ok((await workbench.choices()).includes('Stop the clock now'));
    await workbench.choose('Stop the clock at…');
    await workbench.fillInput('2030-01-31 14:30');
    await workbench.untilToast(({ message }) => message.includes('is stopped at 2030-01-31 14:30:00 UTC'), 'clock stopped');
    await workbench.clear();
    await workbench.run('Signalbox: Set Clock…');
    await workbench.choose('Advance by 1 day');
    await workbench.untilToast(({ message }) => message.includes('is stopped at 2030-02-01 14:30:00 UTC'), 'clock advanced');
    await workbench.clear();

    await workbench.openFile(SEED);
    await workbench.run('Signalbox: Apply Seed File…');
    await workbench.choose(SEED);
    const applied = await workbench.untilToast(({ message }) => message.includes(`Seed file ${SEED} was applied`), 'applied');
    assert.deepEqual(applied.buttons, ['Copy Passwords and Tokens']);
    await workbench.clear();
    await workbench.run('Signalbox: Apply Seed File…');
    await workbench.choose(SEED);
    await workbench.untilToast(({ severity, message }) => severity === 'error' && message.includes(SEED), 'refused');
    await workbench.clear();

    await workbench.run('Signalbox: Open Home Page as…');
    await workbench.choose('Ines Duarte');
    const home = await visit(await workbench.untilPage(() => true, 'the home page'));
    assert.match(home.page, /<h1[^>]*>[^<]*Ines/);

    await workbench.run('Signalbox: Restore Local Server Snapshot…');
    const [snapshot = ''] = await workbench.choices();
    await workbench.choose(snapshot);
    const question = await workbench.dialog('Restore snapshot “before” of data profile “default”?');
    assert.match(question.detail, /^All data of the managed server is replaced/);
    await workbench.clickDialogButton('Restore');
    await workbench.untilToast(({ message }) => message.includes('was restored from snapshot before'), 'restored');
    await workbench.clear();
    await workbench.run('Signalbox: Set Clock…');
    assert.ok(!(await workbench.choices()).includes('Use the time of this machine'), 'the clock is that of the snapshot');
    await workbench.cancel();
    await workbench.run('Signalbox: Copy Server Address');
    const address = await until(workbench.clipboard, (text) => text !== '', 'the address');
    assert.equal(address, home.address.origin);
    await workbench.run('Signalbox: Stop Local Server');
    await workbench.untilStatus(STATUS, (text) => text.includes('stopped'), 'server stopped');
  });
});
