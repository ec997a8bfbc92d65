import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { createInstances } from '../../../src/instances/instances.ts';
import { checkAdminToken, createConnectedServers, isLocalAddress } from '../../../src/local/connectedServers.ts';
import { createControls } from '../../../src/local/controls.ts';
import { createMask } from '../../../src/support/log.ts';
import { fakeLog, fakeMemento, fakeSecrets, noSupervisor } from '../../support/extension/fakes.ts';
import { startTestServer, TEST_ADMIN_TOKEN, type TestServer } from '../../support/server.ts';

describe('local servers of other programs', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer();
  });
  afterEach(() => server.close());

  function world(secrets = fakeSecrets()) {
    const mask = createMask();
    const log = fakeLog();
    const connected = createConnectedServers(secrets, mask, log);
    const instances = createInstances(
      () => [{ url: server.origin }],
      fakeMemento(),
      () => 'data-1',
      connected.has,
    );
    connected.onDidChange(instances.reread);
    const adminToken = async (): Promise<string> => 'token of another server';
    const control = createControls({ supervisor: noSupervisor, adminToken, connected, instances, send: sendByFetch, log });
    return { secrets, mask, log, connected, instances, control };
  }

  it('a connected server is controlled like that of the extension, in every window', async () => {
    const { secrets, connected, instances, control, mask } = world();
    assert.equal(await control(), undefined);
    assert.equal(instances.current().isConnected, undefined);
    let changes = 0;
    instances.onDidChangeCurrent(() => (changes += 1));
    await connected.connect(server.origin, TEST_ADMIN_TOKEN);
    assert.equal(instances.current().isConnected, true);
    assert.equal(changes, 1);
    assert.equal(await (await control())?.administrator(), 'root');
    assert.doesNotMatch(mask.apply(`token ${TEST_ADMIN_TOKEN}`), /test-admin/);

    const other = world(secrets);
    await other.connected.load();
    assert.equal(other.instances.current().isConnected, true);
    assert.equal(await (await other.control(server.origin))?.administrator(), 'root');
  });

  it('a server that is disconnected in one window is disconnected in all, and its token is deleted', async () => {
    const { secrets, connected, instances, control } = world();
    const other = world(secrets);
    await connected.connect(server.origin, TEST_ADMIN_TOKEN);
    assert.equal(other.instances.current().isConnected, true);
    await connected.disconnect(server.origin);
    assert.equal(other.instances.current().isConnected, undefined);
    assert.equal(instances.current().isConnected, undefined);
    assert.equal(await control(server.origin), undefined);
    assert.deepEqual([...secrets.values], []);
  });

  it('a connected server that was started with another token is disconnected on the first request', async () => {
    const { secrets, connected, instances, control, log } = world();
    await connected.connect(server.origin, 'the token of the previous start');
    const controlled = await control();
    await assert.rejects(controlled?.flows() ?? Promise.resolve(), /no longer accepts/);
    assert.equal(instances.current().isConnected, undefined);
    assert.deepEqual([...secrets.values], []);
    assert.ok(!JSON.stringify(log).includes('previous start'));
  });

  it('only servers on this machine are connected', async () => {
    const { connected } = world();
    for (const address of ['http://127.0.0.1:80', 'http://localhost:3000', 'http://[::1]:1', 'https://signalbox.localhost'])
      assert.equal(isLocalAddress(address), true, address);
    for (const address of [
      'https://gitlab.example.com',
      'http://192.168.0.2',
      'http://127.0.0.1.example.com',
      'ftp://127.0.0.1',
      '',
    ])
      assert.equal(isLocalAddress(address), false, address);
    await assert.rejects(connected.connect('https://gitlab.example.com', 'secret'), /not an address of this machine/);
    const secrets = fakeSecrets();
    secrets.values.set('local/connected/https://gitlab.example.com', 'secret');
    const other = world(secrets);
    await other.connected.load();
    assert.equal(other.connected.has('https://gitlab.example.com'), false);
  });

  it('an admin token is checked before it is kept, and is sent to Signalbox servers only', async () => {
    assert.equal(await checkAdminToken(server.origin, TEST_ADMIN_TOKEN, sendByFetch), 'accepted');
    assert.equal(await checkAdminToken(server.origin, 'wrong', sendByFetch), 'rejected');
    const seen: (string | undefined)[] = [];
    const other = await listening((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
    });
    assert.equal(await checkAdminToken(other.origin, TEST_ADMIN_TOKEN, sendByFetch), 'notSignalbox');
    assert.deepEqual(seen, [undefined]);
    other.close();
  });
});

async function listening(handle: RequestListener): Promise<{ readonly origin: string; readonly close: () => void }> {
  const program = createServer(handle);
  await new Promise<void>((resolve) => program.listen(0, '127.0.0.1', resolve));
  const address: AddressInfo | string | null = program.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { origin: `http://127.0.0.1:${address.port}`, close: () => program.close() };
}
