import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { requestOf, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'stopping-soak-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };
const REQUESTS = 135;

describe('a server that receives SIGTERM during 135 requests', () => {
  it('responds to all of them and keeps what it has acknowledged', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path];
    await using server = await spawnServer(args, { env });
    await requestOf(server, token, 'POST', '/api/v4/projects', { name: 'p' });
    const requests = Array.from({ length: REQUESTS }, (_, n) => {
      const text = JSON.stringify({ title: `Crane ${n}` });
      const request = http.request(`${server.origin}/api/v4/projects/1/issues`, {
        agent: new http.Agent({ keepAlive: true }),
        method: 'POST',
        headers: { 'PRIVATE-TOKEN': token, 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) },
      });
      const sent = once(request, 'finish');
      const answered = new Promise<number | undefined>((resolve, reject) => {
        request.once('error', reject);
        request.once('response', (response) => {
          response.resume().once('error', reject);
          response.once('end', () => resolve(response.statusCode));
        });
      });
      request.end(text);
      return { sent, answered };
    });
    const statuses = Promise.allSettled(requests.map(({ answered }) => answered));
    await Promise.all(requests.map(({ sent }) => sent));
    server.child.kill('SIGTERM');
    for (const outcome of await statuses) assert.deepEqual(outcome, { status: 'fulfilled', value: 201 });
    assert.equal(await server.ended, 0);
    await using again = await spawnServer(args, { env });
    const pages = await Promise.all(
      [1, 2].map((page) => requestOf(again, token, 'GET', `/api/v4/projects/1/issues?per_page=100&page=${page}`)),
    );
    assert.equal(pages.flat().length, REQUESTS);
  });
});
