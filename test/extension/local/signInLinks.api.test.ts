import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { createLocalControl } from '../../../src/local/control.ts';
import { startTestServer, type TestServer } from '../../support/server.ts';

const send = createLoopbackSend();

describe('sign-in links of the local server', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer();
  });
  after(() => server?.close());

  it('the local server creates a link that signs a user in and opens the device page', async () => {
    const control = createLocalControl(server.origin, server.adminToken, send, Date.now);
    assert.deepEqual(
      (await control.users()).map(({ username }) => username),
      ['root'],
    );
    const link = await control.signInLink('root', '/oauth/device?user_code=ABCD-EFGH');
    const opened = await send({ method: 'GET', url: link, headers: {} });
    assert.equal(opened.headers.get('location'), '/oauth/device?user_code=ABCD-EFGH');
    assert.match(opened.headers.get('set-cookie') ?? '', /session/);
  });

  it('the local server rejects requests with another admin token', async () => {
    const control = createLocalControl(server.origin, 'wrong'.repeat(10), send, Date.now);
    await assert.rejects(control.users());
    await assert.rejects(control.signInLink('root', '/'));
  });
});
