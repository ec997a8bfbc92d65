import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { testEnvironment } from '../../support/environment.ts';
import { sampleOf } from '../../support/sample.ts';
import { DIST, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';
import { addProject, env, oddSnapshots, projectsOf, request, snapshotsIn, testOddSnapshots, token } from './dataFolder.ts';

describe('the data of a server', function () {
  describe('data after a reset', () => {
    it('data after a reset is empty, and a snapshot contains the previous data, including the last acknowledged write of a killed server', async () => {
      using folder = temporaryFolder();
      const args = ['serve', '--data', folder.path];
      const first = await spawnServer(args, { env });
      await addProject(first, 'Relay');
      // Killed, so that its last write is in the write-ahead log.
      await first.stop();
      const second = await spawnServer([...args, '--reset'], { env });
      assert.deepEqual(await projectsOf(second), []);
      assert.notEqual(second.line['instanceId'], first.line['instanceId']);
      await second.stop();
      const [file, ...others] = snapshotsIn(folder.path);
      assert.deepEqual(others, []);
      const name = (file ?? '').replace(/\.sqlite$/, '');
      assert.match(name, /^before-reset-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ$/);

      await using third = await spawnServer([...args, '--restore', name], { env });
      assert.deepEqual(await projectsOf(third), ['Relay']);
      assert.equal(third.line['instanceId'], first.line['instanceId']);
      assert.equal(snapshotsIn(folder.path).length, 2, 'the empty data is kept as well');
    });

    it('a reset creates new data without a snapshot if there was no data', async () => {
      using folder = temporaryFolder();
      await using server = await spawnServer(['serve', '--data', folder.path, '--reset'], { env });
      assert.equal(server.line['event'], 'listening');
      assert.ok(!existsSync(path.join(folder.path, 'snapshots')));
    });

    it('a reset replaces an unreadable file, which is kept unchanged', async () => {
      using folder = temporaryFolder();
      const broken = 'not a database, but long enough to have a header of one hundred bytes '.repeat(4);
      writeFileSync(path.join(folder.path, 'signalbox.sqlite'), broken);
      await using server = await spawnServer(['serve', '--data', folder.path, '--reset'], { env });
      assert.equal(server.line['event'], 'listening');
      const [stored = ''] = snapshotsIn(folder.path);
      assert.equal(readFileSync(path.join(folder.path, 'snapshots', stored), 'utf8'), broken);
    });

    it('data is not reset while another server uses it', async () => {
      using folder = temporaryFolder();
      await using first = await spawnServer(['serve', '--data', folder.path], { env });
      await addProject(first, 'Relay');
      await using second = await spawnServer(['serve', '--data', folder.path, '--reset'], { env });
      assert.deepEqual(second.line, { event: 'busy', origin: first.origin, instanceId: first.line['instanceId'] });
      assert.deepEqual(await projectsOf(first), ['Relay']);
    });
  });

  describe('data restored from a snapshot', () => {
    it('data restored from a snapshot equals the data when the snapshot of the running server was taken', async () => {
      using folder = temporaryFolder();
      const args = ['serve', '--data', folder.path];
      const first = await spawnServer(args, { env });
      await addProject(first, 'Before');
      const writes = Array.from({ length: 20 }, (_, number) => addProject(first, `Meanwhile ${number}`));
      await request(first, 'POST', '/_local/snapshots', { name: 'monday' });
      await Promise.all(writes);
      await addProject(first, 'After');
      first.child.kill('SIGTERM');
      await first.ended;
      await using second = await spawnServer([...args, '--restore', 'monday', '--stdin-handshake'], {
        handshake: JSON.stringify({ adminToken: token }),
      });
      assert.match(second.stderr(), /^\{"event":"progress","message":"Restoring snapshot monday","done":0,"total":\d+\}$/m);
      const projects = await projectsOf(second);
      assert.ok(projects.includes('Before') && !projects.includes('After'), projects.join(', '));
    });

    testOddSnapshots(sampleOf('snapshots that cannot be restored', oddSnapshots, 1));

    it('a restore requires an existing snapshot', async () => {
      using folder = temporaryFolder();
      mkdirSync(path.join(folder.path, 'snapshots'));
      await using server = await spawnServer(['serve', '--data', folder.path, '--restore', 'tuesday'], { env });
      assert.partialDeepStrictEqual(server.line, { event: 'fatal', code: 'snapshot_missing' });
    });

    it('data is never restored from another folder', async () => {
      await using server = await spawnServer(['serve', '--restore', '../elsewhere'], { env });
      assert.partialDeepStrictEqual(server.line, { event: 'fatal', code: 'usage' });
    });
  });
});

describe('the folder and the port of a server', function () {
  it('a lock file that another program has written to does not prevent a start', async () => {
    using folder = temporaryFolder();
    writeFileSync(path.join(folder.path, 'lock.sqlite'), 'overwritten by a program that cleans up '.repeat(10));
    await using server = await spawnServer(['serve', '--data', folder.path], { env });
    assert.equal(server.line['event'], 'listening');
  });

  it('a lock stays held when its file is overwritten', async () => {
    using folder = temporaryFolder();
    await using first = await spawnServer(['serve', '--data', folder.path], { env });
    writeFileSync(path.join(folder.path, 'lock.sqlite'), 'overwritten by a program that cleans up '.repeat(10));
    await using second = await spawnServer(['serve', '--data', folder.path], { env });
    assert.deepEqual(second.line, { event: 'busy', origin: first.origin, instanceId: first.line['instanceId'] });
  });

  it('a stale locator that points to another program is ignored', async () => {
    using folder = temporaryFolder();
    await (await spawnServer(['serve', '--data', folder.path], { env })).stop();
    const stranger = createServer((_, response) => response.end('{"status":"ok","instance_id":"somebody else"}'));
    await once(stranger.listen(0, '127.0.0.1'), 'listening');
    const locator = path.join(folder.path, 'server.json');
    const { port } = stranger.address() as AddressInfo;
    writeFileSync(locator, JSON.stringify({ ...JSON.parse(readFileSync(locator, 'utf8')), origin: `http://127.0.0.1:${port}` }));
    const holder = new Database(path.join(folder.path, 'lock.sqlite'));
    holder.exec('BEGIN EXCLUSIVE');
    const asked = once(stranger, 'request');
    const starting = spawnServer(['serve', '--data', folder.path], { env });
    await asked;
    holder.close();
    await using server = await starting;
    stranger.close();
    assert.equal(server.line['event'], 'listening');
    assert.equal(JSON.parse(readFileSync(locator, 'utf8')).origin, server.origin);
  });

  it('a holder of the lock that does not respond is reported', async function () {
    if (process.platform === 'win32') return this.skip();
    using folder = temporaryFolder();
    await using first = await spawnServer(['serve', '--data', folder.path], { env });
    first.child.kill('SIGSTOP');
    await using second = await spawnServer(['serve', '--data', folder.path], { env });
    assert.partialDeepStrictEqual(second.line, { event: 'fatal', code: 'folder_held' });
    assert.equal(await second.ended, 1);
  });

  it('a zombie process of a server holds no lock', async function () {
    if (process.platform === 'win32') return this.skip();
    using folder = temporaryFolder();
    // The shell is replaced by a program that never waits for its child.
    const script = '"$0" "$1" serve --data "$2" & echo $!; exec sleep 60';
    const parent = spawn('sh', ['-c', script, process.execPath, path.join(DIST, 'server.js'), folder.path], {
      env: testEnvironment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      let output = '';
      for await (const chunk of parent.stdout) {
        output += String(chunk);
        if (output.includes('listening')) break;
      }
      const pid = Number.parseInt(output, 10);
      process.kill(pid, 'SIGKILL');
      await using second = await spawnServer(['serve', '--data', folder.path], { env });
      assert.ok(isKnown(pid), 'it is still among the processes');
      assert.equal(second.line['event'], 'listening');
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('a port in use by another Signalbox server is distinguished from one in use by another program', async () => {
    await using ours = await spawnServer(['serve', '--memory'], { env });
    await using refused = await spawnServer(['serve', '--memory', '--port', new URL(ours.origin).port], { env });
    assert.partialDeepStrictEqual(refused.line, { event: 'fatal', code: 'port_of_signalbox' });
    const stranger = createServer((_, response) => response.end('{}'));
    await once(stranger.listen(0, '127.0.0.1'), 'listening');
    const { port } = stranger.address() as AddressInfo;
    await using other = await spawnServer(['serve', '--memory', '--port', `${port}`], { env });
    assert.partialDeepStrictEqual(other.line, { event: 'fatal', code: 'port_taken' });
    stranger.close();
  });
});

function isKnown(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
