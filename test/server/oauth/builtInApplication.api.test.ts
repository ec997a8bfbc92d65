import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { EXTENSION_CLIENT_ID, EXTENSION_REDIRECT_URIS } from '../../../src/contract/product.ts';
import { startTestServer } from '../../support/server.ts';
import { addressOf, person, requestOf } from './codes.ts';
import { extension } from './support.ts';

describe('redirect URIs of the built-in application', () => {
  it('the redirect URIs of the built-in application are added to an existing database', async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), 'signalbox-redirects-'));
    const file = path.join(folder, 'signalbox.sqlite');
    try {
      const before = await startTestServer({ file });
      before.platform.store.run("UPDATE oauth_applications SET redirect_uris = ''");
      await before.close();
      await using after = await startTestServer({ file });
      const response = await after.request('GET', '/api/v4/applications', { token: after.adminToken });
      const applications = response.json();
      assert.ok(Array.isArray(applications));
      assert.deepEqual(
        applications.map(({ application_id: uid, callback_url: uris }) => [uid, String(uris).split('\n')]),
        [[EXTENSION_CLIENT_ID, [...EXTENSION_REDIRECT_URIS]]],
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  for (const [redirectUri, status] of [
    ['http://127.0.0.1:40123/oauth/callback', 200],
    ['http://127.0.0.1/oauth/callback', 200],
    ['vscode://signalbox.signalbox/oauth/callback', 200],
    ['vscode-insiders://signalbox.signalbox/oauth/callback', 200],
    ['vscodium://signalbox.signalbox/oauth/callback', 200],
    ['http://localhost:40123/oauth/callback', 400],
    ['http://127.0.0.1:40123/', 400],
    ['vscode://signalbox.signalbox/event/1', 400],
    ['vscode://evil.signalbox/oauth/callback', 400],
    ['https://lamps.example/oauth/callback', 400],
  ] as const) {
    it(`the redirect URI ${redirectUri} of the built-in application is ${status === 200 ? 'accepted' : 'refused'}`, async () => {
      await using server = await startTestServer();
      const browser = await person(server);
      const page = await browser.open(addressOf(requestOf(extension, { redirect_uri: redirectUri })));
      assert.equal(page.status, status, page.text);
    });
  }
});
