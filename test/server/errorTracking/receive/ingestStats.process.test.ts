import assert from 'node:assert/strict';
import path from 'node:path';
import { endPlatform } from '../../../../server/createPlatform.ts';
import { createTestPlatform, startTestServer } from '../../../support/server.ts';
import { spawnServer, temporaryFolder } from '../../../support/serverProcess.ts';
import { envelope, errorEvent, trackedProject } from '../senders.ts';

describe('a server that is stopped', () => {
  it('a stopped server has written all ingest statistics', async () => {
    using folder = temporaryFolder();
    const file = path.join(folder.path, 'signalbox.sqlite');
    const filling = await startTestServer({ file });
    const { id, key } = trackedProject(filling);
    await filling.close();
    await using server = await spawnServer(['serve', '--data', folder.path]);
    assert.equal(server.line['event'], 'listening', JSON.stringify(server.line));
    const target = `${server.origin}/api/v4/error_tracking/collector/api/${id}/envelope/?sentry_key=${key}`;
    for (const body of [envelope({}, { event: errorEvent('load') }), 'nonsense']) await fetch(target, { method: 'POST', body });
    server.child.kill('SIGTERM');
    await server.ended;
    const platform = createTestPlatform({ file });
    const { store } = platform;
    try {
      assert.deepEqual(store.all('SELECT outcome, name, quantity FROM tracked_arrivals WHERE project_id = $id', { id }), [
        { outcome: 'accepted', name: 'event', quantity: 1 },
        { outcome: 'refused', name: 'malformed', quantity: 1 },
      ]);
      assert.equal(store.all('SELECT 1 FROM tracked_refusals WHERE project_id = $id', { id }).length, 1);
    } finally {
      endPlatform(platform);
    }
  });
});
