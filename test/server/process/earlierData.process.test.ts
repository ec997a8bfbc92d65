// test/support/schema40 has the data folder and the state of the extension that the build with schema 40 wrote.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { readZip } from '../../../scripts/zip.ts';
import { migrations } from '../../../server/store/migrations.ts';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const FIXTURE = path.join(import.meta.dirname, '../../support/schema40/data.zip');
const DATABASE = 'signalbox.sqlite';
const token = 'earlier-data-test-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };
const BERTHS = '/api/v4/projects/harbour%2Fberths';

const read = (server: ServerProcess, target: string, by = token): Promise<unknown> => requestOf(server, by, 'GET', target);

/** Unpacks the data folder. An archive has no empty folders, but git requires `refs` in a repository. */
function unpackData(folder: string): void {
  for (const [name, bytes] of readZip(readFileSync(FIXTURE))) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
    writeFileSync(file, bytes, { mode: 0o600 });
    if (path.basename(file) === 'HEAD') mkdirSync(path.join(path.dirname(file), 'refs'), { recursive: true });
  }
}

function schemaOf(file: string): unknown {
  const connection = new Database(file, { readonly: true });
  try {
    return connection.pragma('user_version', { simple: true });
  } finally {
    connection.close();
  }
}

describe('a data folder of another build', () => {
  it('a data folder of another build with schema 40 opens with all its data, and its database is kept as a snapshot', async () => {
    using folder = temporaryFolder();
    unpackData(folder.path);
    assert.equal(schemaOf(path.join(folder.path, DATABASE)), 40);
    await using server = await spawnServer(['serve', '--data', folder.path], { env });
    assert.partialDeepStrictEqual(server.line, { event: 'listening', instanceId: 'f0278436-daaa-43c5-8a5f-280e4fe17bdd' });

    const projects = (await read(server, '/api/v4/projects?order_by=id&sort=asc')) as { path_with_namespace: string }[];
    assert.deepEqual(
      projects.map((project) => project.path_with_namespace),
      ['harbour/berths', 'bo/berths', 'bo/notes'],
    );
    const issue = (await read(server, `${BERTHS}/issues?search=Weigh+the+crane`)) as { iid: number; labels: string[] }[];
    assert.deepEqual(
      issue.map(({ labels }) => labels),
      [['bug']],
    );
    assert.partialDeepStrictEqual(await read(server, `${BERTHS}/issues/${issue[0]?.iid}/notes`), [
      { body: 'It weighs nine tons.' },
    ]);
    assert.partialDeepStrictEqual(await read(server, `${BERTHS}/repository/files/src%2Fcrane.js?ref=crane`), {
      content: Buffer.from('export const lift = () => "crane";\n').toString('base64'),
    });
    assert.partialDeepStrictEqual(await read(server, `${BERTHS}/error_tracking/errors`), [
      { title: 'TypeError: The crane is not a boat', count: 1, user_count: 1 },
    ]);
    // The clock was stopped, and a user made this token.
    assert.partialDeepStrictEqual(await read(server, '/_local/clock'), { now: '2026-11-26T12:00:00.000Z' });
    assert.partialDeepStrictEqual(await read(server, '/api/v4/user', 'bo-local-experiments-0001'), { username: 'bo' });
    const created = await requestOf(server, token, 'POST', `${BERTHS}/issues`, { title: 'Written by this build' });
    assert.partialDeepStrictEqual(created, { title: 'Written by this build' });

    assert.equal(schemaOf(path.join(folder.path, DATABASE)), migrations.length);
    const [migration = '', ...snapshots] = readdirSync(path.join(folder.path, 'snapshots')).toSorted();
    assert.match(migration, /^before-migration-.*\.sqlite$/);
    assert.equal(schemaOf(path.join(folder.path, 'snapshots', migration)), 40);
    assert.deepEqual(snapshots, ['before-the-upgrade.sqlite']);
  });

  it('a data folder of another build with schema 40 restores a snapshot of it', async () => {
    using folder = temporaryFolder();
    unpackData(folder.path);
    await using server = await spawnServer(['serve', '--data', folder.path, '--restore', 'before-the-upgrade'], { env });
    assert.equal(server.line['event'], 'listening', server.stdout());
    const issues = (await read(server, `${BERTHS}/issues?search=Weigh+the+crane`)) as unknown[];
    assert.equal(issues.length, 1);
  });

  it('a data folder of another build that is newer is refused with what to do, and a snapshot of this build can be restored', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path];
    const first = await spawnServer(args, { env });
    await requestOf(first, token, 'POST', '/_local/snapshots', { name: 'before' });
    await first.stop();
    const file = path.join(folder.path, DATABASE);
    const connection = new Database(file);
    const newer = migrations.length + 1;
    connection.pragma(`user_version = ${newer}`);
    connection.close();

    const refused = await spawnServer(args, { env });
    assert.deepEqual(refused.line, {
      event: 'fatal',
      code: 'database_newer',
      message: `The database was written by a newer version of Signalbox (schema ${newer}; this version supports up to ${migrations.length}).`,
      hint: `Use the newer version of Signalbox that wrote ${file}, restore a snapshot of an earlier version with --restore, or use another data folder.`,
    });
    assert.equal(await refused.ended, 1);
    assert.equal(schemaOf(file), newer);

    await using restored = await spawnServer([...args, '--restore', 'before'], { env });
    assert.equal(restored.line['event'], 'listening', restored.stdout());
    const [previous = ''] = readdirSync(path.join(folder.path, 'snapshots')).filter((name) => name.startsWith('before-restore-'));
    assert.equal(schemaOf(path.join(folder.path, 'snapshots', previous)), newer);
  });
});
