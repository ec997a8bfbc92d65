import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { createClient } from '../../../src/api/client.ts';
import { createLoopbackSend } from '../../../src/api/undici.ts';
import { loadCalls } from '../../../src/deprecations/requests.ts';
import { createLocalControl } from '../../../src/local/control.ts';
import { startTestServer } from '../../support/server.ts';

const send = createLoopbackSend();

describe('calls of deprecated elements', () => {
  it('those of all users are listed with the admin token, page by page, and as seen from a release', async () => {
    await using server = await startTestServer();
    const body = () => new URLSearchParams({ grant_type: 'password', username: 'nobody', password: 'wrong' });
    for (let client = 0; client < 101; client += 1) {
      const headers = { 'User-Agent': `lamp-board/${client}` };
      await fetch(`${server.origin}/oauth/token`, { method: 'POST', body: body(), headers });
    }
    const control = createLocalControl(server.origin, server.adminToken, send, Date.now);
    const calls = await control.deprecatedCalls('19.0');
    assert.equal(calls.length, 101);
    assert.deepEqual(
      new Set(calls.map(({ deprecation, breaks }) => [deprecation, breaks].join())),
      new Set(['password-grant,true']),
    );
    assert.deepEqual(new Set((await control.deprecatedCalls('18.11')).map(({ breaks }) => breaks)), new Set([false]));
    const client = createClient({
      baseUrl: server.origin,
      send,
      credentials: { token: async () => server.adminToken, renewed: async () => undefined },
      now: Date.now,
      sleep: async () => undefined,
    });
    // The calls were anonymous, so they do not belong to the owner of the token.
    assert.deepEqual(await loadCalls(client, '19.0', false), []);
  });
});
