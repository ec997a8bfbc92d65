import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { spawnServer, temporaryFolder } from '../support/serverProcess.ts';

const ADMIN_TOKEN = 'process-test-token-0123456789';

describe('the search for secrets after a server process has exited', () => {
  it('finds a secret that the test has received from it in its data folder', async () => {
    using folder = temporaryFolder();
    const server = await spawnServer(['serve', '--data', folder.path], { env: { SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN } });
    const response = await fetch(`${server.origin}/_local/sign-in-links`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'root' }),
    });
    writeFileSync(path.join(folder.path, 'notes'), await response.text());
    await assert.rejects(server.stop(), /the data folder contains a secret \(url\) in plain text/);
  });

  it('finds the admin token that it was started with', async () => {
    using folder = temporaryFolder();
    const handshake = JSON.stringify({ adminToken: ADMIN_TOKEN });
    const server = await spawnServer(['serve', '--data', folder.path, '--stdin-handshake'], { handshake });
    writeFileSync(path.join(folder.path, 'notes'), ADMIN_TOKEN);
    await assert.rejects(server.stop(), /the data folder contains a secret \(adminToken\) in plain text/);
  });
});
