import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { spawnServer } from '../../support/serverProcess.ts';
import { pathIn } from './pulling.ts';
import { digestOf, startUpstreamRegistry } from './upstreamRegistry.ts';

const ADMIN_TOKEN = 'admin-token-of-large-blobs-0123456789';
const MIB = 1024 ** 2;

/** Downloads with `node:http`, because the responses of `fetch` are kept in memory and searched for secrets. Returns the size in bytes. */
async function sizeAt(address: string, token: string): Promise<number> {
  const request = get(address, { headers: { Authorization: `Bearer ${token}` } });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  assert.equal(response.statusCode, 200);
  let size = 0;
  for await (const chunk of response) size += (chunk as Buffer).length;
  return size;
}

describe('large blobs of the dependency proxy', () => {
  it('are passed on without holding them in memory', async function () {
    if (process.platform !== 'linux') return this.skip();
    await using upstream = await startUpstreamRegistry();
    const blob = Buffer.alloc(400 * MIB, 'layer ');
    upstream.push('library/large', 'latest', { manifest: Buffer.from('{}'), blobs: [blob] });
    const args = ['serve', '--memory', '--dependency-proxy-upstream', upstream.origin];
    await using server = await spawnServer(args, { env: { SIGNALBOX_ADMIN_TOKEN: ADMIN_TOKEN } });
    const created = await fetch(`${server.origin}/api/v4/groups`, {
      method: 'POST',
      headers: { 'PRIVATE-TOKEN': ADMIN_TOKEN, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Crew', path: 'crew' }),
    });
    assert.equal(created.status, 201);
    const signedIn = await fetch(`${server.origin}/jwt/auth?service=dependency_proxy`, {
      headers: { Authorization: `Basic ${Buffer.from(`root:${ADMIN_TOKEN}`).toString('base64')}` },
    });
    const { token } = (await signedIn.json()) as { readonly token: string };
    /** Returns the largest memory of the server so far, in bytes. */
    const peak = (): number => {
      const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
      return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
    };
    const before = peak();
    // The second pull is one from the cache.
    for (const pull of ['from the upstream', 'from the cache']) {
      const address = `${server.origin}${pathIn('crew', 'large', `blobs/${digestOf(blob)}`)}`;
      assert.equal(await sizeAt(address, token), blob.length, pull);
    }
    const grown = peak() - before;
    assert.ok(grown < 100 * MIB, `the memory grew by ${Math.round(grown / MIB)} MiB`);
  });
});
