import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { temporaryFolder } from '../../support/serverProcess.ts';
import { serve, serveUntil } from './refreshKills.ts';

describe('a server killed while it writes the ID token signing key', () => {
  it('a complete signing key is created after the restart and kept', async () => {
    using container = temporaryFolder();
    const folder = `${container.path}/data`;
    const keys = async ({ origin }: { readonly origin: string }): Promise<string> => {
      const response = await fetch(`${origin}/oauth/discovery/keys`);
      assert.equal(response.status, 200);
      return response.text();
    };
    await using killed = await serveUntil('keyWriting', folder);
    await assert.rejects(keys(killed));
    assert.equal(await killed.ended, 'SIGKILL');
    const published: string[] = [];
    for (let start = 0; start < 2; start += 1) {
      await using server = await serve(folder);
      published.push(await keys(server));
    }
    assert.match(published[0] ?? '', /"kty":"RSA"/);
    assert.equal(published[1], published[0]);
  });
});
