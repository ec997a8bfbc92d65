import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { createConnectedServers } from '../../../src/local/connectedServers.ts';
import { takeHandover } from '../../../src/local/handover.ts';
import { createMask } from '../../../src/support/log.ts';
import { fakeLog, fakeSecrets } from '../../support/extension/fakes.ts';
import { startTestServer, TEST_ADMIN_TOKEN, type TestServer } from '../../support/server.ts';

describe('a server that a program hands over', () => {
  let server: TestServer;
  let folder: string;
  beforeEach(async () => {
    server = await startTestServer();
    folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-handover-'));
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true, force: true });
    await server.close();
  });

  async function take(text?: string) {
    const file = path.join(folder, 'connect.json');
    if (text !== undefined) writeFileSync(file, text, { mode: 0o600 });
    const [secrets, mask, log] = [fakeSecrets(), createMask(), fakeLog()];
    const connected = createConnectedServers(secrets, mask, log);
    await takeHandover({ folder, connected, send: sendByFetch, mask, log });
    assert.equal(existsSync(file), false);
    return { connected, lines: log.lines };
  }

  it('is connected, and the file with its token is deleted', async () => {
    const { connected, lines } = await take(JSON.stringify({ url: server.origin, adminToken: TEST_ADMIN_TOKEN }));
    assert.equal(connected.token(server.origin), TEST_ADMIN_TOKEN);
    assert.deepEqual(lines, []);
  });

  it('is ignored if it rejects the token, is not on this machine or cannot be read', async () => {
    for (const text of [
      JSON.stringify({ url: server.origin, adminToken: 'wrong-token' }),
      JSON.stringify({ url: 'https://gitlab.example.com', adminToken: TEST_ADMIN_TOKEN }),
      JSON.stringify({ url: 'http://127.0.0.1:1', adminToken: TEST_ADMIN_TOKEN }),
      '{"url":',
      '[]',
    ]) {
      const { connected, lines } = await take(text);
      assert.equal(connected.has(server.origin), false);
      assert.equal(lines.length, 1, text);
      assert.doesNotMatch(lines.join(), /wrong-token|test-admin-token/);
    }
  });

  it('is not there in most windows, where nothing happens', async () => {
    assert.deepEqual((await take()).lines, []);
  });
});
