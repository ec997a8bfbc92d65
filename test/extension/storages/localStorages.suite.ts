import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import assert from 'node:assert/strict';
import os from 'node:os';
import path from 'node:path';
import { start } from '../../support/host/suite/extension.ts';
import { startLocally } from '../../support/host/suite/signIn.ts';
import { workbench } from '../../support/host/suite/workbench.ts';

const STATUS = 'signalbox.status';

describe('the storages of the local server', () => {
  let home: string;
  before(() => {
    home = mkdtempSync(path.join(os.tmpdir(), 'signalbox-local-storages-'));
  });
  after(() => rmSync(home, { recursive: true, force: true }));
  afterEach(() => workbench.clear());

  it('the local server has the storages of the setting, which administrators see', async () => {
    const folder = path.join(home, 'archive');
    await start({ settings: { 'signalbox.local.storages': { archive: folder } } });
    await startLocally();
    assert.ok(existsSync(folder));
    await workbench.run('Signalbox: Sign In as Demo User…');
    await workbench.choose('Administrator');
    await workbench.untilStatus(STATUS, (text) => text.includes('@root'), 'signed in as administrator');
    const storages = await workbench.openView('Storages');
    await storages.untilRow(
      ({ label, description }) => label === 'archive' && description.startsWith('0 projects'),
      'the storage',
    );
    await storages.untilRow(
      ({ label, description }) => label === 'default' && / projects/.test(description),
      'the other storage',
    );
  });
});
