import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { testEnvironment } from '../../support/environment.ts';
import { requestOf, type ServerProcess, spawnServer, temporaryFolder } from '../../support/serverProcess.ts';

const token = 'private-files-test-token-0123456789';
const env = { SIGNALBOX_ADMIN_TOKEN: token };
const OTHERS = 0o077;

/** Returns the paths below a folder on which other users have any permission. */
function openIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true })
    .map((name) => path.join(folder, String(name)))
    .filter((file) => (statSync(file).mode & OTHERS) !== 0);
}

/** Creates every kind of file: the database, both keys, a snapshot, a repository. */
async function fill(server: ServerProcess): Promise<void> {
  const request = (method: string, target: string, body?: object): Promise<unknown> =>
    requestOf(server, token, method, target, body);
  await request('POST', '/api/v4/projects', { name: 'Relay', initialize_with_readme: true });
  await request('POST', '/_local/snapshots', {});
  await request('GET', '/oauth/discovery/keys');
}

/** Grants other users all permissions, as an earlier version did with umask 0, or only the group that of reading. */
function loosen(folder: string): void {
  for (const [index, name] of readdirSync(folder, { recursive: true }).entries()) {
    const file = path.join(folder, String(name));
    const [ofFolder, ofFile] = index % 2 === 0 ? [0o777, 0o666] : [0o750, 0o640];
    chmodSync(file, statSync(file).isDirectory() ? ofFolder : ofFile);
  }
  chmodSync(folder, 0o777);
}

/** Options of a server that is started with umask 0. */
const openUmask = { umask: 0 } as const;

