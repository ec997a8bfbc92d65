import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { damageInFile } from '../../../server/store/open.ts';
import type { ReplacementKillPoint } from '../../support/replacementKillPoint.ts';
import { slowRequest } from '../../support/slowRequest.ts';
import { type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';
import { openStream } from '../stream/streamClient.ts';
import { addProject, env, projectsOf, request, snapshotsIn, token } from './dataFolder.ts';

const preload = path.join(import.meta.dirname, '../../support/replacementKillPoint.ts');

function start(folder: string, killPoint?: ReplacementKillPoint): Promise<ServerProcess> {
  return spawnServer(
    ['serve', '--data', folder],
    killPoint === undefined ? { env } : { env: { ...env, SIGNALBOX_TEST_KILL_POINT: killPoint }, preload },
  );
}

/** Sends a request to a server that is killed before it responds. */
async function killedBy(server: ServerProcess, target: string, body: object): Promise<void> {
  const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  await assert.rejects(fetch(`${server.origin}${target}`, { method: 'POST', headers, body: JSON.stringify(body) }));
  assert.equal(await server.ended, 'SIGKILL');
}

describe('a server that is asked to terminate while its data is replaced', () => {
  it('finishes the requests and the replacement, and has the new data afterwards', async function () {
    // There, SIGTERM ends a process at once.
    if (process.platform === 'win32') return this.skip();
    using folder = temporaryFolder();
    const server = await start(folder.path);
    await addProject(server, 'Before');
    await request(server, 'POST', '/_local/snapshots', { name: 'monday' });
    await using stream = await openStream(server, token);
    const finish = await slowRequest(server, '/api/v4/projects', { name: 'Slow' }, { Authorization: `Bearer ${token}` });
    const restored = request(server, 'POST', '/_local/restore', { name: 'monday' });
    // From here on, the restore waits for the slow request.
    await stream.untilEnd();
    server.child.kill('SIGTERM');
    assert.equal(await finish(), 201);
    await restored;
    assert.equal(await server.ended, 0);
    assert.ok(!existsSync(path.join(folder.path, 'signalbox.sqlite-wal')), 'the new database was closed');
    await checkNext(folder.path, ['Before'], ['monday'], true);
  });
});

describe('a server that is killed while its data is replaced', () => {
  const points: readonly (readonly [point: ReplacementKillPoint, isNew: boolean])[] = [
    ['drafted', false],
    ['decided', false],
    ['moved', true],
    ['replaced', true],
  ];
  for (const [point, isNew] of points) {
    const outcome = isNew ? 'the new data' : 'the former data';
    it(`has ${outcome} after a restore that was killed when the database was ${point}`, async () => {
      using folder = temporaryFolder();
      const server = await start(folder.path, point);
      await addProject(server, 'Before');
      await request(server, 'POST', '/_local/snapshots', { name: 'monday' });
      await addProject(server, 'After');
      await killedBy(server, '/_local/restore', { name: 'monday' });
      await checkNext(folder.path, isNew ? ['Before'] : ['After', 'Before'], ['monday'], isNew);
    });

    it(`has ${outcome} after a reset that was killed when the database was ${point}`, async () => {
      using folder = temporaryFolder();
      const server = await start(folder.path, point);
      await addProject(server, 'Before');
      await killedBy(server, '/_local/reset', {});
      await checkNext(folder.path, isNew ? [] : ['Before'], [], isNew);
    });
  }
});

/** Checks what the next server has, and that its snapshots are intact and nothing incomplete is left. */
async function checkNext(
  folder: string,
  projects: readonly string[],
  named: readonly string[],
  hasAutomatic: boolean,
): Promise<void> {
  await using next = await start(folder);
  assert.equal(next.line['event'], 'listening', JSON.stringify(next.line));
  assert.deepEqual(await projectsOf(next), projects);
  const snapshots = readdirSync(folder).includes('snapshots') ? snapshotsIn(folder) : [];
  assert.deepEqual(
    snapshots.filter((file) => !file.startsWith('before-')),
    named.map((name) => `${name}.sqlite`),
  );
  assert.equal(snapshots.length, named.length + (hasAutomatic ? 1 : 0), snapshots.join(', '));
  for (const file of snapshots) assert.equal(await damageInFile(path.join(folder, 'snapshots', file)), undefined);
  assert.deepEqual(
    readdirSync(folder).filter((name) => /\.(?:part|next)/.test(name)),
    [],
  );
}
