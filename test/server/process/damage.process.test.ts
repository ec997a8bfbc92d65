import assert from 'node:assert/strict';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { migrations } from '../../../server/store/migrations.ts';
import { sampleOf } from '../../support/sample.ts';
import { spawnServer, temporaryFolder } from '../../support/serverProcess.ts';
import { databaseIn, env, filledFolder, headers, losses, request, snapshotsIn, stopInOrder, testLosses } from './damage.ts';

/** Returns the number of the first page of a table. */
function pageOf(file: string, table: string): { readonly page: number; readonly size: number } {
  const connection = new Database(file, { readonly: true });
  const page = connection.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').pluck().get(table);
  const size = connection.pragma('page_size', { simple: true });
  connection.close();
  for (const beside of ['-wal', '-shm']) rmSync(`${file}${beside}`, { force: true });
  return { page: Number(page), size: Number(size) };
}

/** Overwrites the first page of a table. */
function damage(file: string, table: string): void {
  const { page, size } = pageOf(file, table);
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(size, 0xa5), 0, size, (page - 1) * size);
  closeSync(descriptor);
}

describe('a database that is damaged', () => {
  const filled = filledFolder();

  it('a damaged database is detected after an unclean shutdown and reported by the health endpoint, and snapshots of it are refused', async () => {
    using folder = temporaryFolder();
    const args = filled(folder.path);
    const killed = await spawnServer(args, { env });
    await killed.stop();
    new Database(databaseIn(folder.path)).close();
    damage(databaseIn(folder.path), 'milestones');
    await using server = await spawnServer(args, { env });
    await server.logged(/^error: .*signalbox\.sqlite is damaged \(.+\)\. Stop the server, then start it with --restore/m);
    assert.partialDeepStrictEqual(await (await fetch(`${server.origin}/_local/health`)).json(), { status: 'damaged' });
    const health = (await request(server, 'GET', '/_local/health')) as { readonly damage: string };
    assert.ok(health.damage.length > 0);
    const refused = await fetch(`${server.origin}/_local/snapshots`, { method: 'POST', headers });
    assert.equal(refused.status, 500);
    assert.match(await refused.text(), /database of this server is damaged.*--restore/);
    assert.deepEqual(snapshotsIn(folder.path), ['monday.sqlite']);
    await stopInOrder(server);
    assert.ok(existsSync(path.join(folder.path, 'server.json')), 'the next start looks for it again');
  });

  it('a damaged database is not copied into a snapshot, even if the damage was not detected before', async () => {
    using folder = temporaryFolder();
    const args = filled(folder.path);
    damage(databaseIn(folder.path), 'milestones');
    await using server = await spawnServer(args, { env });
    const refused = await fetch(`${server.origin}/_local/snapshots`, { method: 'POST', headers });
    assert.equal(refused.status, 500);
    assert.match(await refused.text(), /is damaged/);
    assert.deepEqual(snapshotsIn(folder.path), ['monday.sqlite']);
    assert.partialDeepStrictEqual(await request(server, 'GET', '/_local/health'), { status: 'damaged' });
  });

  it('a damaged database is reported by every area that encounters the damage, and the server keeps running', async () => {
    using folder = temporaryFolder();
    const args = filled(folder.path);
    damage(databaseIn(folder.path), 'projects');
    damage(databaseIn(folder.path), 'sqlite_autoindex_web_sessions_1');
    await using server = await spawnServer(args, { env });
    assert.equal(server.line['event'], 'listening', JSON.stringify(server.line));
    const api = await fetch(`${server.origin}/api/v4/projects/1`, { headers });
    assert.equal(api.status, 500);
    assert.match(((await api.json()) as { readonly message: string }).message, /signalbox\.sqlite.*--restore.*--reset/);
    for (const target of ['/root/relay', '/users/set_up']) {
      const page = await fetch(`${server.origin}${target}`, {
        headers: { Cookie: `_signalbox_session_${String(server.line['instanceId']).slice(0, 8)}=${'a'.repeat(64)}` },
      });
      assert.equal(page.status, 500, target);
      assert.match(await page.text(), /damaged.*--restore/);
    }
    assert.partialDeepStrictEqual(await request(server, 'GET', '/_local/health'), { status: 'damaged' });
    assert.equal((await fetch(`${server.origin}/api/v4/version`, { headers })).status, 200);
  });

  it('a database is checked after an unclean shutdown, with a message if it is intact, and not checked after a clean one', async () => {
    using folder = temporaryFolder();
    const args = filled(folder.path);
    const killed = await spawnServer(args, { env });
    await killed.stop();
    const server = await spawnServer(args, { env });
    await server.logged(/^info: the last server was not shut down cleanly; the database was checked and is intact$/m);
    assert.partialDeepStrictEqual(await request(server, 'GET', '/_local/health'), { status: 'ok', damage: null });
    await stopInOrder(server);
    assert.ok(!existsSync(path.join(folder.path, 'server.json')));
  });

  testLosses(sampleOf('ways to lose a database', losses, 2), filled);

  it('a database is created if the folder contains only an empty file', async () => {
    using folder = temporaryFolder();
    writeFileSync(databaseIn(folder.path), '');
    await using server = await spawnServer(['serve', '--data', folder.path], { env });
    assert.equal(server.line['event'], 'listening');
  });

  it('a missing database is not replaced by demo data, but is created by a reset', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path, '--seed', 'demo'];
    await stopInOrder(await spawnServer(args, { env }));
    rmSync(databaseIn(folder.path));
    await using refused = await spawnServer(args, { env });
    assert.partialDeepStrictEqual(refused.line, { event: 'fatal', code: 'database_damaged' });
    assert.match(String(refused.line['message']), /is missing/);
    assert.match(String(refused.line['hint']), /^Start with --reset for a new database/);
    await using server = await spawnServer([...args, '--reset'], { env });
    assert.equal(server.line['event'], 'listening', JSON.stringify(server.line));
    assert.ok(!existsSync(`${databaseIn(folder.path)}.new`));
  });

  it('a database is created by the next start when the previous start was killed, also after a reset', async () => {
    using folder = temporaryFolder();
    const args = filled(folder.path);
    // Simulates a reset that was killed after the old database was moved away, and demo data killed after its repositories were written.
    rmSync(databaseIn(folder.path));
    writeFileSync(`${databaseIn(folder.path)}.new`, '');
    mkdirSync(path.join(folder.path, 'repositories'), { recursive: true });
    await using server = await spawnServer(args, { env });
    assert.equal(server.line['event'], 'listening', JSON.stringify(server.line));
    assert.deepEqual(await request(server, 'GET', '/api/v4/projects'), []);
    assert.ok(!existsSync(`${databaseIn(folder.path)}.new`), 'the next loss is noticed');
  });

  it('a database is not restored from a snapshot that is damaged in the middle', async () => {
    using folder = temporaryFolder();
    const args = filled(folder.path);
    damage(path.join(folder.path, 'snapshots', 'monday.sqlite'), 'milestones');
    await using refused = await spawnServer([...args, '--restore', 'monday'], { env });
    assert.partialDeepStrictEqual(refused.line, { event: 'fatal', code: 'database_damaged' });
    assert.match(String(refused.line['message']), /snapshot monday is damaged/);
    await using server = await spawnServer(args, { env });
    assert.partialDeepStrictEqual(await request(server, 'GET', '/api/v4/projects'), [{ name: 'Relay' }]);
    assert.deepEqual(snapshotsIn(folder.path), ['monday.sqlite']);
  });
});

