import assert from 'node:assert/strict';
import path from 'node:path';
import { spawnServer, temporaryFolder } from '../../support/serverProcess.ts';
import { makeProject, measureNewcomers } from './newcomers.ts';

const token = 'newcomers-test-token-0123456789';

describe('a server on a slow disk that many write to', function () {
  it('a server on a slow disk that many write to accepts new connections between writes, not only after all of them', async () => {
    using folder = temporaryFolder();
    await using server = await spawnServer(['serve', '--data', folder.path], {
      env: { SIGNALBOX_ADMIN_TOKEN: token, SIGNALBOX_TEST_SLOW_COMMIT: '10' },
      preload: path.join(import.meta.dirname, '../../support/driverFaults.ts'),
    });
    await makeProject(server, token);
    const { writes } = await measureNewcomers(server, token, { writers: 24, newcomers: 12, rounds: 1 });
    // If one turn of the event loop did all writes and accepted one connection, each of the twelve would wait for 24 writes.
    assert.ok(writes < 24 * 6, `${writes} writes were answered before twelve newcomers were`);
  });
});
