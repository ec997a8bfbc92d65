import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { commitFiles } from '../git/repository.ts';
import { actor, projectWith } from '../projects/cast.ts';
import { clientTest, npmPackages } from '../../support/clientSuite.ts';
import { environment } from '../../support/gitClient.ts';
import { startTestServer } from '../../support/server.ts';

/** Time limit of both runs, in milliseconds. */
const LIMIT = 300_000;

clientTest(
  'Renovate opens a merge request for an update, and a second run leaves it alone',
  () => npmPackages(path.join(import.meta.dirname, '../../clients/node/renovate')),
  async (packages) => {
    await using server = await startTestServer();
    const registry = await startRegistry();
    const folder = mkdtempSync(path.join(tmpdir(), 'signalbox-renovate-'));
    try {
      const ada = actor(server.platform, 'ada');
      const found = projectWith(server.platform, ada, { name: 'Lamps' });
      await commitFiles(server.platform, found, ada, {
        'package.json': `${JSON.stringify({ name: 'lamps', dependencies: { 'lamp-parts': '1.0.0' } }, undefined, 2)}\n`,
        '.npmrc': `registry=${registry.origin}\n`,
        'renovate.json': '{}\n',
      });
      const env = {
        ...environment(folder),
        RENOVATE_PLATFORM: 'gitlab',
        RENOVATE_ENDPOINT: `${server.origin}/api/v4/`,
        RENOVATE_TOKEN: ada.token,
        RENOVATE_BASE_DIR: path.join(folder, 'renovate'),
        LOG_LEVEL: 'debug',
      };
      const program = path.join(packages, 'node_modules/renovate/dist/renovate.js');
      const renovate = async (): Promise<string> => {
        const run = promisify(execFile)(process.execPath, [program, 'ada/lamps'], { env, maxBuffer: 64 * 1024 * 1024 });
        const { stdout } = await run.catch((error: Error & { stdout: string }) => assert.fail(error.stdout));
        return stdout;
      };
      const api = async (target: string): Promise<unknown> =>
        (await server.request('GET', `/api/v4/projects/${found.project.id}${target}`, { token: ada.token })).json();

      const first = await renovate();
      const opened = await api('/merge_requests');
      assert.ok(Array.isArray(opened) && opened.length === 1, first);
      const { iid, title, source_branch: branch, state, sha } = opened[0];
      assert.deepEqual([title, state], ['Update dependency lamp-parts to v1.1.0', 'opened']);
      const file = await server.request(
        'GET',
        `/api/v4/projects/${found.project.id}/repository/files/package.json/raw?ref=${encodeURIComponent(branch)}`,
        { token: ada.token },
      );
      assert.deepEqual(JSON.parse(file.text).dependencies, { 'lamp-parts': '1.1.0' });

      const notes = await api(`/merge_requests/${iid}/notes`);
      const events = await api('/events');
      const second = await renovate();
      const again = await api('/merge_requests');
      assert.ok(Array.isArray(again) && again.length === 1, second);
      assert.deepEqual([again[0].iid, again[0].sha, again[0].updated_at], [iid, sha, opened[0].updated_at], second);
      assert.deepEqual(await api(`/merge_requests/${iid}/notes`), notes);
      assert.deepEqual(await api('/events'), events);
    } finally {
      registry.server.close();
      registry.server.closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
    }
  },
  LIMIT,
);

/** Starts an npm registry with one package, which has two versions. */
async function startRegistry(): Promise<{ readonly server: Server; readonly origin: string }> {
  const server = createServer((request, response) => {
    const versions = ['1.0.0', '1.1.0'];
    response.writeHead(request.url === '/lamp-parts' ? 200 : 404, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify({
        name: 'lamp-parts',
        'dist-tags': { latest: '1.1.0' },
        versions: Object.fromEntries(versions.map((version) => [version, { name: 'lamp-parts', version }])),
        time: Object.fromEntries(versions.map((version) => [version, '2020-01-01T00:00:00.000Z'])),
      }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  return { server, origin: `http://127.0.0.1:${address.port}/` };
}
