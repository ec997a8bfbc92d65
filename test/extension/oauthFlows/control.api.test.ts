import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { sendByFetch } from '../../../src/api/fetch.ts';
import { createLocalControl } from '../../../src/local/control.ts';
import { deviceCodes, extension } from '../../server/oauth/support.ts';
import { startTestServer, TEST_ADMIN_TOKEN, type TestServer } from '../../support/server.ts';

describe('the control API of the local server', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startTestServer();
  });
  afterEach(() => server.close());
  const control = (token = TEST_ADMIN_TOKEN) => createLocalControl(server.origin, token, sendByFetch, Date.now);

  it('lists OAuth flows with a link to their page', async () => {
    await deviceCodes(server, extension);
    const [summary] = await control().flows();
    assert.equal(summary?.application?.name, 'Signalbox for VS Code');
    const flow = await control().flow(summary.id);
    assert.deepEqual(
      flow?.steps.map(({ title }) => title),
      ['Device authorization request'],
    );
    assert.equal(await control().flow('00000000'), undefined);
    const link = await control().signInLink(await control().administrator(), `/_local/oauth/${summary.id}`);
    const opened = await server.request('GET', link);
    assert.equal(opened.headers.get('location'), `/_local/oauth/${summary.id}`);
  });

  it('requires the admin token', async () => {
    await assert.rejects(control('another token').flows(), /no longer accepts/);
    await assert.rejects(control('another token').flow('00000000'), /no longer accepts/);
  });
});