describe('permissions of other users on the files of a server', function () {
  before(function () {
    if (process.platform === 'win32') this.skip();
  });

  it('permissions of other users on the files of a server are removed in an existing folder with any umask, and the folder becomes private', async () => {
    using folder = temporaryFolder();
    const data = path.join(folder.path, 'data');
    const cache = path.join(folder.path, 'cache');
    mkdirSync(data);
    chmodSync(data, 0o777);
    await using server = await spawnServer(['serve', '--data', data], { env: { ...env, XDG_CACHE_HOME: cache }, ...openUmask });
    await fill(server);
    for (const name of ['signalbox.sqlite', 'signalbox.sqlite-wal', 'lock.sqlite', 'server.json', 'signing-key.pem', 'snapshots'])
      assert.ok(existsSync(path.join(data, name)), name);
    assert.deepEqual(openIn(folder.path), []);
    assert.equal(statSync(data).mode & 0o777, 0o700);
    assert.equal(statSync(path.join(data, 'signalbox.sqlite')).mode & 0o777, 0o600);
    assert.doesNotMatch(server.stderr(), /warn/);
  });

  it('permissions of other users on the files of a server are removed from the data of an earlier version, including repositories and snapshots', async () => {
    using folder = temporaryFolder();
    const args = ['serve', '--data', folder.path];
    const first = await spawnServer(args, { env });
    await fill(first);
    await first.stop();
    loosen(folder.path);
    await using second = await spawnServer(args, { env, ...openUmask });
    await second.logged(/removed the permissions of other users on \d+ files and folders of repositories/);
    assert.deepEqual(openIn(folder.path), []);
    assert.equal(statSync(folder.path).mode & 0o777, 0o700);
    await requestOf(second, token, 'GET', '/api/v4/projects/1/repository/files/README.md?ref=main');
  });

  it('permissions of other users on the files of a server stay on a folder with other files, with a warning that contains the command to remove them', async () => {
    using folder = temporaryFolder();
    const data = path.join(folder.path, "its 'own' data");
    mkdirSync(data);
    writeFileSync(path.join(data, 'notes.txt'), '');
    chmodSync(path.join(data, 'notes.txt'), 0o644);
    chmodSync(data, 0o755);
    const server = await spawnServer(['serve', '--data', data], { env, ...openUmask });
    await fill(server);
    assert.deepEqual(openIn(data), [path.join(data, 'notes.txt')]);
    assert.equal(statSync(data).mode & 0o777, 0o755);
    const command = /^warn: .*such as notes\.txt.*: (chmod 700 .*)$/m.exec(server.stderr())?.[1] ?? assert.fail(server.stderr());
    await server.stop();
    assert.equal(spawnSync('sh', ['-c', command], { env: testEnvironment() }).status, 0);
    await using second = await spawnServer(['serve', '--data', data], { env });
    assert.doesNotMatch(second.stderr(), /warn/);
  });

  it('permissions of other users on the files of a server are ignored for files that another server has removed meanwhile', async () => {
    using folder = temporaryFolder();
    // A dangling link looks like a file that was listed and then removed.
    symlinkSync(path.join(folder.path, 'gone'), path.join(folder.path, 'server.json.1'));
    await using server = await spawnServer(['serve', '--port', '0', '--data', folder.path], { env });
    assert.equal(server.line['event'], 'listening', server.stderr());
  });

  it('permissions of other users on the files of a server prevent the start if they cannot be removed from files of another user', async function () {
    // Only root can create files of other users.
    if (process.getuid?.() !== 0) return this.skip();
    using folder = temporaryFolder();
    const data = path.join(folder.path, 'data');
    chmodSync(folder.path, 0o755);
    mkdirSync(data);
    chmodSync(data, 0o777);
    const database = path.join(data, 'signalbox.sqlite');
    writeFileSync(database, '');
    chmodSync(database, 0o666);
    const program = path.join(folder.path, 'dist');
    cpSync(path.join(import.meta.dirname, '../../../dist'), program, { recursive: true });
    spawnSync('chmod', ['-R', 'a+rX', program], { env: testEnvironment() });
    const nobody = { uid: 65_534, gid: 65_534 };
    const started = (): Promise<ServerProcess> =>
      spawnServer(['serve', '--data', data], {
        env: { ...env, HOME: folder.path },
        program: path.join(program, 'server.js'),
        ...nobody,
      });
    await using refused = await started();
    assert.partialDeepStrictEqual(refused.line, { event: 'fatal', code: 'data_not_private' });
    assert.match(String(refused.line['message']), /signalbox\.sqlite, and the permissions cannot be changed/);
    assert.equal(await refused.ended, 1);
    // The server owns the files now, but not the folder, which other users can still list.
    chownSync(database, nobody.uid, nobody.gid);
    await using server = await started();
    assert.equal(server.line['event'], 'listening', JSON.stringify(server.line));
    assert.match(server.stderr(), /^warn: .*its permissions cannot be changed.*chmod 700/m);
    assert.deepEqual(openIn(data), []);
  });

  it('permissions of other users on the files of a server prevent the start on a file system without permissions', async () => {
    using folder = temporaryFolder();
    const data = path.join(folder.path, 'data');
    const preload = path.join(import.meta.dirname, '../../support/noModes.ts');
    await using refused = await spawnServer(['serve', '--data', data], { env, preload });
    assert.partialDeepStrictEqual(refused.line, { event: 'fatal', code: 'data_not_private' });
    assert.equal(await refused.ended, 1);
    assert.deepEqual(readdirSync(data), []);
  });

  it('permissions of other users on the files of a server to write compiled code cause its removal', async () => {
    using folder = temporaryFolder();
    const compiled = path.join(folder.path, 'signalbox', 'compiled');
    mkdirSync(compiled, { recursive: true });
    writeFileSync(path.join(compiled, 'planted'), '');
    chmodSync(compiled, 0o777);
    await using server = await spawnServer(['serve', '--data', path.join(folder.path, 'data')], {
      env: { ...env, XDG_CACHE_HOME: folder.path },
    });
    assert.equal(server.line['event'], 'listening');
    assert.ok(!existsSync(path.join(compiled, 'planted')));
    assert.deepEqual(openIn(compiled), []);
  });
});
