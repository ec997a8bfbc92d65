import assert from 'node:assert/strict';
import { errorEvent, trackedProject } from '../errorTracking/senders.ts';
import { startTestServer, TEST_ADMIN_TOKEN } from '../../support/server.ts';
import { spawnServer, temporaryFolder } from '../../support/serverProcess.ts';
import { sendCompressedBodies } from './bodyMemory.ts';

describe('a server that receives many bodies of 39 MB at once', () => {
  it('the server responds to many large bodies, keeps serving other clients, and accepts the next event', async () => {
    using folder = temporaryFolder();
    const file = `${folder.path}/signalbox.sqlite`;
    const { project, key } = await (async () => {
      await using filling = await startTestServer({ file });
      const tracked = trackedProject(filling);
      return { project: tracked.id, key: tracked.key };
    })();
    await using server = await spawnServer(['serve', '--data', folder.path, '--port', '0'], {
      env: { SIGNALBOX_ADMIN_TOKEN: TEST_ADMIN_TOKEN },
    });
    const { origin } = server;
    for (let round = 0; round < 3; round += 1) {
      const withoutKey = await sendCompressedBodies({ origin, projectId: project, requests: 80 });
      for (const status of withoutKey.keys()) assert.ok([400, 503].includes(status), `status ${status}`);
      const withKey = await sendCompressedBodies({ origin, projectId: project, key, requests: 60 });
      for (const status of withKey.keys()) assert.ok([413, 503].includes(status), `status ${status}`);
      const response = await fetch(`${origin}/api/v4/error_tracking/collector/api/${project}/store/`, {
        method: 'POST',
        headers: { 'X-Sentry-Auth': `Sentry sentry_key=${key}` },
        body: JSON.stringify(errorEvent('load')),
      });
      assert.equal(response.status, 200, await response.text());
    }
  });
});