/** Creates a database of a version with fewer migrations. */
function writeOlder(file: string, steps: number, more = ''): void {
  const connection = new Database(file);
  connection.pragma('journal_mode = WAL');
  connection.exec(
    `BEGIN; ${migrations.slice(0, steps).join(';\n')}; ${more}; PRAGMA application_id = 1397311298; PRAGMA user_version = ${steps}; COMMIT`,
  );
  connection.close();
}

function schemaOf(file: string): unknown {
  const connection = new Database(file, { readonly: true });
  const schema = connection.pragma('user_version', { simple: true });
  connection.close();
  return schema;
}

describe('a database of an earlier version', () => {
  const older = migrations.length - 3;

  it('a database of an earlier version is saved as a snapshot once before it is migrated', async () => {
    using folder = temporaryFolder();
    writeOlder(databaseIn(folder.path), older);
    const args = ['serve', '--data', folder.path];
    const server = await spawnServer(args, { env });
    assert.equal(server.line['event'], 'listening', JSON.stringify(server.line));
    const [name = '', ...others] = snapshotsIn(folder.path);
    assert.match(name, /^before-migration-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.sqlite$/);
    assert.deepEqual(others, []);
    assert.match(server.stderr(), new RegExp(`backup: snapshot ${path.parse(name).name}$`, 'm'));
    assert.equal(schemaOf(path.join(folder.path, 'snapshots', name)), older);
    await stopInOrder(server);
    assert.equal(schemaOf(databaseIn(folder.path)), migrations.length);
    await using again = await spawnServer(args, { env });
    assert.equal(again.line['event'], 'listening');
    assert.equal(snapshotsIn(folder.path).filter((file) => file.endsWith('.sqlite')).length, 1);
  });

  it('a database of an earlier version is unchanged when a migration fails, and the message names the copy', async () => {
    using folder = temporaryFolder();
    // A table with the name that the last migration creates.
    const created = /CREATE TABLE (\w+)/.exec(migrations.slice(older).join('\n'))?.[1];
    const added = /ALTER TABLE (\w+) ADD COLUMN (\w+)/.exec(migrations.slice(older).join('\n'));
    const obstacle =
      created === undefined ? `ALTER TABLE ${added?.[1]} ADD COLUMN ${added?.[2]}` : `CREATE TABLE ${created} (other)`;
    writeOlder(databaseIn(folder.path), older, obstacle);
    const before = readFileSync(databaseIn(folder.path));
    await using refused = await spawnServer(['serve', '--data', folder.path], { env });
    assert.partialDeepStrictEqual(refused.line, { event: 'fatal', code: 'migration_failed' });
    const [name = ''] = snapshotsIn(folder.path);
    assert.ok(String(refused.line['message']).includes(path.parse(name).name));
    assert.equal(await refused.ended, 1);
    assert.equal(schemaOf(databaseIn(folder.path)), older);
    assert.ok(readFileSync(path.join(folder.path, 'snapshots', name)).equals(before));
  });

  it('a database of an earlier version is not migrated without enough disk space for the copy', async () => {
    using folder = temporaryFolder();
    writeOlder(databaseIn(folder.path), older);
    const preload = path.join(import.meta.dirname, '../../support/nearlyFullDisk.ts');
    await using refused = await spawnServer(['serve', '--data', folder.path], { env, preload });
    assert.partialDeepStrictEqual(refused.line, { event: 'fatal', code: 'data_not_writable' });
    assert.match(String(refused.line['message']), /not enough disk space to back up.*: \d+ MB required, 1 MB available/);
    assert.equal(schemaOf(databaseIn(folder.path)), older);
    assert.deepEqual(snapshotsIn(folder.path), []);
  });
});
