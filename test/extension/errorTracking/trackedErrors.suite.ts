import assert from 'node:assert/strict';
import { start } from '../../support/host/suite/extension.ts';
import { startLocally } from '../../support/host/suite/signIn.ts';
import type { View } from '../../support/host/suite/trees.ts';
import { workbench } from '../../support/host/suite/workbench.ts';

/** A project of the demo user with demo errors. */
const TRACKED = { path: 'amara/berth-api', name: 'Berth API' } as const;

describe('tracked errors in their view', () => {
  let view: View;
  before(async () => {
    await start();
    await startLocally();
    view = await workbench.openView('Tracked Errors');
  });
  afterEach(() => workbench.clear());

  it('tracked errors of the project that the user selects are listed', async () => {
    await view.untilWelcome((text) => text.includes('Select a project'), 'no project');
    await workbench.run('Signalbox: Select Project…');
    await workbench.choose(TRACKED.name);
    const rows = await view.untilRows((all) => all.filter(({ icon }) => icon === 'error').length > 2, 'errors');
    assert.ok((await view.description()).includes(TRACKED.path), JSON.stringify(rows));
  });
});
